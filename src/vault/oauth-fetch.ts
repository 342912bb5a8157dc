import { AppError } from "../kernel/errors.ts";
import type { Fetcher } from "../ports/platform.ts";

/** `fetch` as the OAuth helpers want it. */
export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 512 * 1024;

/** Every request of the OAuth client goes through the guarded fetcher; secrets are posted without following redirects. */
export function oauthFetch(fetcher: Fetcher, signal: AbortSignal): OAuthFetch {
  return async (url, init) => {
    const method = init?.method === "POST" ? "POST" : "GET";
    const answer = await fetcher.fetch({
      url: String(url),
      method,
      trust: "keyed",
      headers: Object.fromEntries(new Headers(init?.headers).entries()),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: method === "POST" ? 0 : 3,
      signal,
      ...bodyOf(init),
    });
    const empty = answer.status === 204 || answer.status === 304;
    const { "content-encoding": _encoding, "content-length": _length, ...headers } = answer.headers;
    return new Response(empty ? null : answer.text, { status: answer.status, headers });
  };
}

function bodyOf(init: RequestInit | undefined): { readonly body?: string } {
  const body = init?.body;
  if (body === undefined || body === null) return {};
  if (typeof body === "string") return { body };
  if (body instanceof URLSearchParams) return { body: body.toString() };
  throw new AppError("internal", "An OAuth request has a body of an unknown kind.");
}
