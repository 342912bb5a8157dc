import { isObject, type JsonObject } from "../../kernel/json.ts";
import { jsonText } from "../rows.ts";

/*
 * How signed envelopes are stored. Nearly all hold an in-toto statement under one signature; those are kept as key,
 * signature and the statement's own text, a quarter shorter than their JSON: then two records share a page.
 */

const STATEMENT_TYPE = "application/vnd.in-toto+json";
const COMPACT = /^(\S+) (\S+) ([^]+)$/;

/** The stored text of an envelope. */
export function packEnvelope(envelope: JsonObject): string {
  return compactOf(envelope) ?? jsonText(envelope);
}

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

/** The short form, for an envelope that is the same again when it is made from it. */
function compactOf(envelope: JsonObject): string | null {
  const { payload, payloadType, signatures } = envelope;
  const only: unknown = Array.isArray(signatures) && signatures.length === 1 ? signatures[0] : undefined;
  if (payloadType !== STATEMENT_TYPE || typeof payload !== "string" || !isObject(only)) return null;
  const { keyid, sig } = only;
  const names = [...Object.keys(envelope), ...Object.keys(only)].join();
  if (names !== "payload,payloadType,signatures,keyid,sig") return null;
  if (typeof keyid !== "string" || typeof sig !== "string" || /\s/.test(keyid + sig)) return null;
  const statement = Buffer.from(payload, "base64").toString("utf8");
  if (statement === "" || Buffer.from(statement, "utf8").toString("base64") !== payload) return null;
  return keyid.startsWith("{") ? null : `${keyid} ${sig} ${statement}`;
}
