import { AppError } from "../kernel/errors.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { FetchTrust } from "../ports/platform.ts";
import type { Services } from "../ports/services.ts";
import { sizeFor } from "../ports/settings.ts";
import { withoutTrailing } from "../kernel/text.ts";
import { unknownEvent } from "./asyncapi.ts";
import type { OperationQuery } from "./openapi.ts";
import {
  checkYamlSize,
  isJsonText,
  type DescribedEvent,
  type DescribedOperation,
  type Question,
} from "./read-description.ts";

/*
 * API descriptions of other services, fetched through the guarded fetcher and kept with their ETag so that an unchanged
 * one is not sent again. They are read in worker threads.
 */

interface CachedDescription {
  /** Its bytes, in memory that threads share. */
  readonly document: Uint8Array;
  readonly etag: string | null;
  readonly checkedAt: number;
  readonly url: string;
}

const MOST_KEPT = 16;
const FRESH_MS = 60_000;
/** Bytes of all documents together that are kept; one that is larger is kept alone. */
const MOST_BYTES = 64 * 1024 * 1024;
const DOCUMENT_MS = 20_000;
/** Where services have their OpenAPI document. */
export const OPENAPI_PLACES = [
  "/openapi.json",
  "/openapi.yaml",
  "/swagger.json",
  "/v3/api-docs",
  "/api-docs",
  "/.well-known/openapi.json",
];
const ASYNCAPI_PLACES = ["/asyncapi.json", "/asyncapi.yaml"];
const caches = new WeakMap<Services, Map<string, CachedDescription>>();

/** True when an address is this service itself. */
export function isOwnAddress(services: Services, serviceBaseUrl: string | undefined): boolean {
  if (serviceBaseUrl === undefined || serviceBaseUrl === "") return true;
  const strip = (text: string): string => withoutTrailing(text, "/");
  return strip(serviceBaseUrl) === strip(services.settings.baseUrl);
}

/** An operation of another service's OpenAPI document. */
export async function fetchOperation(
  serviceBaseUrl: string,
  query: OperationQuery,
  whole: boolean,
  context: CallContext,
): Promise<DescribedOperation & { readonly baseUrl: string }> {
  const kept = await fetchFirst(serviceBaseUrl, OPENAPI_PLACES, "OpenAPI", context);
  const baseUrl = originOf(serviceBaseUrl, kept.url);
  const found = await ask(kept, baseUrl, { kind: "operation", query, whole }, context);
  if (found === null || !("request" in found)) throw new TypeError("an event is no operation");
  return { ...found, baseUrl };
}

/** An event of another service's AsyncAPI document, or a webhook of its OpenAPI document. */
export async function fetchEvent(
  serviceBaseUrl: string,
  eventName: string,
  context: CallContext,
): Promise<DescribedEvent> {
  const question: Question = { kind: "event", eventName };
  if (!lastSegment(serviceBaseUrl).toLowerCase().includes("asyncapi")) {
    const api = await fetchFirst(serviceBaseUrl, OPENAPI_PLACES, "OpenAPI", context).catch(noneFound);
    const webhook = api && (await ask(api, "", question, context));
    if (webhook) return webhook;
  }
  const described = await fetchFirst(serviceBaseUrl, ASYNCAPI_PLACES, "AsyncAPI", context);
  const event = await ask(described, "", question, context);
  if (event) return event;
  throw unknownEvent(eventName, []);
}

function noneFound(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}

/** Reads a description in a worker thread: its size and contents are another service's choice. */
function ask(
  { document }: CachedDescription,
  baseUrl: string,
  question: Question,
  { services, signal }: CallContext,
): Promise<DescribedOperation | DescribedEvent | null> {
  return services.workers.run("look_up", { baseUrl, question }, signal, document);
}

function lastSegment(address: string): string {
  return address.slice(address.lastIndexOf("/") + 1);
}

