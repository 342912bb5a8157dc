import { AppError } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import { lackingScope, listedFor, readsPrivate, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { ArtifactRecord, NewEvent } from "../ports/records.ts";
import { onceUnderKey } from "../ports/once.ts";
import type { PageRequest, StoreTx } from "../ports/store.ts";
import { listedView, readArtifact, type ArtifactDraft } from "./model.ts";

/*
 * Saved artifacts. A change, its event and its provenance are one transaction: an answer that says "saved" means that
 * all three are on disk.
 */

/** True when the caller sees this artifact: a public one, one of its own, or any with `read-private`. */
function sees(caller: Caller, { privacy, createdBy }: ArtifactRecord): boolean {
  return privacy === "public" || readsPrivate(caller, createdBy);
}

/** A page of saved artifacts without their contents: the public ones and the caller's own, or all with `read-private`. */
export async function listArtifacts(
  page: PageRequest,
  { services, caller }: CallContext,
): Promise<{ readonly artifacts: readonly JsonObject[]; readonly nextCursor: string | null }> {
  const { items, nextCursor } = await services.store.read.artifacts.list(page, listedFor(caller));
  return { artifacts: items.map(listedView), nextCursor };
}

/** A change that is on disk: the artifact as it is now, and the record of the change in the provenance log. */
export interface SavedArtifact {
  readonly record: ArtifactRecord;
  /** Null when nothing had to change. */
  readonly provenanceId: string | null;
}

/** What saving needs of a call. */
export type SavingContext = Pick<CallContext, "services" | "caller" | "trace" | "meta">;

/** Saves a new artifact. */
export async function saveArtifact(given: JsonObject, context: SavingContext): Promise<SavedArtifact> {
  return context.services.store.transact((tx) => insertArtifact(tx, given, context));
}

async function insertArtifact(
  tx: StoreTx,
  given: JsonObject,
  context: SavingContext,
): Promise<SavedArtifact> {
  const draft = readArtifact(given);
  const at = nowOf(context);
  const createdBy = context.caller.id;
  const place = { id: newId("artifact"), version: 1, createdBy, createdAt: at, updatedAt: at };
  const record = recordFrom(draft, place);
  await tx.artifacts.insert(record);
  return { record, provenanceId: await remember(tx, record, "svc.artifact.saved", context) };
}

/** Saves a new artifact once under the idempotency key of its call. */
export async function saveArtifactOnce(given: JsonObject, context: SavingContext): Promise<SavedArtifact> {
  return context.services.store.transact((tx) =>
    onceUnderKey(
      tx,
      context,
      { scope: "artifact.save", request: given },
      async ({ id, provenanceId }) => {
        const record = typeof id === "string" ? await tx.artifacts.version(id, 1) : null;
        if (record === null) return null;
        return { record, provenanceId: typeof provenanceId === "string" ? provenanceId : null };
      },
      async () => {
        const made = await insertArtifact(tx, given, context);
        return { made, answer: { id: made.record.id, provenanceId: made.provenanceId } };
      },
    ),
  );
}

/** Adds a version. The caller may name the version it was made from; a stale one is a conflict. */
export async function updateArtifact(
  id: string,
  given: JsonObject,
  expectedVersion: number | null,
  context: CallContext,
): Promise<SavedArtifact> {
  return context.services.store.transact(async (tx) => {
    const current = await changeable(tx, id, context.caller);
    if (expectedVersion !== null && expectedVersion !== current.version) throw stale(id, current.version);
    const draft = readArtifact({ ...current.content, ...given });
    if (draft.digest === current.digest) return { record: current, provenanceId: null };
    const record = recordFrom(draft, nextOf(current, nowOf(context)));
    if (!(await tx.artifacts.update(record))) throw stale(id, current.version);
    return { record, provenanceId: await remember(tx, record, "svc.artifact.updated", context) };
  });
}

/** Leaves a tombstone: the content is no longer served, the provenance stays. */
export async function deleteArtifact(id: string, context: CallContext): Promise<SavedArtifact> {
  return context.services.store.transact(async (tx) => {
    const current = await changeable(tx, id, context.caller);
    const at = nowOf(context);
    const draft = readArtifact({ title: current.title, type: current.type, privacy: current.privacy });
    const record: ArtifactRecord = {
      ...recordFrom(draft, nextOf(current, at)),
      deletedAt: at,
    };
    if (!(await tx.artifacts.update(record))) throw stale(id, current.version);
    return { record, provenanceId: await remember(tx, record, "svc.artifact.deleted", context) };
  });
}

/** The artifact, in its newest version or in another, or `not_found`, which says so when it was deleted. */
export async function findArtifact(
  id: string,
  { services: { store }, caller }: CallContext,
  wanted?: number,
): Promise<ArtifactRecord> {
  const record = await store.read.artifacts.get(id);
  // A private artifact of another caller is like one that does not exist, as in the lists.
  if (record === null || !sees(caller, record)) throw missing(id);
  if (record.deletedAt !== null) throw deleted(record);
  if (wanted === undefined) return record;
  const version = await store.read.artifacts.version(id, wanted);
  if (version !== null && sees(caller, version)) return version;
  throw new AppError("not_found", `Artifact ${id} has no version ${wanted}.`);
}

async function changeable(tx: StoreTx, id: string, caller: Caller): Promise<ArtifactRecord> {
  const record = await tx.artifacts.get(id);
  if (record === null || record.deletedAt !== null || !sees(caller, record)) throw missing(id);
  if (!readsPrivate(caller, record.createdBy))
    throw lackingScope(caller, "read-private", "changing the artifact of another caller");
  return record;
}

async function remember(
  tx: StoreTx,
  record: ArtifactRecord,
  type: string,
  context: SavingContext,
): Promise<string | null> {
  const about = { id: record.id, version: record.version, privacy: record.privacy };
  const event: NewEvent = {
    type,
    subject: record.id,
    traceparent: traceparentOf(context.trace),
    data: { ...about, title: record.title, type: record.type, digest: record.digest, by: context.caller.id },
    publicData: record.privacy === "public" ? { ...about, title: record.title, type: record.type } : null,
    madeIn: runOfCall(context.meta),
  };
  const fact: ProvenanceFact = {
    kind: "artifact_version",
    subjectId: record.id,
    digest: record.digest,
    privacy: record.privacy,
    predicate: { artifactId: record.id, version: record.version, change: type, by: context.caller.id },
  };
  await tx.events.append([event]);
  const [recordId] = await context.services.provenance.append(tx, [fact]);
  return recordId ?? null;
}

type Place = Pick<ArtifactRecord, "id" | "version" | "createdBy" | "createdAt" | "updatedAt">;

function nextOf({ id, version, createdBy, createdAt }: ArtifactRecord, updatedAt: string): Place {
  return { id, version: version + 1, createdBy, createdAt, updatedAt };
}

function recordFrom(draft: ArtifactDraft, place: Place): ArtifactRecord {
  const { title, type, privacy, digest, content } = draft;
  return { ...place, title, type, privacy, digest, content, deletedAt: null };
}

function nowOf(context: SavingContext): string {
  return new Date(context.services.clock.now()).toISOString();
}

function missing(id: string): AppError {
  return noRecord("artifact", id, `No saved artifact has the id ${id.slice(0, 100)}.`);
}

/** A tombstone is no artifact. That there was one is shown to callers who could see it. */
function deleted(record: ArtifactRecord): AppError {
  return new AppError("not_found", `The artifact ${record.id} was deleted at ${record.deletedAt}.`, {
    nextAction: "Its provenance is still there: call lookup_svc_provenance with artifactId.",
    details: { id: record.id, deletedAt: record.deletedAt, version: record.version, persisted: false },
  });
}

function stale(id: string, version: number): AppError {
  return new AppError("conflict", `Artifact ${id} is at version ${version} by now.`, {
    nextAction: "Read it again, apply your change to what it is now, and name that version.",
    details: { currentVersion: version },
  });
}
