import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { isLarge } from "../workflows/checking.ts";
import type { Imported } from "./format.ts";
import { importWorkflow } from "./index.ts";
import { storedForm } from "../workflows/library.ts";

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    import_workflow: { readonly input: { readonly source: string | JsonObject }; readonly output: Imported };
  }
}

/** Reads a workflow in any format into the form in which it is kept. Pure: a worker thread runs it, too. */
export function readWorkflow(source: string | JsonObject): Imported {
  const imported = importWorkflow(source);
  return { ...imported, document: storedForm(imported.document).document };
}

/** Reads a workflow that a caller sent. YAML and large documents are read in a worker thread. */
export async function readWorkflowFor(source: string | JsonObject, context: CallContext): Promise<Imported> {
  // YAML and shell text are read character by character, so their cost is the caller's choice.
  const isYaml = typeof source === "string" && !source.trimStart().startsWith("{");
  const given = typeof source === "string" ? { text: source } : source;
  if (!isYaml && !isLarge(given)) return readWorkflow(source);
  return context.services.workers.run("import_workflow", { source }, context.signal);
}
