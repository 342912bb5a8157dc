import { lookup, Resolver } from "node:dns/promises";
import { AppError } from "../kernel/errors.ts";
import { Slots } from "./slots.ts";

/** Gives every address of a name. Tests give their own to play a name that changes its mind. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const ATTEMPT_MS = 1_500;
const SYSTEM_MS = 5_000;
/** The system's own look-up holds a thread of a pool of four, which also reads files and checks passwords. */
const SYSTEM_LOOKUPS = 2;
/** What a name server says when it knows no such name, or when there is none to ask. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED", "EBADNAME"]);

const slots = new Slots(SYSTEM_LOOKUPS, 100);

/** The addresses of a public name, from the name servers themselves: a silent one costs a moment and no thread. */
export async function resolvePublic(host: string, servers?: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  if (addresses.length > 0) return addresses;
  const isUnknown = found.every((one) => one.status === "rejected" && UNKNOWN.has(codeOf(one.reason)));
  if (!isUnknown) throw late(host);
  // Names of this machine and its network, which only the system knows.
  return resolveSystem(host);
}

/** The addresses that the system has for a name, its own table of hosts included. */
export function resolveSystem(host: string): Promise<readonly string[]> {
  const end = AbortSignal.timeout(SYSTEM_MS);
  const overdue = new Promise<never>((_, reject) => {
    end.addEventListener("abort", () => reject(late(host)), { once: true });
  });
  const asked = slots.run(async () => {
    if (end.aborted) throw late(host);
    return (await lookup(host, { all: true })).map(({ address }) => address);
  });
  return Promise.race([asked, overdue]);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function late(host: string): AppError {
  return new AppError("unavailable", `The address of ${host} could not be looked up in time.`);
}
