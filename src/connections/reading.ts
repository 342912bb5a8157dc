import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { sizeFor } from "../ports/settings.ts";
import type { ReadApi } from "../sources/api-definitions.ts";
import { OPENAPI_PLACES, parseDescription } from "../sources/documents.ts";
import { httpDefinitions } from "./http-definitions.ts";
import { baseOf, templateOf } from "./http-message.ts";
import { listMcp } from "./mcp-call.ts";
import type { ListedDefinition } from "../sources/api-definitions.ts";
import { RequestCredential } from "./request-credential.ts";
import type { ManagedConnections } from "./service.ts";

const DOCUMENT_MS = 20_000;

/** What a server offers, read again. */
export interface Offer {
  readonly definitions: readonly ListedDefinition[];
  /** What the server calls itself. */
  readonly title: string | null;
  /** Where its first operation is; null when it has none, or no address is stated. */
  readonly address: string | null;
}

/** A description that was found, read. */
interface FetchedApi extends ReadApi {
  readonly url: string;
}

/** Reads what a connection offers: lists the tools, or reads the API description. */
export async function readOffer(
  connection: ConnectionRecord,
  document: string | null,
  { sessions, index }: Pick<ManagedConnections, "sessions" | "index">,
  context: CallContext,
): Promise<Offer> {
  if (connection.kind === "mcp") {
    const { definitions } = await listMcp(sessions, connection, context);
    // What a server calls itself is offered to the person who adds it; it does not name itself before others.
    return { definitions, title: null, address: null };
  }
  if (connection.kind === "http") {
    const definitions = httpDefinitions(await ownRequests(document ?? "{}", context));
    for (const item of definitions.slice(0, 1)) baseOf(templateOf(item.about), connection.baseUrl);
    return { definitions, title: null, address: connection.baseUrl };
  }
  // What is known already does not come back from the thread that reads it.
  const known: Record<string, string> = {};
  for (const { connection: of, sourceName, state, digest } of index.heads)
    if (of === connection.name && (state === "active" || state === "hidden")) known[sourceName] = digest;
  const { summary, definitions, first } =
    document === null
      ? await fetchDescription(connection.url ?? "", connection, known, context)
      : await readPasted(document, connection.url ?? connection.baseUrl ?? "", known, context);
  const address = first === null ? null : baseOf(templateOf(first), connection.baseUrl).href;
  return { definitions, title: summary.title, address };
}

/** The largest document of a connection of kind http: what it says is parsed in this thread. */
const MAX_REQUESTS_CHARS = 1_048_576;

/** The document of a connection of kind http. */
export async function ownRequests(document: string, context: CallContext): Promise<JsonObject> {
  if (document.length > MAX_REQUESTS_CHARS) {
    throw new AppError(
      "too_large",
      `The requests have ${document.length} characters; ${MAX_REQUESTS_CHARS} are allowed.`,
      { nextAction: "Split them over several connections." },
    );
  }
  const read = await parseDescription(document, context);
  if (isJsonObject(read)) return read;
  throw new AppError("invalid_input", "The document is not an object.", {
    problems: [{ pointer: "/document", message: "must be an object, or its JSON or YAML text" }],
  });
}

/** Digests by the names of the definitions that are known; null when only the summary is wanted. */
type DefinitionDigests = Readonly<Record<string, string>>;

/** Reads a description in a worker thread: its size and contents are another's choice. */
async function read(
  bytes: Uint8Array,
  address: string,
  known: DefinitionDigests | null,
  { services, signal }: CallContext,
): Promise<ReadApi> {
  const url = URL.parse(address)?.origin ?? "";
  const { output, texts } = await services.workers.run("read_definitions", { url, known }, signal, bytes);
  return {
    ...output,
    definitions: output.definitions.map((item, at) => ({ ...item, text: texts[at] ?? "" })),
  };
}

/** Reads a description that was pasted or uploaded. */
export async function readPasted(
  document: string,
  address: string,
  known: DefinitionDigests | null,
  context: CallContext,
): Promise<ReadApi> {
  const api = await read(Buffer.from(document), address, known, context);
  if (api.summary.specification !== null) return api;
  throw new AppError("invalid_input", "The document is no OpenAPI or Swagger description.", {
    problems: [{ pointer: "/document", message: 'must have "openapi" or "swagger" with its version' }],
  });
}

type Reach = Pick<ConnectionRecord, "privateOrigin" | "credential">;

/** The API description at an address, or at the usual places below it. */
export async function fetchDescription(
  url: string,
  reach: Reach,
  known: DefinitionDigests | null,
  context: CallContext,
): Promise<FetchedApi> {
  const base = withoutTrailing(url, "/");
  const isDirect = /\.(?:json|ya?ml)$/i.test(url.split("?")[0] ?? "");
  const tried: string[] = [];
  let refusal: AppError | null = null;
  for (const address of isDirect ? [url] : [url, ...OPENAPI_PLACES.map((place) => `${base}${place}`)]) {
    tried.push(address);
    try {
      const found = await documentAt(address, reach, known, context);
      if (found !== null) return found;
    } catch (error) {
      // The address itself may be a page, or ask for a credential where the description asks for none; what is wrong
      // with the first place is what a person wants to know.
      const isAnswer =
        error instanceof AppError && (error.code === "invalid_input" || error.info.status !== undefined);
      if (!isAnswer) throw error;
      refusal ??= error;
    }
  }
  throw (
    refusal ??
    new AppError("not_found", `No OpenAPI or Swagger description was found at ${url.slice(0, 200)}.`, {
      nextAction: "Give the address of the description itself, or paste it as document.",
      details: { tried },
    })
  );
}

/** The description at exactly this address; null when there is none. */
async function documentAt(
  url: string,
  reach: Reach,
  known: DefinitionDigests | null,
  context: CallContext,
): Promise<FetchedApi | null> {
  const { services, signal, caller } = context;
  const maxBytes = sizeFor(caller, services.settings.documentBytes);
  const fetching = services.fetcher.fetch({
    url,
    trust: "keyed",
    signal,
    timeoutMs: DOCUMENT_MS,
    maxBytes,
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.5" },
    // A description may be as protected as its API.
    authorize: new RequestCredential(reach.credential, context, { isOptional: true }).authorize,
    ...(reach.privateOrigin !== null && { privateOrigin: reach.privateOrigin }),
  });
  const response = await fetching.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "too_large") throw error;
    throw new AppError(
      "too_large",
      `The description at ${url.slice(0, 200)} is larger than ${maxBytes} bytes.`,
      {
        nextAction: "An operator can raise the limit with SVC_DOCUMENT_LIMIT_MB.",
        details: { maxBytes },
      },
    );
  });
  if (response.status < 200 || response.status >= 300) {
    if (response.status === 401 || response.status === 403) {
      throw new AppError("unavailable", `The address ${url.slice(0, 200)} answered ${response.status}.`, {
        nextAction: "Name a credential whose hosts include this one, or paste the description as document.",
        status: response.status,
      });
    }
    return null;
  }
  if (isMarkup(response.body)) return null;
  const api = await read(response.body, response.url, known, context);
  return api.summary.specification === null ? null : { ...api, url: response.url };
}

/** True for a page where a description was looked for. */
function isMarkup(bytes: Uint8Array): boolean {
  return /^\s*</.test(Buffer.from(bytes.subarray(0, 256)).toString("utf8"));
}
