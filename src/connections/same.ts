import type { JsonObject } from "../kernel/json.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { ConnectionRecord } from "../ports/connections.ts";

/**
 * True for a connection to what was found: the same kind at the same address. A pasted description has no address: it
 * is the same API when it has the same title.
 */
export function isSame(
  { kind, url, title }: Pick<ConnectionRecord, "kind" | "url" | "title">,
  found: JsonObject,
): boolean {
  if (kind !== found["kind"]) return false;
  const address = found["url"];
  if (typeof address !== "string") return url === null && title === found["title"];
  return url !== null && addressOf(url) === addressOf(address);
}

/** One spelling of an address, for comparing. */
function addressOf(url: string): string {
  return withoutTrailing(URL.parse(url)?.href ?? url, "/");
}
