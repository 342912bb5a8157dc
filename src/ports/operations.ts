import type { Static, TObject, TSchema } from "typebox";
import type { NotDone, Written } from "../kernel/envelope.ts";
import type { Problem } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { Given } from "../model/common.ts";
import { SCOPES, type Scope } from "../model/scopes.ts";
import type { Caller } from "./caller.ts";
import type { AsksSibling, CallContext, Effect } from "./definitions.ts";
import type { HttpAnswer, HttpRequest, RequestFacts } from "./http.ts";
import type { Route, Services } from "./services.ts";

/** Who may call: everybody, everybody with more for those who are known, who is known, who is signed in, or who holds scopes. */
export type OperationAccess =
  | "public"
  | "mixed"
  | "key"
  | "person"
  | Scope
  | {
      readonly all: readonly Scope[];
      /** With this value in the query every known caller may: it names what is the caller's own. */
      readonly except?: { readonly member: string; readonly value: string };
    }
  | { readonly any: readonly Scope[] };

/** The scopes that a caller needs: all of `all`, and one of `any` unless that is empty. */
export function scopesFor(access: OperationAccess): {
  readonly all: readonly Scope[];
  readonly any: readonly Scope[];
} {
  if (typeof access === "object")
    return "all" in access ? { all: access.all, any: [] } : { all: [], ...access };
  const scope = SCOPES.find((one) => one === access);
  return { all: scope === undefined ? [] : [scope], any: [] };
}

/** The methods that an operation can have. */
export type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** What a handler gets besides its input, whichever way the call came. */
interface ToolCall {
  readonly caller: Caller;
  readonly services: Services;
  readonly context: CallContext;
}

/** The same for an operation that only REST reaches. */
export interface OperationCall extends ToolCall {
  readonly request: RequestFacts;
  /** The body of an operation with `wholeBody`, which checks it itself; undefined for every other. */
  readonly wholeBody: Json | undefined;
  /** The same of an operation with `bodyType`. */
  readonly bytes: Buffer | undefined;
}

/** The same for an operation of a protocol, whose library reads the request. */
interface ProtocolCall extends OperationCall {
  readonly request: HttpRequest;
}

/** What every operation declares: the one source of its checks, its lists, OpenAPI, the client and the reference. */
export interface Declaration<I extends TObject = TObject, O extends TSchema = TSchema> {
  /** `verb_noun`; unique among all operations. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly access: OperationAccess;
  readonly effect: Effect;
  /** Calling again with the same input changes nothing more. */
  readonly idempotent: boolean;
  readonly input: I;
  /** JSON: the schema of `data` in the envelope. Otherwise: of the content. */
  readonly output: O;
  readonly examples?: readonly Static<I>[];
  /** What the input's schema cannot say; reported like what it says. */
  rules?(input: Static<I>, now: number): readonly Problem[];
}

/** What an operation declares that REST reaches. */
export interface OperationDeclaration<
  I extends TObject = TObject,
  O extends TSchema = TSchema,
> extends Declaration<I, O> {
  /** `METHOD /path/{member}`. Members of the input that the path does not name travel in the query of a GET or DELETE, and in the body of a POST or PATCH. */
  readonly http: `${HttpMethod} /${string}`;
  /** Other paths of the same operation. */
  readonly aliases?: readonly `/${string}`[];
  /** The schema of a body that is one value in a format of its own: `call.wholeBody` holds it, the handler checks it. */
  readonly wholeBody?: TSchema;
  /** Members of a POST or PATCH that travel in the query. */
  readonly inQuery?: readonly string[];
  /** Parameters of the query that the input does not name are left out, not refused: another service, a cache or a monitor chooses them. */
  readonly ignoresOthers?: true;
  /** The status of a success; 200 without it. 303 sends a browser on. */
  readonly status?: 201 | 202 | 303;
  /** Other statuses that a `Reply` has without being a refusal, each with when. */
  readonly otherStatuses?: Readonly<Partial<Record<200 | 202, string>>>;
  /** Takes a member `document` of up to SVC_DOCUMENT_LIMIT_MB; a large one reaches the handler as text. */
  readonly largeDocument?: true;
}

/** What a handler gives: the data, or an answer with more than that. */
type Result<T> = Given<T> | Reply<Given<T>> | NotDone | Written;

