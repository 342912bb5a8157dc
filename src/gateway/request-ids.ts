import { randomHex } from "../kernel/ids.ts";

const processTag = randomHex(4);
let requests = 0;

/** The caller's request id when it is a plain one, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  if (typeof header === "string" && /^[A-Za-z0-9_.:-]{1,80}$/.test(header)) return header;
  requests += 1;
  return `req_${processTag}${requests.toString(36).padStart(7, "0")}`;
}
