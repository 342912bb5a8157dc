import { isIPv6 } from "node:net";

/**
 * Who an address counts as: one host of IPv6 has a network of 2^64 addresses and may send from each of them, so the
 * network counts. Every other address is its own, also one of IPv4 that is written as IPv6.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".") || !isIPv6(address)) return address;
  const [first = [], last] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = last === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(zeros).fill("0"), ...(last ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return address;
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
