import { isObject, type JsonObject } from "../../kernel/json.ts";

/*
 * Signed envelopes that are stored with their record: those of the first form, which were signed before they were written.
 * Nearly all are kept as key, signature and the statement's own text, the others as their JSON.
 */

const STATEMENT_TYPE = "application/vnd.in-toto+json";
const COMPACT = /^(\S+) (\S+) ([^]+)$/;

/** The envelope that a stored text holds. One that was damaged is empty, for a verdict to fail on. */
export function unpackEnvelope(stored: string): JsonObject {
  const [, keyid, sig, statement] = stored.startsWith("{") ? [] : (COMPACT.exec(stored) ?? []);
  if (keyid !== undefined && sig !== undefined && statement !== undefined) {
    return {
      payload: Buffer.from(statement, "utf8").toString("base64"),
      payloadType: STATEMENT_TYPE,
      signatures: [{ keyid, sig }],
    };
  }
  try {
    const parsed: JsonObject = JSON.parse(stored);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
