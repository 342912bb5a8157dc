import { AppError } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { FetchTrust } from "../ports/platform.ts";
import type { Services } from "../ports/services.ts";
import { readApi, type ApiDescription } from "./openapi.ts";
import { withoutTrailing } from "../kernel/text.ts";

/*
 * API descriptions of other services, fetched through the guarded fetcher and kept with their ETag so that an unchanged
 * one is not sent or parsed again.
 */

interface Kept {
  readonly document: unknown;
  readonly etag: string | null;
  readonly checkedAt: number;
  readonly url: string;
}

const MOST_KEPT = 16;
const FRESH_MS = 60_000;
const LARGEST_YAML = 2_000_000;
/** Where services have their OpenAPI document. */
export const OPENAPI_PLACES = [
  "/openapi.json",
  "/openapi.yaml",
  "/swagger.json",
  "/.well-known/openapi.json",
];
const ASYNCAPI_PLACES = ["/asyncapi.json", "/asyncapi.yaml"];
const caches = new WeakMap<Services, Map<string, Kept>>();

/** True when an address is this service itself. */
export function isOwnAddress(services: Services, serviceBaseUrl: string | undefined): boolean {
  if (serviceBaseUrl === undefined || serviceBaseUrl === "") return true;
  const strip = (text: string): string => withoutTrailing(text, "/");
  return strip(serviceBaseUrl) === strip(services.settings.baseUrl);
}

/** Another service's OpenAPI document. */
export async function fetchApi(serviceBaseUrl: string, context: CallContext): Promise<ApiDescription> {
  const kept = await fetchFirst(serviceBaseUrl, OPENAPI_PLACES, "OpenAPI", context);
  return readApi(kept.document, originOf(serviceBaseUrl, kept.url));
}

/** Another service's AsyncAPI document. */
export async function fetchAsyncapi(serviceBaseUrl: string, context: CallContext): Promise<unknown> {
  return (await fetchFirst(serviceBaseUrl, ASYNCAPI_PLACES, "AsyncAPI", context)).document;
}

async function fetchFirst(
  base: string,
  places: readonly string[],
  what: string,
  context: CallContext,
): Promise<Kept> {
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
async function fetchDocument(url: string, context: CallContext): Promise<Kept | null> {
  const { services, signal } = context;
  const cache = cacheOf(services);
  const trust = trustOf(context.caller);
  // What a key may read is not shown to callers without one, so each kind of caller has its own entries.
  const key = `${trust} ${url}`;
  const known = cache.get(key);
  const now = services.clock.now();
  if (known && now - known.checkedAt < FRESH_MS) return known;
  const response = await services.fetcher.fetch({
    url,
    trust,
    signal,
    headers: {
      Accept: "application/json, application/yaml;q=0.9, */*;q=0.5",
      ...(known?.etag != null && { "If-None-Match": known.etag }),
    },
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
        details: { url, status: response.status },
      },
    );
  }
  const kept: Kept = {
    document: await parseDescription(response.text, context),
    etag: response.headers["etag"] ?? null,
    checkedAt: now,
    url: response.url,
  };
  cache.delete(key);
  if (cache.size >= MOST_KEPT) cache.delete(cache.keys().next().value ?? "");
  cache.set(key, kept);
  return kept;
}

/** A description as JSON or YAML text, parsed. YAML is read in a worker thread. */
export async function parseDescription(
  text: string,
  { services, signal }: { readonly services: Pick<Services, "workers">; readonly signal?: AbortSignal },
): Promise<unknown> {
  if (isJsonText(text)) return parseJsonText(text);
  checkYamlSize(text);
  const read = await services.workers.run("read_yaml", { text }, signal);
  return isObject(read) ? read["value"] : null;
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("invalid_input", "The service's description is neither JSON nor YAML.", { cause });
  }
}

function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function checkYamlSize(text: string): void {
  if (text.length <= LARGEST_YAML) return;
  throw new AppError("too_large", `A YAML description may have at most ${LARGEST_YAML} characters.`, {
    nextAction: "Serve the description as JSON.",
  });
}

function cacheOf(services: Services): Map<string, Kept> {
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
