import { AppError } from "../kernel/errors.ts";
import type { Settings } from "../ports/settings.ts";

/** Refuses a request whose Host or Origin is not ours: a page elsewhere may have rebound its name to our address. */
export interface HostCheck {
  host(host: string | undefined): void;
  origin(origin: string | undefined): void;
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** Allows the host of BASE_URL, the listening address, loopback names and the hosts the operator trusts. */
export function createHostCheck(settings: Pick<Settings, "baseUrl" | "host" | "trustedHosts">): HostCheck {
  const allowed = new Set([...LOOPBACK, ...settings.trustedHosts.map(hostname)]);
  allowed.add(hostname(new URL(settings.baseUrl).host));
  if (settings.host !== "0.0.0.0" && settings.host !== "::") {
    allowed.add(hostname(settings.host.includes(":") ? `[${settings.host}]` : settings.host));
  }
  // Parsing is slow next to a look-up; a handful of exact values covers nearly all traffic.
  const known = new Map<string, boolean>();
  const passes = (value: string, parse: (text: string) => string): boolean => {
    let verdict = known.get(value);
    if (verdict === undefined) {
      verdict = allowed.has(parse(value));
      if (known.size < 256) known.set(value, verdict);
    }
    return verdict;
  };
  return {
    host(host) {
      if (host !== undefined && passes(host, hostname)) return;
      throw new AppError("blocked", "The Host header does not name this service.", {
        nextAction: "Use the address of BASE_URL, or have the operator list the host in SVC_TRUSTED_HOSTS.",
      });
    },
    origin(origin) {
      if (origin === undefined || passes(origin, originHost)) return;
      throw new AppError("blocked", "Requests from this Origin are not accepted.");
    },
  };
}

/** The host name of `host[:port]`, as URLs write it. Empty when there is none. */
function hostname(value: string): string {
  return /[/?#@\\]/.test(value) ? "" : (URL.parse(`http://${value}`)?.hostname ?? "");
}

function originHost(value: string): string {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return "";
  return url.origin === value.toLowerCase() ? url.hostname : "";
}
