import type { JsonObject } from "../kernel/json.ts";
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
