import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Store } from "../ports/store.ts";
import { parseDocument } from "../workflows/document.ts";

/** The schema of the inputs that the next run of a workflow takes: of its newest version, or of the draft without one. */
export async function inputSchemaOf({ read }: Pick<Store, "read">, workflowId: string): Promise<JsonObject> {
  const head = await read.workflows.head(workflowId);
  const found =
    head === null || head.publishedVersion === null
      ? await read.workflows.get(workflowId)
      : await read.workflows.version(workflowId, head.publishedVersion);
  if (found === null) throw new AppError("not_found", "There is no workflow with this id.");
  return parseDocument(found.document).document.inputs;
}
