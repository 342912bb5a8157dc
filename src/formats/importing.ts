import { isObject, type JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { isLarge } from "../workflows/checking.ts";
import type { Imported } from "./format.ts";
import { importWorkflow } from "./index.ts";
import { storedForm } from "../workflows/library.ts";

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
  const imported = await context.services.workers.run("import_workflow", { source }, context.signal);
  if (!isImported(imported)) throw new TypeError("a worker answered something that is no workflow");
  return imported;
}

/** Only our own worker thread answers this. */
function isImported(value: unknown): value is Imported {
  return isObject(value) && isObject(value["document"]) && Array.isArray(value["losses"]);
}
