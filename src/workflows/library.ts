import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import type { WorkflowView } from "../model/workflows.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import { lackingScope } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { onceUnderKey } from "../ports/once.ts";
import type { WorkflowRecord, WorkflowVersionRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import { authorNames, clientOf } from "./authors.ts";
import { documentDigest, documentJson, parseDocument } from "./document.ts";
import { isSound, type WorkflowProblem } from "./problems.ts";
import { auditVisibility, checkMayBePublic, secretsIn, visibilityOf } from "./publicity.ts";
import { hasNewTexts, textsOf } from "./public-view.ts";
import { validateDocument } from "./validate.ts";
import { fullView, loadView } from "./views.ts";
import { missing, seenDocument, type Stored } from "./seen.ts";
import { GUARD_ID, workflowAccess } from "./visibility.ts";

/*
 * Stored workflows. A change, its event and its provenance are one transaction. Everybody sees the public part of
 * published versions that are public; drafts and private workflows are for who made them and for `read-private`.
 */

/** What can be set of a workflow when it is made or changed. */
export interface WorkflowDraft {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly owner?: string;
  readonly nodes?: readonly Json[];
  readonly edges?: readonly Json[];
  readonly status?: string;
  readonly visibility?: string;
  /** Other parts of the document: inputs, outputs, policy, ui. */
  readonly document?: JsonObject;
}

const MAX_NAME = 200;
const MAX_DESCRIPTION = 4_000;
const MAX_TAGS = 50;

/** The extras of a document that the parameters of the tools cannot carry: `_meta["svc/document"]`. */
export function documentMeta(meta: JsonObject): JsonObject {
  const given = meta["svc/document"];
  if (given === undefined) return {};
  if (isJsonObject(given)) return given;
  throw new AppError("invalid_input", '`_meta["svc/document"]` must be an object.');
}

/** Makes one document of its parts. Parts on `start` and `end` nodes replace what was known before. */
export function composeDocument(
  known: JsonObject,
  draft: Pick<WorkflowDraft, "nodes" | "edges" | "document">,
): JsonObject {
  const { nodes, edges, document = {} } = draft;
  const has = (type: string): boolean =>
    (nodes ?? []).some((node) => isJsonObject(node) && node["type"] === type);
  const { inputs, outputs, ...rest } = known;
  return {
    ...rest,
    ...(inputs !== undefined && !has("start") && { inputs }),
    ...(outputs !== undefined && !has("end") && { outputs }),
    ...(nodes !== undefined && { nodes }),
    ...(edges !== undefined && { edges }),
    ...document,
  };
}

/** What is kept of a document: its normal form, or, while something in its form is wrong, exactly what was given. */
export function storedForm(given: JsonObject): Stored {
  const parsed = parseDocument(given);
  if (isSound(parsed.problems)) {
    return { document: documentJson(parsed.document), digest: documentDigest(parsed.document) };
  }
  if (parsed.problems.some((item) => item.code === "document_too_large")) {
    throw invalid("The document is too large to be kept.", parsed.problems);
  }
  const { ui: _, ...content } = given;
  return { document: given, digest: digestOf(content) };
}

/** An error that carries every problem of a document. */
export function invalid(message: string, problems: readonly WorkflowProblem[]): AppError {
  return new AppError("invalid_input", message, {
    problems: problems
      .slice(0, 200)
      .map(({ pointer, message: text, fix, code }) => ({ code, pointer, message: text, fix })),
    nextAction: "Fix the problems and try again; validate_workflow lists them all.",
    details: { errors: problems.filter((item) => item.severity === "error").length },
  });
}

function checkTexts({ name, description, tags, owner }: WorkflowDraft): void {
  const problems = [
    ...(name !== undefined && (name.trim() === "" || name.length > MAX_NAME)
      ? [{ pointer: "/name", message: `A name has 1 to ${MAX_NAME} characters.` }]
      : []),
    ...(description !== undefined && description.length > MAX_DESCRIPTION
      ? [{ pointer: "/description", message: `A description has at most ${MAX_DESCRIPTION} characters.` }]
      : []),
    ...(tags !== undefined && (tags.length > MAX_TAGS || tags.some((tag) => tag === "" || tag.length > 60))
      ? [{ pointer: "/tags", message: `There are at most ${MAX_TAGS} tags of 1 to 60 characters.` }]
      : []),
    ...(owner !== undefined && owner.length > MAX_NAME
      ? [{ pointer: "/owner", message: "The owner's name is too long." }]
      : []),
  ];
  if (problems.length > 0)
    throw new AppError("invalid_input", "The workflow's description is not valid.", { problems });
}

/** Creates a draft. Its graph may be incomplete. */
export async function createWorkflow(draft: WorkflowDraft, context: CallContext): Promise<WorkflowRecord> {
  checkTexts(draft);
  const stored = storedForm(composeDocument({}, draft));
  const at = timeOf(context);
  const record: WorkflowRecord = {
    id: newId("workflow"),
    name: draft.name ?? "Untitled workflow",
    description: draft.description ?? "",
    tags: [...new Set(draft.tags ?? [])],
    status: "draft",
    visibility: "private",
    owner: draft.owner ?? null,
    revision: 1,
    ...stored,
    publishedVersion: null,
    publishedTexts: null,
    createdBy: context.caller.id,
    createdAt: at,
    updatedBy: context.caller.id,
    updatedAt: at,
  };
  return context.services.store.transact(async (tx) => {
    const known = async ({ id }: JsonObject) => (typeof id === "string" ? tx.workflows.get(id) : null);
    return onceUnderKey(tx, context, { scope: "workflow.create", request: draft }, known, async () => {
      await tx.workflows.insert(record);
      await addEditor(tx, record.id, 1, context);
      await remember(tx, record, "created", context);
      return { made: record, answer: { id: record.id } };
    });
  });
}

/** Changes a workflow. A caller that names the revision it started from gets a conflict when it is no longer that. */
export async function updateWorkflow(
  id: string,
  draft: WorkflowDraft,
  context: CallContext,
): Promise<WorkflowRecord> {
  checkTexts(draft);
  const expected = context.meta["svc/expectedRevision"];
  return context.services.store.transact(async (tx) => {
    const current = await existing(tx, id, context);
    if (expected !== undefined && expected !== current.revision) throw stale(current);
    const status = nextStatus(current, draft.status);
    const changesGraph =
      draft.nodes !== undefined || draft.edges !== undefined || Object.keys(draft.document ?? {}).length > 0;
    const record: WorkflowRecord = {
      ...current,
      name: draft.name ?? current.name,
      description: draft.description ?? current.description,
      tags: draft.tags === undefined ? current.tags : [...new Set(draft.tags)],
      // Others go on seeing the texts of the published version.
      publishedTexts: current.publishedVersion === null ? null : (current.publishedTexts ?? textsOf(current)),
      status,
      visibility: visibilityOf(draft.visibility) ?? current.visibility,
      revision: current.revision + 1,
      ...(changesGraph && storedForm(composeDocument(current.document, draft))),
      updatedBy: context.caller.id,
      updatedAt: timeOf(context),
    };
    await checkMayBePublic(tx, record);
    if (!(await tx.workflows.update(record, current.revision))) throw stale(current);
    if (current.visibility === "public" && record.visibility === "private") await tx.runs.hideOf(id);
    await auditVisibility(tx, current, record);
    if (changesGraph) await addEditor(tx, id, (current.publishedVersion ?? 0) + 1, context);
    await remember(
      tx,
      record,
      status === "archived" && current.status !== "archived" ? "archived" : "updated",
      context,
    );
    return record;
  });
}

function nextStatus(current: WorkflowRecord, wanted: string | undefined): WorkflowRecord["status"] {
  if (wanted === undefined || wanted === current.status) return current.status;
  if (wanted === "archived") return "archived";
  if (wanted === "published" && current.publishedVersion !== null) return "published";
  if (wanted === "published") {
    throw new AppError(
      "invalid_input",
      "A workflow becomes published by publish_workflow, which checks it first.",
      {
        nextAction: "Call publish_workflow.",
      },
    );
  }
  if (wanted === "draft" && current.publishedVersion === null) return "draft";
  const message =
    wanted === "draft"
      ? "A published workflow cannot become a draft again; archive it."
      : "The status must be draft, published or archived.";
  throw new AppError("invalid_input", message, {
    problems: [
      { pointer: "/status", message, expected: "draft, published or archived", given: wanted.slice(0, 60) },
    ],
  });
}

/** Deletes a draft. What was published or ran stays, because versions and runs refer to it; it can be archived. */
export async function deleteWorkflow(id: string, context: CallContext): Promise<void> {
  await context.services.store.transact(async (tx) => {
    const current = await existing(tx, id, context);
    if (!(await tx.workflows.remove(id))) {
      throw new AppError("conflict", "A workflow that was published or ran cannot be deleted.", {
        nextAction: "Archive it: it then starts no new runs, and its versions and runs stay.",
      });
    }
    await remember(tx, current, "deleted", context);
  });
}

/** What strangers see of a workflow once it is public, and what keeps it from being. */
export async function previewPublic(
  id: string,
  context: CallContext,
): Promise<{
  readonly workflow: WorkflowView;
  /** The same once the draft is published. */
  readonly next: WorkflowView;
  readonly secrets: readonly string[];
}> {
  const { store } = context.services;
  const record = await existing(store.read, id, context);
  const version =
    record.publishedVersion === null ? null : await store.read.workflows.version(id, record.publishedVersion);
  const shown: WorkflowRecord = { ...record, visibility: "public" };
  const seenOf = (stored: WorkflowRecord | WorkflowVersionRecord) => ({
    ...seenDocument("public", stored),
    accessLevel: "public" as const,
  });
  return {
    workflow: fullView(shown, seenOf(version ?? record)),
    next: fullView({ ...shown, publishedTexts: textsOf(record) }, seenOf(record)),
    secrets: await secretsIn(store.read.workflows, record),
  };
}

/** Publishes what the draft holds as an immutable version, if it is valid. Publishing the same again changes nothing. */
export async function publishWorkflow(
  id: string,
  context: CallContext,
  makePublic: boolean,
  revision?: number,
): Promise<{ record: WorkflowRecord; version: WorkflowVersionRecord }> {
  const { store } = context.services;
  const seen = await existing(store.read, id, context);
  if (revision !== undefined && revision !== seen.revision) throw stale(seen);
  if (seen.status === "archived") throw new AppError("conflict", "An archived workflow cannot be published.");
  const parsed = parseDocument(seen.document);
  const verdict = validateDocument(parsed, await loadView(parsed.document, context), id);
  if (!verdict.valid)
    throw invalid(
      `The workflow has ${verdict.errors} problems that keep it from being published.`,
      verdict.problems,
    );
  const at = timeOf(context);
  const client = clientOf(context);
  return store.transact(async (tx) => {
    const current = await existing(tx, id, context);
    if (current.revision !== seen.revision) throw stale(current);
    const newest =
      current.publishedVersion === null ? null : await tx.workflows.version(id, current.publishedVersion);
    const visibility = makePublic ? "public" : current.visibility;
    // What a program published, a person in a browser makes their own by publishing it again.
    const isOwn = context.caller.kind !== "person" || isByPerson(newest);
    const isSame = newest?.digest === current.digest && !hasNewTexts(current) && isOwn;
    if (newest !== null && isSame && current.status === "published" && current.visibility === visibility) {
      return { record: current, version: newest };
    }
    const version: WorkflowVersionRecord =
      newest !== null && isSame
        ? newest
        : {
            workflowId: id,
            version: (current.publishedVersion ?? 0) + 1,
            name: current.name,
            digest: documentDigest(parsed.document),
            document: documentJson(parsed.document),
            publishedAt: at,
            publishedBy: context.caller.id,
            publishedVia: client,
          };
    const record: WorkflowRecord = {
      ...current,
      status: "published",
      visibility,
      publishedVersion: version.version,
      publishedTexts: textsOf(current),
      document: version.document,
      digest: version.digest,
      revision: current.revision + 1,
      updatedBy: context.caller.id,
      updatedAt: at,
    };
    if (version !== newest) await tx.workflows.insertVersion(version);
    await checkMayBePublic(tx, record);
    if (!(await tx.workflows.update(record, current.revision))) throw stale(current);
    await auditVisibility(tx, current, record);
    await remember(tx, record, "published", context);
    await context.services.provenance.append(tx, [
      {
        kind: "workflow_version",
        subjectId: id,
        digest: version.digest,
        privacy: visibility === "public" ? "public" : "internal",
        predicate: {
          version: version.version,
          name: record.name,
          publishedAt: at,
          publishedBy: context.caller.id,
          schemaVersion: "suite.workflow.v1",
        },
      },
    ]);
    return { record, version };
  });
}

function isByPerson(version: WorkflowVersionRecord | null): boolean {
  return version?.publishedVia === null && version.publishedBy.startsWith("person_");
}

async function addEditor(tx: StoreTx, id: string, version: number, context: CallContext): Promise<void> {
  for (const name of authorNames(context.caller.id, clientOf(context)))
    await tx.workflows.addEditor(id, version, name);
}

async function remember(
  tx: StoreTx,
  record: WorkflowRecord,
  what: "created" | "updated" | "published" | "archived" | "deleted",
  context: CallContext,
): Promise<void> {
  const { id, name, revision, publishedVersion, digest, status } = record;
  const version = publishedVersion === null ? {} : { version: publishedVersion };
  const isPublic = record.visibility === "public" && publishedVersion !== null;
  await tx.events.append([
    {
      type: `svc.workflow.${what}`,
      subject: id,
      traceparent: traceparentOf(context.trace),
      data: { id, name, revision, ...version, digest, status, by: context.caller.id },
      publicData: isPublic ? { id, ...version, status } : null,
      madeIn: runOfCall(context.meta),
    },
  ]);
}

/** The workflow that is to be changed: the caller's own, or any with `read-private`. */
async function existing(
  { workflows }: Pick<StoreTx, "workflows">,
  id: string,
  { caller }: CallContext,
): Promise<WorkflowRecord> {
  const record = await workflows.get(id);
  const accessLevel = record === null ? null : workflowAccess(caller, record);
  if (record === null || accessLevel === null) throw missing(id);
  if (accessLevel !== "full")
    throw lackingScope(caller, "read-private", "changing the workflow of another caller");
  if (record.createdBy === GUARD_ID)
    throw new AppError("blocked", "The workflow of a guarded call cannot be changed.", {
      nextAction: "Create a workflow of your own, or have an admin change the rules of the guard.",
    });
  return record;
}

function stale(current: WorkflowRecord): AppError {
  return new AppError("conflict", `The workflow has changed: it is at revision ${current.revision}.`, {
    nextAction: "Read it again, apply your change to what it is now, and send that revision.",
    details: { revision: current.revision, digest: current.digest },
  });
}

function timeOf(context: CallContext): string {
  return new Date(context.services.clock.now()).toISOString();
}