/** What a tool declares: an operation that MCP reaches by its name. Its input is a fixed interface. */
interface ToolDeclaration<I extends TObject, O extends TSchema> extends Declaration<I, O> {
  /** Set when REST reaches it too. */
  readonly http?: OperationDeclaration["http"];
  readonly access: "public" | Scope;
  /** Talks to systems outside this service. */
  readonly openWorld: boolean;
  /** Who has to confirm what it does; a tool without it is done when it has answered. */
  readonly asks?: AsksSibling;
  /** A call that is repeated under the same idempotency key has one effect, and the same answer. */
  readonly keyed?: true;
  /** Decides an approval. A run never may: its own approvals would mean nothing. */
  readonly decidesApprovals?: true;
  /** Answers from memory or with one page of records: goes ahead of calls that wait for their turn. */
  readonly quick?: true;
  /**
   * Its answer may be a run that goes on, which clients follow as a task. `own`: it starts the run itself. Otherwise the
   * call becomes a durable run for clients that know tasks; `required` serves no others.
   */
  readonly task?: "own" | "optional" | "required";
  /** The MCP App that shows this tool's result, if one does. */
  readonly ui?: string;
  run(input: Static<I>, call: ToolCall): Promise<Result<Static<O>>> | Result<Static<O>>;
}

/** An operation that MCP reaches by its name. */
export interface Tool<I extends TObject = TObject, O extends TSchema = TSchema> extends ToolDeclaration<
  I,
  O
> {
  readonly tool: true;
}

/** What has no effect is idempotent; everything else says whether it is. */
type EffectDeclared =
  | { readonly effect: "none"; readonly idempotent?: boolean }
  | { readonly effect: Exclude<Effect, "none">; readonly idempotent: boolean };

/** What is reached by a GET has no effect. */
type HttpDeclared =
  | { readonly http: `GET /${string}`; readonly effect?: "none"; readonly idempotent?: boolean }
  | ({ readonly http: `${Exclude<HttpMethod, "GET">} /${string}` } & EffectDeclared);

/** A declaration as it is written: without what follows from the rest of it. */
type Short<T extends OperationDeclaration> = Omit<T, "http" | "effect" | "idempotent"> & HttpDeclared;

/** Declares a tool; the input and the answer of `run` are typed by their schemas. Without `openWorld` it stays in this service. */
export function defineTool<I extends TObject, O extends TSchema>(
  tool: Omit<ToolDeclaration<I, O>, "effect" | "idempotent" | "openWorld"> &
    EffectDeclared & { readonly openWorld?: boolean },
): Tool<I, O> {
  return { openWorld: false, idempotent: tool.effect === "none", ...tool, tool: true };
}

/** Declares the tools of a file. */
export function toolList(): {
  readonly defineTool: typeof defineTool;
  /** What was declared with it, in the order in which it is listed. */
  readonly declared: readonly Tool[];
} {
  const declared: Tool[] = [];
  return {
    declared,
    defineTool(given) {
      const tool = defineTool(given);
      declared.push(tool);
      return tool;
    },
  };
}

/** An operation that answers with an envelope. `Parts` is what it needs beyond the services: its domain's own objects. */
export interface JsonOperation<
  I extends TObject = TObject,
  O extends TSchema = TSchema,
  Parts = never,
> extends OperationDeclaration<I, O> {
  readonly kind?: "json";
  isServed?(parts: Parts): boolean;
  run(input: Static<I>, call: OperationCall, parts: Parts): Promise<Result<Static<O>>> | Result<Static<O>>;
}

/** An operation that answers with something else: a file, a page for a browser, a redirect, or a stream of events. */
export interface ContentOperation<
  I extends TObject = TObject,
  O extends TSchema = TSchema,
  Parts = never,
> extends OperationDeclaration<I, O> {
  readonly kind: "file" | "page" | "redirect" | "stream";
  readonly contentType: string;
  /** The media type of a body that is not JSON; `call.bytes` holds it. */
  readonly bodyType?: string;
  /** The largest body of such a type; 16 KiB without it. */
  readonly maxBodyBytes?: number;
  /** The request proves who sent it in its own way: its Authorization header holds no key of ours. */
  readonly provesItself?: true;
  isServed?(parts: Parts): boolean;
  answer(input: Static<I>, call: OperationCall, parts: Parts): Promise<HttpAnswer> | HttpAnswer;
}

/**
 * An operation of a protocol with requests, answers and errors of its own (OAuth, OpenID Connect), which its library
 * checks. `input` and `output` describe it.
 */
