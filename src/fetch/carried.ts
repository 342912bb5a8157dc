import { AppError } from "../kernel/errors.ts";
import type { Authorization } from "../ports/credentials.ts";

/** Headers that say nothing about who is asking. Only these follow a redirect to another origin. */
const HARMLESS =
  /^(?:accept|accept-encoding|accept-language|content-type|user-agent|traceparent|tracestate)$/;
/** Shorter texts occur in addresses by chance. */
const MIN_SECRET = 4;

/** One hop as it is sent. */
interface Hop {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The only place where a credential becomes part of a request. The query is continued as text: a URL's
 * `searchParams` would rewrite all of it and change the encoding of what is there.
 */
export function withAuthorization({ url, headers }: Hop, given: Authorization): Hop {
  const target = new URL(url);
  const pairs = Object.entries(given.query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  // A redirect within the origin may repeat what was sent.
  const rest = target.search.slice(1).split("&");
  target.search = [...rest.filter((pair) => pair !== "" && !pairs.includes(pair)), ...pairs].join("&");
  const sent: Record<string, string> = { ...headers };
  for (const [name, value] of Object.entries(given.headers)) sent[name.toLowerCase()] = value;
  const cookies = Object.entries(given.cookies).map(([name, value]) => `${name}=${value}`);
  if (cookies.length > 0) sent["cookie"] = [sent["cookie"], ...cookies].filter(Boolean).join("; ");
  return { url: target, headers: sent };
}

/** The headers that may go to another origin. */
export function harmlessHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.test(name)));
}

/** Throws when the address of another origin repeats the credential: the server copied it there. */
export function checkNotRepeated(target: URL, given: Authorization | null): void {
  const repeats = given?.secrets.some(
    (secret) => secret.length >= MIN_SECRET && target.href.includes(secret),
  );
  if (repeats !== true) return;
  throw new AppError(
    "blocked",
    `The address redirects to another origin, ${target.origin}, with the credential in its address.`,
    { nextAction: "Use the address that answers without a redirect, or send the credential in a header." },
  );
}
