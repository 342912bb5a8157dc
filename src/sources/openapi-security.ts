import type { RequestSecurity } from "../../packages/forms/src/index.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { dereferenced } from "./bundle.ts";
import type { ApiDescription, Operation } from "./openapi.ts";

/** What an operation wants to know about its caller. */
export interface OperationSecurity {
  readonly schema: Record<string, unknown> | null;
  readonly schemes: readonly RequestSecurity[];
  /** Every way to call it needs a credential. */
  readonly required: boolean;
}

/** The security schemes of an operation, each as a secret field. */
export function securityOf(api: ApiDescription, operation: Operation): OperationSecurity {
  const given = operation.definition["security"] ?? api.document["security"];
  const alternatives = Array.isArray(given) ? given.filter(isObject) : [];
  const names = [...new Set(alternatives.flatMap((alternative) => Object.keys(alternative)))];
  const { components } = api.document;
  const declared =
    api.dialect === "swagger-2.0"
      ? api.document["securityDefinitions"]
      : isObject(components)
        ? components["securitySchemes"]
        : undefined;
  const fields: [string, unknown][] = [];
  const schemes: RequestSecurity[] = [];
  const [first] = alternatives;
  for (const name of names) {
    const scheme =
      isObject(declared) && Object.hasOwn(declared, name) ? dereferenced(api.document, declared[name]) : null;
    if (!scheme) continue;
    const template = templateOf(name, scheme);
    // Only the first way in goes into the request; the others are alternatives that a person may choose.
    if (first && Object.hasOwn(first, name)) schemes.push(template);
    const { description } = scheme;
    fields.push([
      name,
      {
        type: "string",
        format: "password",
        title: titleOf(name, template),
        writeOnly: true,
        description: [typeof description === "string" ? description : "", placeOf(template)]
          .filter((text) => text !== "")
          .join(" "),
      },
    ]);
  }
  const required =
    alternatives.length > 0 && alternatives.every((alternative) => Object.keys(alternative).length > 0);
  if (fields.length === 0) return { schema: null, schemes: [], required: false };
  const ways = alternatives
    .filter((alternative) => Object.keys(alternative).length > 0)
    .map((alternative) => Object.keys(alternative).join(" with "));
  return {
    schema: {
      type: "object",
      title: "Security",
      description: `${required ? "Needed" : "Optional"}: ${ways.join(", or ")}. Kept in memory only, never stored.`,
      properties: Object.fromEntries(fields),
      additionalProperties: false,
    },
    schemes,
    required,
  };
}

/** The credential that an API asks for, as its description states it. */
export interface DescribedCredential extends JsonObject {
  readonly kind: string;
}

/** The credential that the first protected operation of an API asks for; null when none does. */
export function describedCredential(api: ApiDescription): DescribedCredential | null {
  for (const operation of api.operations) {
    const [scheme] = securityOf(api, operation).schemes;
    if (scheme === undefined || scheme.kind === "mutualTLS") continue;
    const { kind, in: place = "header", name = "", scheme: word } = scheme;
    if (kind === "apiKey") return { kind, in: place, parameter: name };
    return { kind: kind === "http" ? (word === "basic" ? "basic" : "bearer") : "oauth2" };
  }
  return null;
}

function templateOf(field: string, scheme: Record<string, unknown>): RequestSecurity {
  const { type, in: place, name, scheme: word } = scheme;
  if (type === "apiKey") {
    const where = place === "query" || place === "cookie" ? place : "header";
    return { field, kind: "apiKey", in: where, name: typeof name === "string" ? name : field };
  }
  if (type === "http" || type === "basic") {
    return {
      field,
      kind: "http",
      scheme: type === "basic" ? "basic" : typeof word === "string" ? word.toLowerCase() : "bearer",
    };
  }
  return {
    field,
    kind: type === "openIdConnect" ? "openIdConnect" : type === "mutualTLS" ? "mutualTLS" : "oauth2",
  };
}

function titleOf(name: string, { kind, scheme }: RequestSecurity): string {
  if (kind === "apiKey") return `API key (${name})`;
  if (kind === "http") return scheme === "basic" ? `User and password (${name})` : `Token (${name})`;
  return kind === "mutualTLS" ? `Client certificate (${name})` : `Access token (${name})`;
}

function placeOf({ kind, scheme, in: place, name }: RequestSecurity): string {
  if (kind === "apiKey")
    return `Sent as ${place === "header" ? "the header" : String(place)} ${String(name)}.`;
  if (kind === "http" && scheme === "basic") return "user:password in base64, sent as Authorization: Basic.";
  return kind === "mutualTLS" ? "The connection itself carries it." : "Sent as Authorization: Bearer.";
}
