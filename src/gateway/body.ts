import type { IncomingMessage } from "node:http";
import { AppError } from "../kernel/errors.ts";
import { MAX_BODY_BYTES } from "./json-body.ts";

/** A refused body is still read up to here, so that the client gets to see the answer instead of a reset. */
const MAX_DISCARDED_BYTES = 16 * MAX_BODY_BYTES;

/**
 * Reads a body of at most 1 MiB and calls back with the bytes or an error. A client that goes away is not called back
 * for: there is nobody to answer.
 */
export function readBody(
  request: IncomingMessage,
  done: (error: AppError | null, body: Buffer) => void,
): void {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    discard(request);
    done(tooLarge(), NOTHING);
    return;
  }
  let first: Buffer | undefined;
  let rest: Buffer[] | undefined;
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    const before = size;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      if (before <= MAX_BODY_BYTES) {
        discard(request);
        done(tooLarge(), NOTHING);
      }
    } else if (first === undefined) first = chunk;
    else (rest ??= [first]).push(chunk);
  });
  request.on("end", () => {
    if (size <= MAX_BODY_BYTES) done(null, rest === undefined ? (first ?? NOTHING) : Buffer.concat(rest));
  });
}

const NOTHING = Buffer.alloc(0);

/** Reads on without keeping anything, up to a bound. */
export function discard(request: IncomingMessage): void {
  let left = MAX_DISCARDED_BYTES;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
}

function tooLarge(): AppError {
  return new AppError("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`);
}

/** Refuses a body that is not declared as plain JSON in UTF-8. */
export function checkContentType(contentType: string | undefined, encoding: string | undefined): void {
  if (contentType !== "application/json" && !isJsonType(contentType)) {
    throw new AppError("unsupported_media_type", "The body must be sent as Content-Type: application/json.");
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "The body must not be compressed.");
  }
}

function isJsonType(value: string | undefined): boolean {
  const match = /^application\/json *(?:;(.*))?$/i.exec(value ?? "");
  if (match === null) return false;
  const charset = /charset *= *"?([^";]+)"?/i.exec(match[1] ?? "")?.[1];
  return charset === undefined || /^(?:utf-8|utf8|us-ascii) *$/i.test(charset);
}
