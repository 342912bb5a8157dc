import type { Json, DryRun, DryStep } from "@workflow-ui/client";
import type { Edge } from "#workflows/schema.ts";
import { count } from "../lib/format.ts";
import { objectAt } from "../lib/read.ts";
import type { Mark } from "./canvas/canvas-context.ts";
import type { Samples } from "./inspect/scope.ts";

/** What the last dry run showed, by step. */
export interface ShownDryRun {
  readonly marks: ReadonlyMap<string, Mark>;
  /** Input, output and error of each step, with where its output came from. */
  readonly steps: ReadonlyMap<string, DryStep>;
  readonly samples: Samples;
  /** The ports that steps were left by. */
  readonly ports: ReadonlyMap<string, string>;
  readonly state: string;
  readonly outputs: Json;
  readonly blocked: DryRun["blocked"];
}

/** There was no dry run. */
export const NO_DRY_RUN: ShownDryRun = {
  marks: new Map(),
  steps: new Map(),
  samples: new Map(),
  ports: new Map(),
  state: "",
  outputs: {},
  blocked: [],
};

const SOURCES = {
  executed: "called",
  pinned: "pinned sample",
  recorded: "from the last run",
  sample: "example result",
  assumed: "assumed",
  computed: "",
} as const;

/** Reads the answer of a dry run. Steps of a map's items count for the map. */
export function shownOf(data: DryRun): ShownDryRun {
  const marks = new Map<string, Mark>();
  const steps = new Map<string, DryStep>();
  const samples = new Map<string, Json>([["inputs", data.inputs]]);
  const ports = new Map<string, string>();
  const { blocked } = data;
  const stopped = new Map(blocked.map((item) => [topOf(item.stepId), item.effect]));
  for (const step of data.trace.steps) {
    const id = step.stepId;
    if (id !== topOf(id)) {
      if (id.endsWith("[0]")) samples.set("item", step.input ?? null);
      samples.set(id.split(".").pop() ?? id, step.output ?? null);
      continue;
    }
    const source = SOURCES[step.source];
    marks.set(id, stopped.has(id) ? { state: "not_sent", note: "" } : { state: step.state, note: source });
    steps.set(id, step);
    if (step.output !== undefined && step.output !== null) samples.set(id, step.output);
    ports.set(id, step.port ?? "");
  }
  return {
    marks,
    steps,
    samples,
    ports,
    state: data.state,
    outputs: data.outputs,
    blocked,
  };
}

/** What was shown before, with one step as it was tried on its own. */
export function withStep(before: ShownDryRun, found: ShownDryRun, id: string): ShownDryRun {
  const add = <T>(to: ReadonlyMap<string, T>, from: ReadonlyMap<string, T>): ReadonlyMap<string, T> => {
    const value = from.get(id);
    return value === undefined ? to : new Map([...to, [id, value]]);
  };
  return {
    ...before,
    marks: add(before.marks, found.marks),
    steps: add(before.steps, found.steps),
    samples: add(before.samples, found.samples),
    blocked: [...before.blocked.filter((item) => item.stepId !== id), ...found.blocked],
  };
}

/** The step of the workflow that a step of a run belongs to: items of a map belong to the map. */
function topOf(stepId: string): string {
  return stepId.split(/[[.]/)[0] ?? stepId;
}

/** What passed each edge: how many values the step before it gave. */
export function passedEdges(
  edges: readonly Edge[],
  { marks, ports, steps }: ShownDryRun,
): ReadonlyMap<string, string> {
  const passed = new Map<string, string>();
  for (const edge of edges) {
    const from = edge.from;
    // A dry run up to a step leaves by its port, but nothing was given to the next one.
    if (ports.get(from) !== edge.port || !marks.has(edge.to)) continue;
    passed.set(edge.id, sizeWords(steps.get(from)?.output));
  }
  return passed;
}

function sizeWords(output: unknown): string {
  const { count: counted } = objectAt(output);
  if (typeof counted === "number") return count(counted, "item");
  const data = objectAt(output, "data");
  // The answer of an HTTP request is its body; lists of headers and parts beside it are not what is passed on.
  const body = typeof data["status"] !== "number" ? undefined : data["body"];
  if (Array.isArray(body)) return count(body.length, "item");
  if (body !== undefined) return "1 value";
  for (const value of Object.values(data)) if (Array.isArray(value)) return count(value.length, "item");
  return "1 value";
}
