import type { Envelope } from "../kernel/envelope.ts";
import { ERRORS, type ErrorCode } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import { Reply } from "../ports/operations.ts";

/** What we refused has its status; what the other side answered is in the envelope. */
export function replyOf({ ok, data }: Envelope): Reply<Envelope["data"]> {
  const { error } = data;
  const code = isJsonObject(error) && error["upstream"] === undefined ? error["code"] : undefined;
  const known = typeof code === "string" && isCode(code) ? ERRORS[code].http : 200;
  const status = ok || data["status"] !== undefined ? 200 : known;
  return new Reply(data, {
    ok,
    status: status === 200 && code !== undefined && data["status"] === undefined ? 400 : status,
  });
}

function isCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
