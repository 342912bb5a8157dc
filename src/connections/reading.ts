import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { OPENAPI_PLACES, parseDescription } from "../sources/documents.ts";
import { httpDefinitions } from "./http-definitions.ts";
import { baseOf, templateOf } from "./http-message.ts";
import { listMcp } from "./mcp-call.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import { openapiDefinitions, titleOfApi } from "./openapi-definitions.ts";
import type { ListedDefinition } from "./pinning.ts";

/** The largest description that is fetched. */
const MAX_DOCUMENT_BYTES = 24 * 1024 * 1024;
const DOCUMENT_MS = 20_000;

/** What a server offers, read anew. */
export interface Offer {
  readonly definitions: readonly ListedDefinition[];
  /** What the server calls itself. */
  readonly title: string | null;
}

/** Where a description is found, and what it says. */
export interface FoundDocument {
  readonly document: Record<string, unknown>;
  readonly url: string;
}

/** Reads what a connection offers: lists the tools, or reads the API description. */
export async function readOffer(
  connection: ConnectionRecord,
  document: JsonObject | null,
  sessions: McpSessions,
  context: CallContext,
): Promise<Offer> {
  if (connection.kind === "mcp")
    return { definitions: await listMcp(sessions, connection, context), title: null };
  if (connection.kind === "http") {
    const definitions = httpDefinitions(document ?? {});
    for (const { definition } of definitions.slice(0, 1)) baseOf(templateOf(definition), connection.baseUrl);
    return { definitions, title: null };
  }
  const found =
    document === null
      ? await fetchDescription(connection.url ?? "", connection, context)
      : { document: { ...document }, url: connection.url ?? connection.baseUrl ?? "" };
  const origin = URL.parse(found.url)?.origin ?? "";
  const definitions = openapiDefinitions(found.document, origin);
  for (const { definition } of definitions.slice(0, 1)) baseOf(templateOf(definition), connection.baseUrl);
  return { definitions, title: titleOfApi(found.document) };
}

type Reach = Pick<ConnectionRecord, "privateOrigin" | "credential">;

/** The API description at an address, or at the usual places below it. */
export async function fetchDescription(
  url: string,
  reach: Reach,
  context: CallContext,
): Promise<FoundDocument> {
  const base = withoutTrailing(url, "/");
  const isDirect = /\.(?:json|ya?ml)$/i.test(url.split("?")[0] ?? "");
  const tried: string[] = [];
  let refusal: AppError | null = null;
  for (const address of isDirect ? [url] : [url, ...OPENAPI_PLACES.map((place) => `${base}${place}`)]) {
    tried.push(address);
    try {
      const found = await documentAt(address, reach, context);
      if (found !== null) return found;
    } catch (error) {
      // The address itself may be a page; what is wrong with the first place is what a person wants to know.
      if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
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
async function documentAt(url: string, reach: Reach, context: CallContext): Promise<FoundDocument | null> {
  const { services, signal } = context;
  const response = await services.fetcher.fetch({
    url,
    trust: "keyed",
    signal,
    timeoutMs: DOCUMENT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
    headers: {
      accept: "application/json, application/yaml;q=0.9, */*;q=0.5",
      ...(await credentialHeaders(url, reach, context)),
    },
    ...(reach.privateOrigin !== null && { privateOrigin: reach.privateOrigin }),
  });
  if (response.status < 200 || response.status >= 300) {
    if (response.status === 401 || response.status === 403) {
      throw new AppError("unavailable", `The address ${url.slice(0, 200)} answered ${response.status}.`, {
        nextAction: "Name a credential whose hosts include this one, or paste the description as document.",
        details: { status: response.status },
      });
    }
    return null;
  }
  if (/^\s*</.test(response.text)) return null;
  const document = await parseDescription(response.text, context);
  return isDescription(document) ? { document, url: response.url } : null;
}

/** True for an OpenAPI or Swagger document. */
function isDescription(value: unknown): value is Record<string, unknown> {
  return isObject(value) && (typeof value["openapi"] === "string" || typeof value["swagger"] === "string");
}

/** A description may be as protected as its API; a credential for other hosts is simply not used. */
async function credentialHeaders(
  url: string,
  { credential }: Reach,
  { services, caller, signal }: CallContext,
): Promise<Readonly<Record<string, string>>> {
  const address = URL.parse(url);
  if (credential === null || address === null) return {};
  try {
    return (await services.credentials.authorize(credential, address, { caller, signal })).headers;
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

/** A body whose document was pasted as text, with the object that the text says; YAML is read in a worker thread. */
export async function withReadDocument(
  body: Json | undefined,
  context: CallContext,
): Promise<Json | undefined> {
  if (!isJsonObject(body) || typeof body["document"] !== "string") return body;
  return { ...body, document: pastedDocument(await parseDescription(body["document"], context)) };
}

/** A document that was pasted or uploaded. */
export function pastedDocument(document: unknown): JsonObject {
  if (isJsonObject(document)) return document;
  throw new AppError("invalid_input", "The document is not an object.", {
    problems: [{ pointer: "/document", message: "must be an object, or its JSON or YAML text" }],
  });
}
