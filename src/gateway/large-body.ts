import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { discard } from "./body.ts";
import { MAX_BODY_BYTES, parseJsonBody } from "./json-body.ts";

/*
 * Bodies with an API description in their member `document`. The description may be far larger than any other body, so
 * it is not parsed here: it stays a text, and a worker thread reads it.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NAME = Buffer.from('"document"');

/** A text in JSON takes up to twice its bytes; the rest of the body is as large as any other body at most. */
function largestBody(documentBytes: number): number {
  return 2 * documentBytes + MAX_BODY_BYTES;
}

/** Reads a body with a document up to a number of bytes. */
export function readLargeBody(request: IncomingMessage, documentBytes: number): Promise<Buffer> {
  const most = largestBody(documentBytes);
  return new Promise((resolve, reject) => {
    const refuse = (bytes: number | null): void => {
      discard(request);
      reject(tooLarge("body", bytes, documentBytes));
    };
    const announced = Number(request.headers["content-length"] ?? 0);
    if (announced > most) {
      refuse(announced);
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= most) {
        chunks.push(chunk);
        return;
      }
      request.off("data", take);
      chunks.length = 0;
      refuse(null);
    };
    request.on("data", take);
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("close", () => reject(new AppError("invalid_request", "The body ended too early.")));
  });
}

/** The body with its document as text. Everything but the document is checked like any other body. */
export async function parseLargeBody(bytes: Buffer, documentBytes: number): Promise<Json> {
  if (bytes.length <= MAX_BODY_BYTES) return parseJsonBody(bytes);
  if (!isUtf8(bytes)) throw new AppError("parse_error", "The body is not valid UTF-8.");
  const span = documentSpan(bytes);
  if (span === null) {
    throw new AppError("too_large", `The body is larger than ${MAX_BODY_BYTES} bytes.`, {
      nextAction: "Only the member document may be larger.",
    });
  }
  const rest = parseJsonBody(
    Buffer.concat([bytes.subarray(0, span.from), Buffer.from("null"), bytes.subarray(span.to)]),
  );
  // Finding the document and decoding it are two turns of the event loop.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  const document = textOf(bytes.subarray(span.from, span.to));
  const size = Buffer.byteLength(document);
  if (size > documentBytes) throw tooLarge("document", size, documentBytes);
  const given: JsonObject = isJsonObject(rest) ? rest : {};
  return { ...given, document };
}

/** A document is an object, which is its own text, or a text in quotes. */
function textOf(value: Buffer): string {
  const text = value.toString("utf8");
  if (value[0] !== QUOTE) return text;
  try {
    const decoded: unknown = JSON.parse(text);
    return String(decoded);
  } catch (cause) {
    throw new AppError("parse_error", "The text of the member document is not JSON.", { cause });
  }
}

/** Where the value of the member `document` of the outermost object begins and ends; null when it has none. */
function documentSpan(bytes: Buffer): { readonly from: number; readonly to: number } | null {
  let depth = 0;
  let expectsName = false;
  let from = -1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const end = stringEnd(bytes, i + 1);
      if (depth === 1 && expectsName) {
        expectsName = false;
        if (bytes.subarray(i, end + 1).equals(NAME)) from = valueStart(bytes, end + 1);
      }
      i = end;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth++;
      if (depth === 1) expectsName = byte === OPEN_BRACE;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0 && from !== -1) return { from, to: i };
    } else if (byte === COMMA && depth === 1) {
      if (from !== -1) return { from, to: i };
      expectsName = true;
    }
  }
  return null;
}

function valueStart(bytes: Buffer, after: number): number {
  let i = after;
  // White space and the colon.
  while (i < bytes.length && (bytes[i] === 0x3a || (bytes[i] ?? 0) <= 0x20)) i++;
  return i;
}

/** The position of the closing quote. */
function stringEnd(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

function tooLarge(what: "body" | "document", bytes: number | null, documentBytes: number): AppError {
  const has = bytes === null ? `is larger than ${largestBody(documentBytes)} bytes` : `has ${bytes} bytes`;
  return new AppError("too_large", `The ${what} ${has}; a document may have at most ${documentBytes}.`, {
    nextAction: "Send a smaller document; an operator can raise the limit with SVC_DOCUMENT_LIMIT_MB.",
    details: { maxBytes: documentBytes, ...(bytes !== null && { bytes }), setting: "SVC_DOCUMENT_LIMIT_MB" },
  });
}
