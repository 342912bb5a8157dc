import { digestOf } from "../kernel/canonical-json.ts";
import type { JsonObject } from "../kernel/json.ts";
import type {
  ConnectionCallRecord,
  ConnectionRecord,
  DefinitionHead,
  DefinitionRecord,
} from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { bodyDigest, changesBetween, connectedTool } from "./definition.ts";
import { isNew } from "./pinning.ts";

/** A connection as callers see it. */
function connectionView(record: ConnectionRecord): JsonObject {
  const { command, privateOrigin, ...rest } = record;
  return {
    ...rest,
    ...(command !== null && { command: command.command, args: command.args, env: command.env }),
    transport: command !== null ? "stdio" : record.kind === "mcp" ? "streamable-http" : "http",
    allowPrivateOrigin: privateOrigin,
  };
}

/** A connection with what its credential says of itself. */
export async function fullView(record: ConnectionRecord, context: CallContext): Promise<JsonObject> {
  const { credential } = record;
  if (credential === null) return connectionView(record);
  const known = await context.services.credentials.describe(credential, context.caller);
  return {
    ...connectionView(record),
    credentialState: known === null ? "missing" : known.state,
  };
}

/** A definition in a list. */
export function headView(head: DefinitionHead): JsonObject {
  const { connection, name, sourceName, title, description, effect, idempotent, state, digest } = head;
  return {
    id: `${connection}:${name}`,
    name,
    ...(sourceName !== name && { sourceName }),
    title,
    description,
    effect,
    idempotent,
    state,
    digest,
  };
}

/** A definition in a list, with what waits to be accepted. */
export function listedView(
  record: DefinitionRecord,
  { syncedAt }: Pick<ConnectionRecord, "syncedAt">,
  others: readonly DefinitionRecord[] = [],
): JsonObject {
  return {
    ...headView(record),
    ...(Object.keys(record.overrides).length > 0 && { overrides: { ...record.overrides } }),
    ...pendingView(record, others),
    // Every sync reads all that are there.
    syncedAt: record.state === "removed" ? record.syncedAt : (syncedAt ?? record.syncedAt),
  };
}

/** A definition with its schemas. */
export function definitionView(
  record: DefinitionRecord,
  connection: ConnectionRecord,
  others: readonly DefinitionRecord[],
): JsonObject {
  const { inputSchema, outputSchema } = connectedTool(record, connection);
  const { request } = record.definition;
  return {
    ...listedView(record, connection, others),
    inputSchema,
    outputSchema,
    ...(request !== undefined && { request }),
    definition: record.definition,
  };
}

/** What waits to be accepted: new, renamed or changed, and how. */
function pendingView(record: DefinitionRecord, others: readonly DefinitionRecord[]): JsonObject {
  const { pendingDefinition: pending, definition } = record;
  if (record.state !== "quarantined" || pending === null) return {};
  const digest = digestOf(pending);
  if (!isNew(record)) {
    return { pending: { digest, reason: "changed", changes: changesBetween(definition, pending) } };
  }
  const body = bodyDigest(pending);
  const before = others.find((other) => other.state === "removed" && bodyDigest(other.definition) === body);
  return {
    pending: {
      digest,
      reason: before === undefined ? "new" : "renamed",
      ...(before !== undefined && { renamedFrom: before.name }),
      changes: before === undefined ? [] : changesBetween(before.definition, pending),
    },
  };
}

/** A call as its history shows it. */
export function callView(call: ConnectionCallRecord): JsonObject {
  return { ...call };
}
