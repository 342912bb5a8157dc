import type { Envelope, NotDone } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type {
  CONNECTED_EFFECTS,
  ConnectionKind,
  CONNECTION_STATES,
  DEFINITION_STATES,
} from "../model/connection-states.ts";
import type {
  ConnectionCallView,
  ConnectionCommand,
  DefinitionOverrides,
  DefinitionReview,
  SyncReportView,
} from "../model/connections.ts";
import type { Caller } from "./caller.ts";
import type { CallContext, Effect } from "./definitions.ts";
import type { Page, PageRequest } from "./store.ts";

/** Whether the last contact with a connection succeeded; `syncing` while a large offer is stored in several transactions. */
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** A server or API that an admin has added under a short name. */
export interface ConnectionRecord {
  readonly name: string;
  readonly kind: ConnectionKind;
  readonly title: string;
  /** The MCP endpoint, or the address of the API description; null when a document or a command was given. */
  readonly url: string | null;
  readonly command: ConnectionCommand | null;
  /** Replaces the address that the API description names. */
  readonly baseUrl: string | null;
  /** The name of the credential that calls use. */
  readonly credential: string | null;
  /** The one private `host:port` that this connection may reach. */
  readonly privateOrigin: string | null;
  readonly state: ConnectionState;
  /** What the last contact failed with, in our words; null when it succeeded. */
  readonly problem: string | null;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly owner: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The effect of a connected definition. */
export type ConnectedEffect = (typeof CONNECTED_EFFECTS)[number];

/** Whether a definition can be called. */
type DefinitionState = (typeof DEFINITION_STATES)[number];

/** What is needed to find and to check a definition, without its schemas. */
export interface DefinitionHead {
  readonly connection: string;
  /** The name that callers use. */
  readonly name: string;
  /** The name at the server. */
  readonly sourceName: string;
  readonly title: string;
  readonly description: string;
  readonly effect: ConnectedEffect;
  readonly idempotent: boolean;
  readonly state: DefinitionState;
  /** Digest of the accepted definition. */
  readonly digest: string;
}

/** A definition in a list: without what it says. */
export interface DefinitionListing extends DefinitionHead {
  /** Null unless the definition waits. */
  readonly review: DefinitionReview | null;
  readonly overrides: DefinitionOverrides;
  readonly syncedAt: string;
}

/** A tool or an operation of a connection, pinned by digest. */
export interface DefinitionRecord extends DefinitionListing {
  /** In the shape of an MCP tool (`inputSchema`, `outputSchema`, `annotations`), with `request` for HTTP operations. */
  readonly definition: JsonObject;
  /** The new definition that waits for an admin; the same as `definition` when it was never accepted. */
  readonly pendingDefinition: JsonObject | null;
}

/** One call of a definition, kept for a while. Secrets are taken out of what it was given and answered. */
export type ConnectionCallRecord = ConnectionCallView;

/** Connections, their definitions and the last calls. */
export interface ConnectionStore {
  /** False when the name is taken. `document` is JSON or YAML text. */
  insert(record: ConnectionRecord, document: string | null): Promise<boolean>;
  get(name: string): Promise<ConnectionRecord | null>;
  /** The description that was uploaded or written here, as JSON or YAML text. */
  document(name: string): Promise<string | null>;
  /** True when a description was uploaded or written here. */
  hasDocument(name: string): Promise<boolean>;
  /** By name. */
  list(page: PageRequest): Promise<Page<ConnectionRecord>>;
  /** Leaves the document as it is when none is given. */
  update(record: ConnectionRecord, document?: string | null): Promise<boolean>;
  /** Notes what was observed, without counting as a change; one that is syncing stays that. */
  observe(
    name: string,
    seen: Pick<ConnectionRecord, "state" | "problem"> & { readonly checkedAt: string },
  ): Promise<void>;
  /** With its definitions and calls. */
  remove(name: string): Promise<boolean>;
  putDefinition(record: DefinitionRecord): Promise<void>;
  /** Stores one that was not known, given as JSON text; one that is not accepted waits. */
  addDefinition(head: DefinitionHead, text: string, syncedAt: string): Promise<void>;
  /** Notes that a definition is gone from its server. */
  dropDefinition(connection: string, sourceName: string, syncedAt: string): Promise<void>;
  /** Notes that every definition that is not removed was read again: for the gateway, which has no record that says so. */
  touchDefinitions(connection: string, syncedAt: string): Promise<void>;
  /** By the name that callers use, or else by the one at the server. */
  definition(connection: string, name: string): Promise<DefinitionRecord | null>;
  definitions(connection: string): Promise<readonly DefinitionRecord[]>;
  /** The same for lists. */
  listing(connection: string): Promise<readonly DefinitionListing[]>;
  /** Of one connection, or of all. */
  heads(connection?: string): Promise<readonly DefinitionHead[]>;
  insertCalls(calls: readonly ConnectionCallRecord[], keepEach: number): Promise<void>;
  /** Newest first. */
  calls(
    filter: { readonly connection?: string; readonly definition?: string; readonly by?: string },
    page: PageRequest,
  ): Promise<Page<ConnectionCallRecord>>;
  /** Grows with every change of a connection or definition. */
  revision(): Promise<number>;
  /** Counts one change; other replicas then read again. */
  changed(): Promise<void>;
}

/** A connected definition as validator, planner and dispatcher see it. */
export interface ConnectedTool extends DefinitionHead {
  /** `connection:name` */
  readonly id: string;
  readonly inputSchema: JsonObject;
  /** Schema of `data` in the envelope of a successful call. */
  readonly outputSchema: JsonObject | null;
  /** Digest of all that decides what a call does: definition, fixed arguments, address and credential. */
  readonly pin: string;
  /** The effect in the terms of our own tools. */
  readonly toolEffect: Effect;
  readonly credential: string | null;
  readonly reachable: ConnectionState;
}

/** Connected definitions are for callers with a key; the canonical gateway's tools are known to everybody. */
export function maySee(caller: Caller, connection: string): boolean {
  return caller.kind !== "anonymous" || connection === "mcp";
}

/** The tools of servers that people bring, called by `connection:name`. */
export interface Connections {
  /** What is known at once of a definition, for decisions that cannot wait. */
  head(id: string): DefinitionHead | undefined;
  /** A definition that can be called; null when there is none of this name. */
  find(id: string): Promise<ConnectedTool | null>;
  /** Every definition of every connection, in whatever state. */
  heads(): Promise<readonly DefinitionHead[]>;
  /** Definitions whose name, title or description has all words of a text. */
  search(text: string, limit: number): Promise<readonly DefinitionHead[]>;
  /** Calls a definition: checks state, arguments and dry run, sends, and records the call. Throws AppError. */
  call(id: string, args: JsonObject, context: CallContext): Promise<Envelope>;
  /** Reads the canonical gateway's tools again and accepts the new ones. */
  syncGateway(context: CallContext): Promise<SyncReportView | NotDone>;
  close(): Promise<void>;
}
