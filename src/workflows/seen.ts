import type { AppError } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { WorkflowRecord } from "../ports/records.ts";
import { documentDigest, parseDocument, type ParsedDocument } from "./document.ts";
import { asPublished, publicDocument } from "./public-view.ts";
import { workflowAccess, type WorkflowAccess } from "./visibility.ts";

/** A document with its digest. */
export interface Stored {
  readonly document: JsonObject;
  readonly digest: string;
}

/** A workflow as this caller sees it: the record, and the document that goes with what may be seen. */
export interface SeenWorkflow {
  readonly record: WorkflowRecord;
  readonly accessLevel: WorkflowAccess;
  readonly document: JsonObject;
  readonly digest: string;
  readonly parsed: ParsedDocument;
  /** The document that runs, whatever the caller sees of it. */
  readonly actual: JsonObject;
}

/** Finds a workflow for a caller: its draft, what strangers see of its published version, or nothing. */
export async function findWorkflow(id: string, context: CallContext): Promise<SeenWorkflow> {
  const { workflows } = context.services.store.read;
  const record = await workflows.get(id);
  const accessLevel = record === null ? null : workflowAccess(context.caller, record);
  if (record === null || accessLevel === null) throw missing(id);
  if (accessLevel === "full")
    return { record, accessLevel, actual: record.document, ...seenDocument(accessLevel, record) };
  const version = await workflows.version(id, record.publishedVersion ?? 0);
  if (version === null) throw missing(id);
  return {
    record: asPublished(record),
    accessLevel,
    actual: version.document,
    ...seenDocument(accessLevel, version),
  };
}

/** The same, with what a run of it runs: its published version, or the draft while there is none. */
export async function findRunning(id: string, context: CallContext): Promise<SeenWorkflow> {
  const seen = await findWorkflow(id, context);
  const { publishedVersion } = seen.record;
  if (seen.accessLevel !== "full" || publishedVersion === null) return seen;
  const version = await context.services.store.read.workflows.version(id, publishedVersion);
  if (version === null) return seen;
  return {
    record: asPublished(seen.record),
    accessLevel: seen.accessLevel,
    actual: version.document,
    ...seenDocument(seen.accessLevel, version),
  };
}

/** A document as far as it may be seen. The digest of what is not shown could confirm a guess, so it is not shown either. */
export function seenDocument(
  accessLevel: WorkflowAccess,
  stored: Stored,
): Pick<SeenWorkflow, "document" | "digest" | "parsed"> {
  const document = accessLevel === "full" ? stored.document : publicDocument(stored.document);
  const parsed = parseDocument(document);
  return {
    document,
    digest: accessLevel === "full" ? stored.digest : documentDigest(parsed.document),
    parsed,
  };
}

/** The error for a workflow that does not exist, or that this caller may not see: the same. */
export function missing(id: string): AppError {
  return noRecord("workflow", id, `There is no workflow ${id.slice(0, 100)} that you may see.`);
}
