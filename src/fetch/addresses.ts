import ipaddr from "ipaddr.js";

/** Global unicast space of IPv6. What lies outside is local, reserved or a way to write an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** True when an address belongs to the public internet and to one machine. */
export function isPublicUnicast(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed.kind() === "ipv4" || parsed.match(GLOBAL_IPV6);
}

/** True for `127.0.0.1`, `::1` and `[::1]`: a host that is an address and not a name. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(unbracketed(host));
}

/** `[::1]` as URLs write it, `::1` as sockets want it. */
export function unbracketed(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