export interface ProtocolOperation<Parts = never> extends OperationDeclaration {
  readonly kind: "protocol";
  readonly contentType: string;
  /** The media type of a body that is not JSON; `call.request.bytes` holds it. */
  readonly bodyType?: string;
  /** The largest body; 16 KiB for forms without it. */
  readonly maxBodyBytes?: number;
  /** The protocol's own errors, where they are not ours: a text is a page. */
  readonly failure?: TSchema;
  isServed?(parts: Parts): boolean;
  handle(call: ProtocolCall, parts: Parts): Promise<HttpAnswer> | HttpAnswer;
}

/** An operation as lists hold it. One with `isServed` exists only where that is true of this service's settings. */
export type Operation<Parts = never> =
  | JsonOperation<TObject, TSchema, Parts>
  | ContentOperation<TObject, TSchema, Parts>
  | ProtocolOperation<Parts>;

/** An answer that needs more than its data. */
export class Reply<T> {
  readonly data: T;
  /** False when what was asked did not happen. */
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly status: number | undefined;

  constructor(data: T, more: Partial<Omit<Reply<T>, "data">> = {}) {
    this.data = data;
    this.ok = more.ok ?? true;
    this.headers = more.headers ?? {};
    this.status = more.status;
  }
}

/** Declares operations of a domain; the input and the answer of `run` are typed by their schemas. */
export function operationsWith<Parts>(): {
  readonly operation: <I extends TObject, O extends TSchema>(
    given: Short<JsonOperation<I, O, Parts>>,
  ) => Operation<Parts>;
  readonly contentOperation: <I extends TObject, O extends TSchema>(
    given: Short<ContentOperation<I, O, Parts>>,
  ) => Operation<Parts>;
  readonly protocolOperation: (given: Omit<Short<ProtocolOperation<Parts>>, "kind">) => Operation<Parts>;
  /** What was declared with them, in the order in which it is listed. */
  readonly declared: readonly Operation<Parts>[];
} {
  const declared: Operation<Parts>[] = [];
  const noted = (operation: Operation<Parts>): Operation<Parts> => {
    declared.push(operation);
    return operation;
  };
  return {
    declared,
    operation: (given) => noted({ ...effectOf(given), ...given }),
    contentOperation: (given) => noted({ ...effectOf(given), ...given }),
    protocolOperation: (given) => noted({ ...effectOf(given), ...given, kind: "protocol" }),
  };
}

/** The effect of an operation, and whether repeating it changes nothing more, where its declaration leaves them out. */
function effectOf({
  effect = "none",
  idempotent,
}: Partial<Pick<Declaration, "effect" | "idempotent">>): Pick<Declaration, "effect" | "idempotent"> {
  return { effect, idempotent: idempotent ?? effect === "none" };
}

/** A page of a list, from the members of PAGE_INPUT. */
export function pageIn({ limit, cursor }: { readonly limit?: number; readonly cursor?: string }): {
  readonly limit: number;
  readonly cursor?: string;
} {
  return { limit: limit ?? 50, ...(cursor !== undefined && { cursor }) };
}

/** The method and the path of an operation. */
export function routeOfOperation({ http }: Pick<OperationDeclaration, "http">): {
  readonly method: HttpMethod;
  readonly path: string;
} {
  const [method, path = ""] = http.split(" ");
  const known = METHODS.find((one) => one === method);
  if (known === undefined) throw new TypeError(`${http} does not begin with a method`);
  return { method: known, path };
}

/** What the route of an operation asks of a caller before its scopes are looked at. */
export function routeAccess(access: OperationAccess): Route["access"] {
  return access === "public" || access === "mixed" || access === "person" ? access : "key";
}

/** Where each member of an operation's input travels. */
export function placesOf(operation: Pick<OperationDeclaration, "http" | "input" | "inQuery">): {
  readonly path: readonly string[];
  readonly query: readonly string[];
  readonly body: readonly string[];
} {
  const { method, path } = routeOfOperation(operation);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const rest = Object.keys(operation.input.properties).filter((name) => !inPath.includes(name));
  if (method === "GET" || method === "DELETE") return { path: inPath, query: rest, body: [] };
  const query = rest.filter((name) => operation.inQuery?.includes(name) === true);
  return { path: inPath, query, body: rest.filter((name) => !query.includes(name)) };
}

const METHODS = ["GET", "POST", "PATCH", "DELETE"] as const;
