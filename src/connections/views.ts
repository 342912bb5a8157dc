import type {
  ConnectionCallView,
  ConnectionView,
  DefinitionDetail,
  DefinitionHeadView,
  DefinitionView,
  ConnectionCommand,
} from "../model/connections.ts";
import type {
  ConnectionCallRecord,
  ConnectionRecord,
  DefinitionHead,
  DefinitionListing,
  DefinitionRecord,
} from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { changesBetween, connectedTool } from "./definition.ts";

/** A connection as callers see it. */
function connectionView(record: ConnectionRecord): ConnectionView {
  const { command, privateOrigin, ...rest } = record;
  return {
    ...rest,
    ...(command !== null && { command: command.command, args: [...command.args], env: envView(command) }),
    transport: command !== null ? "stdio" : record.kind === "mcp" ? "streamable-http" : "http",
    allowPrivateOrigin: privateOrigin,
  };
}

/** The values of variables are write-only. */
function envView({ env, credentials }: ConnectionCommand): NonNullable<ConnectionView["env"]> {
  const plain = Object.keys(env).map((name) => [name, { set: true as const }] as const);
  const sealed = Object.entries(credentials).map(([name, credential]) => [name, { credential }] as const);
  return Object.fromEntries([...plain, ...sealed]);
}

/** A connection with what its credential says of itself. */
export async function fullView(record: ConnectionRecord, context: CallContext): Promise<ConnectionView> {
  const { credential } = record;
  if (credential === null) return connectionView(record);
  const known = await context.services.credentials.describe(credential, context.caller);
  return {
    ...connectionView(record),
    credentialState: known === null ? "missing" : known.state,
  };
}

/** A definition in a list. */
export function headView(head: DefinitionHead): DefinitionHeadView {
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
  record: DefinitionListing,
  { syncedAt }: Pick<ConnectionRecord, "syncedAt">,
): DefinitionView {
  return {
    ...headView(record),
    ...(Object.keys(record.overrides).length > 0 && { overrides: { ...record.overrides } }),
    ...(record.review !== null && { pending: { ...record.review, changes: [...record.review.changes] } }),
    // Every sync reads all that are there.
    syncedAt: record.state === "removed" ? record.syncedAt : (syncedAt ?? record.syncedAt),
  };
}

/** A definition with its schemas, and every change that waits. */
export function definitionView(record: DefinitionRecord, connection: ConnectionRecord): DefinitionDetail {
  const { inputSchema, outputSchema } = connectedTool(record, connection);
  const { request } = record.definition;
  const { review, pendingDefinition } = record;
  const changes =
    pendingDefinition !== null && review?.reason === "changed"
      ? { changes: [...changesBetween(record.definition, pendingDefinition)], moreChanges: 0 }
      : {};
  const shown = listedView(record, connection);
  return {
    ...shown,
    ...(shown.pending !== undefined && { pending: { ...shown.pending, ...changes } }),
    inputSchema,
    outputSchema,
    ...(request !== undefined && { request }),
    definition: record.definition,
  };
}

/** A call as its history shows it. */
export function callView(call: ConnectionCallRecord): ConnectionCallView {
  return { ...call };
}
