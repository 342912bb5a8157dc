import { AppError } from "../kernel/errors.ts";
import { withoutTrailing } from "../kernel/text.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** `host` or `host:port` as URLs write it; null for anything else. A whole address is cut down to its host. */
export function normalisedHost(text: string): string | null {
  const trimmed = text.trim();
  const url = URL.parse(/^https?:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  if (url === null || url.hostname === "" || url.username !== "" || url.password !== "") return null;
  if (!/^https?:\/\//i.test(trimmed) && (url.pathname !== "/" || /[/?#]/.test(trimmed))) return null;
  const host = withoutTrailing(url.hostname, ".");
  const port = /^https?:\/\//i.test(trimmed) ? url.port : (/:(\d+)$/.exec(trimmed)?.[1] ?? "");
  return port === "" ? host : `${host}:${Number(port)}`;
}

/** True when a request to this address may carry a credential of these hosts; a host without a port means every port. */
function permits(hosts: readonly string[], url: URL): boolean {
  const host = withoutTrailing(url.hostname, ".");
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return hosts.includes(host) || hosts.includes(`${host}:${port}`);
}

/** Throws unless the credential may be sent to this address: one of its hosts, and not in clear over a network. */
export function checkTarget(
  credential: { readonly name: string; readonly hosts: readonly string[]; readonly allowHttp: boolean },
  url: URL,
): void {
  const { name, hosts, allowHttp } = credential;
  if (!permits(hosts, url)) {
    throw new AppError(
      "blocked",
      `The credential "${name}" may not be sent to ${url.host}; it is bound to ${hosts.join(", ")}.`,
      {
        nextAction: `Add the host to the credential's hosts, or use another credential.`,
        details: { hosts },
      },
    );
  }
  if (url.protocol !== "https:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new AppError(
      "blocked",
      `The credential "${name}" is not sent over http: ${url.host} is not this machine.`,
      {
        nextAction: "Use https, or create the credential with allowHttp when the network is trusted.",
      },
    );
  }
}
