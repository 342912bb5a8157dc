import process from "node:process";
import type { RunDetail } from "../../packages/client/client.ts";
import { EXIT_CODES } from "./conventions.ts";
import { runHasEnded } from "../model/states.ts";
import type { Client } from "./client.ts";
import type { Cli } from "./command.ts";
import { followEvents } from "./event-stream.ts";
import { Failure } from "./failure.ts";
import { createLines, createPicture, type RunScreen } from "./run-screen.ts";

const POLL_MS = 1_000;

/** Follows a run until it ends and gives the exit status of its outcome. */
export async function watchRun(cli: Cli, id: string, untilWaiting: boolean): Promise<number> {
  const { output } = cli;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const client = cli.client({ isQuiet: true });
  const screen: RunScreen =
    output.mode === "human"
      ? output.isTerminal
        ? createPicture(output)
        : createLines(output)
      : { draw() {}, end() {} };
  const total = await stepCount(client, id);
  const changed = new Signal();
  const listening = listen(client, id, stop.signal, changed);
  try {
    for (;;) {
      const run = await readRun(client, id);
      const { status } = run;
      screen.draw(run, total);
      const over = runHasEnded(status) || (untilWaiting && status === "waiting");
      if (over) {
        screen.end();
        if (output.mode !== "human")
          await output.print({
            envelope: { ok: status === "succeeded", data: { run } },
            ids: [id],
            view: [],
          });
        return status === "succeeded" || status === "waiting" ? EXIT_CODES.ok.code : EXIT_CODES.failed.code;
      }
      await changed.wait(stop.signal);
      if (stop.signal.aborted)
        throw new Failure("interrupted", "The run continues; it is no longer watched.", {
          next: `suitectl runs watch ${id}`,
        });
    }
  } finally {
    screen.end();
    stop.abort();
    await listening;
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}

/** How many steps the run's workflow has, where that may be seen. */
async function stepCount(client: Client, id: string): Promise<number> {
  const run = await readRun(client, id);
  const shown = run.steps.length;
  try {
    const { data } = await client.run("get_workflow", { id: run.workflowId ?? "" });
    return Math.max(shown, data.workflow.nodes.length);
  } catch {
    // The workflow of a dry run, or one that is gone or private: what the run shows must do.
    return shown;
  }
}

async function readRun(client: Client, id: string): Promise<RunDetail> {
  return (await client.run("get_run", { id })).data.run;
}

/** Signals that something happened: by events, or by the clock where there are none. */
async function listen(client: Client, id: string, signal: AbortSignal, changed: Signal): Promise<void> {
  try {
    for await (const _message of followEvents(client, { subject: id, signal })) changed.raise();
  } catch {
    while (!signal.aborted) {
      changed.raise();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MS);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }
}

/** Wakes one waiter; what was raised before anything waited wakes the next at once. */
class Signal {
  #raised = false;
  #wake: (() => void) | null = null;

  raise(): void {
    this.#raised = true;
    this.#wake?.();
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#raised && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    this.#wake = null;
    this.#raised = false;
  }
}
