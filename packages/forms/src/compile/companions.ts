import { dialectOf } from "./dialect.ts";
import { isRecord, own, setOwn, type JsonObject, isJson } from "../values/json.ts";

/**
 * A schema with the documents that it refers to inside it, each under its address: what leads out of the schema then
 * stays within. An address is absolute, or relative to the schema's own (`types.json`). Nothing is fetched.
 */
export function withCompanions(schema: JsonObject, documents: Readonly<Record<string, unknown>>): JsonObject {
  const dialect = dialectOf(schema);
  const isOld = dialect === "draft-04" || dialect === "swagger-2.0";
  const place = isOld || dialect === "draft-06" || dialect === "draft-07" ? "definitions" : "$defs";
  const given = own(schema, place);
  const definitions: Record<string, unknown> = isRecord(given) ? { ...given } : {};
  for (const [address, document] of Object.entries(documents)) {
    if (!isRecord(document)) continue;
    let name = address;
    while (Object.hasOwn(definitions, name)) name = `${name}'`;
    setOwn(definitions, name, { ...document, [isOld ? "id" : "$id"]: address });
  }
  const whole: unknown = { ...schema, [place]: definitions };
  return isRecord(whole) && isJson(whole) ? whole : schema;
}
