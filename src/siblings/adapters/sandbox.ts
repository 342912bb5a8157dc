import type { Adapter } from "../adapter.ts";
import { countOf, idOf, names, partOf, urlUnder } from "../confirm.ts";

const ENDINGS = new Set(["succeeded", "failed", "timed_out", "out_of_memory"]);

/** Runs a packet's workflow or script, bounded in time and memory. */
export const sandboxAdapter: Adapter = {
  name: "sandbox",
  title: "Sandbox",
  purpose: "Executes a workflow or script of a packet in isolation.",
  timeoutMs: 15_000,
  proofs: {
    execute(result, { base, resultRef }) {
      const execution = partOf(result, "execution");
      const id = idOf(execution?.["id"], "execution");
      if (execution === null || id === null) return "No execution with an id is confirmed.";
      const url = urlUnder(base, resultRef);
      if (url === null || !names(url, id)) return "The reference does not name the execution.";
      const { status } = execution;
      if (typeof status !== "string" || !ENDINGS.has(status)) return "The execution has not ended.";
      return countOf(execution["durationMs"]) === null ? "The execution says nothing of its duration." : null;
    },
  },
};
