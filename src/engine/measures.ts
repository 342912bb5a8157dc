import { Histogram, SECONDS } from "../kernel/histogram.ts";
import type { EngineMeasures } from "../ports/engine.ts";

/** Connected tools have names that others choose: beyond this many, they are counted together. */
const MAX_TOOLS = 200;
const OTHERS = "other";

/** What the engine of this process measures while it works. */
export class Measures implements EngineMeasures {
  readonly steps = new Map<string, Map<string, Histogram>>();
  readonly checkpointSize = new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  readonly checkpointSeconds = new Histogram(SECONDS);

  /** One attempt at a step has ended. */
  step(tool: string, outcome: string, ms: number): void {
    const name = this.steps.has(tool) || this.steps.size < MAX_TOOLS ? tool : OTHERS;
    const outcomes = this.steps.get(name) ?? new Map<string, Histogram>();
    this.steps.set(name, outcomes);
    const times = outcomes.get(outcome) ?? new Histogram(SECONDS);
    outcomes.set(outcome, times);
    times.observe(ms / 1_000);
  }

  /** A set of checkpoints was written. */
  checkpoints(count: number, ms: number): void {
    this.checkpointSize.observe(count);
    this.checkpointSeconds.observe(ms / 1_000);
  }
}
