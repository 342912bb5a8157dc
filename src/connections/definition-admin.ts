import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import {
  CONNECTED_EFFECTS,
  type ConnectionRecord,
  type DefinitionOverrides,
  type DefinitionRecord,
} from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { StoreTx } from "../ports/store.ts";
import { existing, missing, remember } from "./admin.ts";
import { DEFINITION_NAME, GATEWAY, headOf } from "./definition.ts";
import type { ManagedConnections } from "./service.ts";
import { nextTurn } from "./turns.ts";

/** What an admin does to a definition. */
export type DefinitionChangeRequest =
  | { readonly kind: "accept"; readonly digest: string | null }
  | { readonly kind: "hide" }
  | { readonly kind: "edit"; readonly body: Json | undefined };

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
    await nextTurn();
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
  const { name, overrides } = readEdit(request.body, record);
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
      nextAction: "Look at its difference again.",
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

const EDITS = ["name", "title", "description", "effect", "idempotent", "idempotencyHeader", "fixedArguments"];

function readEdit(
  body: Json | undefined,
  record: DefinitionRecord,
): { readonly name: string; readonly overrides: DefinitionOverrides } {
  const given = isJsonObject(body) ? body : {};
  const unknown = Object.keys(given).filter((name) => !EDITS.includes(name));
  const bad = (pointer: string, message: string, expected: string): AppError =>
    new AppError("invalid_input", message, { problems: [{ pointer, message, expected }] });
  if (unknown.length > 0)
    throw bad(`/${unknown[0] ?? ""}`, `"${unknown[0] ?? ""}" is not known here.`, EDITS.join(", "));
  const name = given["name"] === undefined ? record.name : (given["name"] ?? record.sourceName);
  if (typeof name !== "string" || !DEFINITION_NAME.test(name)) {
    throw bad("/name", "The name is not fit.", "letters, digits, _ . - (at most 128)");
  }
  const next: Record<string, Json | undefined> = { ...record.overrides };
  for (const [field, check] of Object.entries(CHECKS)) {
    const value = given[field];
    if (value === undefined) continue;
    if (value === null) delete next[field];
    else if (check.fits(value)) next[field] = value;
    else throw bad(`/${field}`, `${field} is not fit.`, check.expected);
  }
  return { name, overrides: overridesFrom(next) };
}

const CHECKS: Readonly<Record<string, { fits: (value: Json) => boolean; expected: string }>> = {
  title: { fits: (value) => typeof value === "string" && value.length <= 300, expected: "a text or null" },
  description: {
    fits: (value) => typeof value === "string" && value.length <= 4_000,
    expected: "a text or null",
  },
  effect: {
    fits: (value) => CONNECTED_EFFECTS.some((known) => known === value),
    expected: `${CONNECTED_EFFECTS.join(", ")} or null`,
  },
  idempotent: { fits: (value) => typeof value === "boolean", expected: "true, false or null" },
  idempotencyHeader: {
    fits: (value) => typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value),
    expected: "the name of a header, or null",
  },
  fixedArguments: { fits: (value) => isJsonObject(value), expected: "an object of arguments, or null" },
};

function overridesFrom(given: JsonObject): DefinitionOverrides {
  const { title, description, idempotent, idempotencyHeader, fixedArguments } = given;
  const effect = CONNECTED_EFFECTS.find((known) => known === given["effect"]);
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(effect !== undefined && { effect }),
    ...(typeof idempotent === "boolean" && { idempotent }),
    ...(typeof idempotencyHeader === "string" && { idempotencyHeader }),
    ...(isJsonObject(fixedArguments) && { fixedArguments }),
  };
}
