import type { Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Connections } from "./connections.ts";
import type { Credentials } from "./credentials.ts";
import type { CallContext, Prompt, Resource } from "./definitions.ts";
import type { Engine } from "./engine.ts";
import type { Guard } from "./guard.ts";
import type { HttpMethod, Operation, Tool } from "./operations.ts";
import type { StepUp } from "./passkeys.ts";
import type { Clock, Fetcher, Log, SchemaValidator, SpanExporter, Workers } from "./platform.ts";
import type { Provenance } from "./provenance.ts";
import type { Rights } from "./rights.ts";
import type { Settings } from "./settings.ts";
import type { Siblings } from "./siblings.ts";
import type { Store } from "./store.ts";

/** What a gateway serves. */
export interface Registry {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
}

/** The registry as the domains see it: the lists, and a call that checks rights and arguments. */
export interface Catalog extends Registry {
  tool(name: string): Tool | undefined;
  /** Runs a tool with the caller's rights. Throws AppError on bad arguments or missing rights. */
  call(name: string, args: JsonObject, context: CallContext): Promise<Envelope>;
}

/** An HTTP route of this service, as documentation and compliance checks list it. */
export interface Route {
  readonly method: HttpMethod;
  readonly path: string;
  /** `key`: a key or a signed-in person. `person`: a signed-in person only. */
  readonly access: "public" | "mixed" | "key" | "person";
  /** What is done there, with its input and its output. */
  readonly operation: Operation;
}

/** True for a method whose request carries a JSON body. */
export function takesBody(method: Route["method"]): boolean {
  return method === "POST" || method === "PATCH";
}

/** The service's own surface, callable in process, so that reports are computed and not claimed. */
export interface Site {
  readonly routes: readonly Route[];
  request(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;
  /** Runs an operation of REST by its name, with the rights of the context's caller. Throws AppError. */
  perform(name: string, input: JsonObject, context: CallContext): Promise<Envelope>;
}

/** What the domains work with. Wired once, in `app.ts`. */
export interface Services {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly guard: Guard;
  readonly site: Site;
  readonly fetcher: Fetcher;
  readonly siblings: Siblings;
  readonly engine: Engine;
  readonly provenance: Provenance;
  readonly validator: SchemaValidator;
  readonly workers: Workers;
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly stepUp: StepUp;
  readonly rights: Rights;
  /** Where spans go; absent without a collector. */
  readonly spans?: SpanExporter;
}
