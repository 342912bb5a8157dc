import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP } from "node:net";
import type { Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";

/** Whom a request counts against. */
export interface Client {
  readonly address: string;
  /** A process on this machine that asks directly. It is not held to the limits of one client. */
  readonly local: boolean;
}

/** The remote address of requests that the service makes to itself. */
export const IN_PROCESS = "in-process";

const LOOPBACK = new Set([IN_PROCESS, "127.0.0.1", "::1", "::ffff:127.0.0.1"]);
/** A request that carries one of these came through a proxy. */
const FORWARDING = [
  "forwarded",
  "x-forwarded-for",
  "x-real-ip",
  "x-forwarded-host",
  "x-forwarded-proto",
  "via",
] as const;

/** Remembers that requests come through a proxy that is not configured: all of them count as one client then. */
export class ProxyNotice {
  readonly #log: Log;
  #text: string | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What an operator should know; null without one. */
  get text(): string | null {
    return this.#text;
  }

  /** Notes a request that a proxy has forwarded; the first one is logged. */
  notice(): void {
    if (this.#text !== null) return;
    this.#text =
      "Requests come through a proxy, but SVC_TRUSTED_PROXIES is not set: all of its clients share one limit, and the audit list has its address instead of theirs.";
    this.#log.warn(this.#text);
  }
}

/**
 * Finds out whom a request comes from. Only a proxy that the operator trusts may name another address: of the addresses
 * in X-Forwarded-For or Forwarded, read from the right, the first that is not itself such a proxy.
 */
export function createClientFinder(
  settings: Pick<Settings, "trustedProxies">,
  proxy?: ProxyNotice,
): (remote: string, headers: IncomingHttpHeaders) => Client {
  const trusted = new BlockList();
  for (const text of settings.trustedProxies) {
    const [address = "", bits] = text.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (address: string): boolean =>
    trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return (remote, headers) => {
    const local = LOOPBACK.has(remote);
    if (FORWARDING.every((name) => headers[name] === undefined)) return { address: remote, local };
    if (isIP(remote) === 0 || !isTrusted(remote)) {
      // A browser sends none of these; who does is a proxy, or wants to be taken for one.
      if (settings.trustedProxies.length === 0) proxy?.notice();
      // What a proxy passes on is not asked by this machine, even when the proxy runs on it.
      return { address: local ? `${remote} forwarded` : remote, local: false };
    }
    const named = [listOf(headers["x-forwarded-for"]), forwardedFor(listOf(headers["forwarded"]))]
      .filter((chain) => chain.length > 0)
      .map((chain) => firstUntrusted(chain, remote, isTrusted));
    // A proxy writes one of the two headers and may pass the other on as the client wrote it.
    const [first = remote, second = first] = named;
    return { address: first === second ? first : `${remote} forwarded`, local: false };
  };
}

/** The nearest address that no trusted proxy has; the last proxy's own where the chain breaks off. */
function firstUntrusted(
  chain: readonly string[],
  remote: string,
  isTrusted: (address: string) => boolean,
): string {
  let nearest = remote;
  for (const entry of chain.toReversed()) {
    const address = addressIn(entry);
    if (address === null) return nearest;
    nearest = address;
    if (!isTrusted(address)) return nearest;
  }
  return nearest;
}

function listOf(header: string | readonly string[] | undefined): readonly string[] {
  const text = typeof header === "string" ? header : (header ?? []).join(",");
  return text === "" ? [] : text.split(",").map((entry) => entry.trim());
}

/** The `for` of every element of Forwarded (RFC 7239); empty where an element has none. */
function forwardedFor(elements: readonly string[]): readonly string[] {
  return elements.map((element) => /(?:^|;)\s*for="?([^";]*)"?/i.exec(element)?.[1] ?? "");
}

/** An address with or without port and brackets. */
function addressIn(entry: string): string | null {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
  if (isIP(bare) === 0) return null;
  return bare.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, "");
}