async function fetchFirst(
  base: string,
  places: readonly string[],
  what: string,
  context: CallContext,
): Promise<CachedDescription> {
  const direct = isDocumentAddress(base);
  const urls = direct ? [base] : places.map((place) => `${withoutTrailing(base, "/")}${place}`);
  for (const url of urls) {
    const kept = await fetchDocument(url, context);
    if (kept) return kept;
  }
  throw new AppError("not_found", `No ${what} document was found at ${base.slice(0, 200)}.`, {
    nextAction: `Give the address of the ${what} document itself.`,
    details: { tried: urls },
  });
}

/** The document at an address; null when there is none. */
async function fetchDocument(url: string, context: CallContext): Promise<CachedDescription | null> {
  const { services, signal } = context;
  const cache = cacheOf(services);
  const trust = trustOf(context.caller);
  // What a key may read is not shown to callers without one, so each kind of caller has its own entries.
  const key = `${trust} ${url}`;
  const known = cache.get(key);
  const now = services.clock.now();
  if (known && now - known.checkedAt < FRESH_MS) return known;
  const maxBytes = sizeFor(context.caller, services.settings.documentBytes);
  const fetching = services.fetcher.fetch({
    url,
    trust,
    signal,
    timeoutMs: DOCUMENT_MS,
    maxBytes,
    headers: {
      Accept: "application/json, application/yaml;q=0.9, */*;q=0.5",
      ...(known?.etag != null && { "If-None-Match": known.etag }),
    },
  });
  const response = await fetching.catch((error: unknown) => {
    throw error instanceof AppError && error.code === "too_large" ? tooLarge(url, maxBytes, trust) : error;
  });
  if (response.status === 304 && known) {
    cache.set(key, { ...known, checkedAt: now });
    return known;
  }
  if (response.status === 404 || response.status === 410) return null;
  if (response.status < 200 || response.status >= 300) {
    throw new AppError(
      "unavailable",
      `The service answered ${response.status} when asked for its description.`,
      {
        status: response.status,
        details: { url },
      },
    );
  }
  const kept: CachedDescription = {
    document: shared(response.body),
    etag: response.headers["etag"] ?? null,
    checkedAt: now,
    url: response.url,
  };
  cache.delete(key);
  let bytes = kept.document.byteLength;
  for (const { document } of cache.values()) bytes += document.byteLength;
  for (const [oldest, { document }] of cache) {
    if (cache.size < MOST_KEPT && bytes <= MOST_BYTES) break;
    cache.delete(oldest);
    bytes -= document.byteLength;
  }
  cache.set(key, kept);
  return kept;
}

function tooLarge(url: string, maxBytes: number, trust: FetchTrust): AppError {
  return new AppError(
    "too_large",
    `The description at ${url.slice(0, 200)} is larger than ${maxBytes} bytes.`,
    {
      nextAction:
        trust === "anonymous"
          ? "Ask with a key: callers with one may have larger documents read (SVC_DOCUMENT_LIMIT_MB)."
          : "An operator can raise the limit with SVC_DOCUMENT_LIMIT_MB.",
      details: { maxBytes },
    },
  );
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
}

/** A description as JSON or YAML text, parsed. YAML is read in a worker thread. */
export async function parseDescription(
  text: string,
  { services, signal }: { readonly services: Pick<Services, "workers">; readonly signal?: AbortSignal },
): Promise<unknown> {
  if (isJsonText(text)) return parseJsonText(text);
  checkYamlSize(text);
  return (await services.workers.run("read_yaml", { text }, signal)).value;
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_input", "The service's description is neither JSON nor YAML.", { cause });
  }
}

function cacheOf(services: Services): Map<string, CachedDescription> {
  let cache = caches.get(services);
  if (!cache) {
    cache = new Map();
    caches.set(services, cache);
  }
  return cache;
}

function trustOf(caller: Caller): FetchTrust {
  if (caller.kind === "anonymous") return "anonymous";
  return allows(caller, "admin") ? "operator" : "keyed";
}

/** True when an address names a document rather than a service. */
function isDocumentAddress(address: string): boolean {
  const query = address.indexOf("?");
  return /\.(?:json|ya?ml)$/i.test(query === -1 ? address : address.slice(0, query));
}

function originOf(base: string, url: string): string {
  return isDocumentAddress(base) ? new URL(url).origin : withoutTrailing(base, "/");
}
