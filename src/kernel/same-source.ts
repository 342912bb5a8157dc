import { withoutTrailing } from "./text.ts";

/** What says where a connection leads, or what was found to connect. */
export interface ConnectionSource {
  readonly kind: string;
  /** Null or empty when a document or a command was given. */
  readonly url?: string | null;
  /** Where the requests go, when that is not `url`. */
  readonly baseUrl?: string | null;
  readonly title?: string;
}

/**
 * True for two of the same kind that lead to the same address. A pasted description has no address: it is the same API
 * when it has the same title. Programs are not compared here.
 */
export function isSameSource(known: ConnectionSource, given: ConnectionSource): boolean {
  if (known.kind !== given.kind) return false;
  const [one, other] = [addressOf(known), addressOf(given)];
  if (one !== null || other !== null) return one === other;
  return known.kind === "openapi" && known.title !== undefined && known.title === given.title;
}

/** One spelling of the address; null without one. Own requests have no description: they lead where they are sent. */
function addressOf({ kind, url, baseUrl }: ConnectionSource): string | null {
  const address = (kind === "http" ? baseUrl : null) || url;
  return address ? withoutTrailing(URL.parse(address)?.href ?? address, "/") : null;
}
