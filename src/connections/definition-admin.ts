import { AppError } from "../kernel/errors.ts";
import type { Static, TObject } from "typebox";
import type { DEFINITION_CHANGE, DefinitionOverrides } from "../model/connections.ts";
import type { ConnectionRecord, DefinitionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StoreTx } from "../ports/store.ts";
import { existing, missing, remember } from "./admin.ts";
import { GATEWAY, headOf } from "./definition.ts";
import type { ManagedConnections } from "./service.ts";
import { yieldToEventLoop } from "./event-loop.ts";

type DefinitionEdit = Static<TObject<typeof DEFINITION_CHANGE>>;

/** What an admin does to a definition. */
export type DefinitionChangeRequest =
  | { readonly kind: "accept"; readonly digest: string | null }
  | { readonly kind: "hide" }
  | { readonly kind: "edit"; readonly edit: DefinitionEdit };

/** Accepts, hides or edits a definition, in one transaction. */
export async function changeDefinition(
  connections: ManagedConnections,
  id: string,
  request: DefinitionChangeRequest,
  context: CallContext,
): Promise<DefinitionRecord> {
  const { record: found, connection } = await connections.record(id);
  const next = await context.services.store.transact(async (tx) => {
    const current = await tx.connections.definition(found.connection, found.sourceName);
    if (current === null) throw missing(found.connection);
    const changed = await changedBy(tx, current, request);
    await tx.connections.putDefinition(changed);
    await tx.connections.changed();
    const about = {
      definition: changed.name,
      action: request.kind,
      state: changed.state,
      digest: changed.digest,
    };
    await remember(tx, connection, "definition", about, context);
    return changed;
  });
  await connections.index.refresh(true);
  return next;
}

/** Accepts everything of a connection that waits. */
export async function acceptAll(
  connections: ManagedConnections,
  name: string,
  context: CallContext,
): Promise<readonly DefinitionRecord[]> {
  const connection = name === GATEWAY ? connections.gateway : await existing(connections, name);
  if (connection === null) throw missing(name);
  const { store } = context.services;
  const waiting = (await store.read.connections.heads(name)).filter(({ state }) => state === "quarantined");
  const accepted: DefinitionRecord[] = [];
  for (let from = 0; from < waiting.length; from += ACCEPTED_AT_ONCE) {
    const names = waiting.slice(from, from + ACCEPTED_AT_ONCE).map((head) => head.name);
    const next = await store.transact((tx) => acceptSome(tx, connection, names, context));
    // Only what lists show is kept while the others follow.
    accepted.push(...next.map((record) => ({ ...record, definition: {} })));
    await yieldToEventLoop();
  }
  await connections.index.refresh(true);
  return accepted;
}

/** Definitions that one transaction accepts: each has its schemas parsed, compared by digest and written. */
const ACCEPTED_AT_ONCE = 20;

async function acceptSome(
  tx: StoreTx,
  connection: ConnectionRecord,
  names: readonly string[],
  context: CallContext,
): Promise<readonly DefinitionRecord[]> {
  const next: DefinitionRecord[] = [];
  for (const name of names) {
    const record = await tx.connections.definition(connection.name, name);
    if (record?.state !== "quarantined") continue;
    const accepted = acceptedBy(record, null);
    await tx.connections.putDefinition(accepted);
    next.push(accepted);
  }
  await tx.connections.changed();
  const definitions = next.map((one) => one.name);
  await remember(tx, connection, "definition", { action: "accept", definitions }, context);
  return next;
}

async function changedBy(
  tx: StoreTx,
  record: DefinitionRecord,
  request: DefinitionChangeRequest,
): Promise<DefinitionRecord> {
  if (request.kind === "accept") return acceptedBy(record, request.digest);
  if (record.state === "removed") throw new AppError("conflict", "The definition is gone from its server.");
  if (request.kind === "hide") {
    if (record.state === "quarantined") {
      throw new AppError("conflict", "The definition waits to be accepted; it cannot be called anyway.", {
        nextAction: "Accept it first, or leave it in quarantine.",
      });
    }
    return { ...record, state: "hidden" };
  }
  const { name, overrides } = edited(request.edit, record);
  if (name !== record.name) {
    const other = await tx.connections.definition(record.connection, name);
    if (other !== null && other.sourceName !== record.sourceName) {
      throw new AppError("conflict", `There is a definition named "${name}" already.`);
    }
  }
  return { ...record, name, overrides, ...headOf(record.definition, overrides, record.sourceName) };
}

function acceptedBy(record: DefinitionRecord, digest: string | null): DefinitionRecord {
  if (record.state === "hidden") return { ...record, state: "active" };
  const { pendingDefinition, review } = record;
  if (record.state !== "quarantined" || pendingDefinition === null || review === null) {
    throw new AppError("conflict", `The definition does not wait to be accepted; it is ${record.state}.`);
  }
  const next = review.digest;
  if (digest !== null && digest !== next) {
    throw new AppError("conflict", "The definition has changed since you looked at it.", {
      nextAction: "Review the changes again.",
      details: { digest: next },
    });
  }
  return {
    ...record,
    ...headOf(pendingDefinition, record.overrides, record.sourceName),
    definition: pendingDefinition,
    pendingDefinition: null,
    review: null,
    digest: next,
    state: "active",
  };
}

/** Null takes a change back; what is left out stays. */
function edited(
  { name, ...edit }: DefinitionEdit,
  record: DefinitionRecord,
): { readonly name: string; readonly overrides: DefinitionOverrides } {
  const { title, description, effect, idempotent, idempotencyHeader, fixedArguments } = {
    ...record.overrides,
    ...edit,
  };
  return {
    name: name === undefined ? record.name : (name ?? record.sourceName),
    overrides: {
      ...(title != null && { title }),
      ...(description != null && { description }),
      ...(effect != null && { effect }),
      ...(idempotent != null && { idempotent }),
      ...(idempotencyHeader != null && { idempotencyHeader }),
      ...(fixedArguments != null && { fixedArguments }),
    },
  };
}
