import { BaseResolver, createConfig, lintFromString, type Source } from "@redocly/openapi-core";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const MAX_DOCUMENT = 1024 * 1024;

/** Validates JSON Schema with ajv, and OpenAPI, AsyncAPI and Arazzo with Redocly's structural rules. */
export const spec: SiblingDefinition = {
  name: "spec",
  routes: (context) => [
    {
      method: "POST",
      path: "/api/v1/validate",
      isProtected: false,
      handle: async ({ body }) => ({ data: await validate(body["schema"] ?? body["document"], context) }),
    },
    showRoute(context, { path: "/api/v1/validations", prefix: "validation", isProtected: false }),
  ],
  async work(packet, context) {
    const subject = subjectOf(packet.payload ?? {});
    const result = await validate(subject["schema"] ?? subject["document"], context);
    return {
      status: "completed",
      resultRef: `${context.url}/api/v1/validations/${textOf(result, "validationId")}`,
      result,
    };
  },
};

async function validate(document: Json | undefined, context: SiblingContext): Promise<JsonObject> {
  if (document === undefined || document === null) {
    throw new Refusal(422, "invalid_input", "Give the schema or the document to validate.");
  }
  const source = JSON.stringify(document);
  if (source.length > MAX_DOCUMENT) throw new Refusal(413, "too_large", "The document is too large.");
  const kind = kindOf(document);
  const errors = kind === "json-schema" ? schemaErrors(document) : await descriptionErrors(source);
  const validationId = contentId("validation", source);
  const record = {
    validationId,
    kind,
    valid: errors.length === 0,
    errors,
    documentDigest: digestOf(document),
    url: `${context.url}/api/v1/validations/${validationId}`,
  };
  await context.results.put(validationId, record);
  return record;
}

function kindOf(document: Json): string {
  if (!isJsonObject(document)) return "json-schema";
  for (const kind of ["openapi", "swagger", "asyncapi", "arazzo"]) {
    if (typeof document[kind] === "string") return kind;
  }
  return "json-schema";
}

function schemaErrors(schema: Json): readonly JsonObject[] {
  if (!isJsonObject(schema) && typeof schema !== "boolean") {
    return [{ pointer: "", message: "A schema is an object or a boolean." }];
  }
  const dialect = isJsonObject(schema) ? schema["$schema"] : undefined;
  const isDraft7 = typeof dialect === "string" && dialect.includes("draft-07");
  const ajv = isDraft7
    ? new Ajv({ strict: false, allErrors: true })
    : new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  if (ajv.validateSchema(typeof schema === "boolean" ? schema : { ...schema }) !== true) {
    return (ajv.errors ?? []).map(({ instancePath, message }) => ({
      pointer: instancePath,
      message: message ?? "is not a valid part of a schema",
    }));
  }
  try {
    ajv.compile(typeof schema === "boolean" ? schema : { ...schema });
    return [];
  } catch (error) {
    return [{ pointer: "", message: error instanceof Error ? error.message : "cannot be compiled" }];
  }
}

async function descriptionErrors(source: string): Promise<readonly JsonObject[]> {
  const config = await createConfig({ rules: { struct: "error", "no-unresolved-refs": "error" } });
  const externalRefResolver = new ThisDocumentOnly();
  const problems = await lintFromString({
    source,
    absoluteRef: "document.json",
    config,
    externalRefResolver,
  });
  return problems
    .filter(({ severity }) => severity === "error")
    .slice(0, 200)
    .map(({ message, location, ruleId }) => ({
      pointer: location[0]?.pointer ?? "",
      message,
      rule: ruleId,
    }));
}

/** Anybody may have a document validated: one that refers to a file or an address must not have it read. */
class ThisDocumentOnly extends BaseResolver {
  override loadExternalRef(): Promise<Source> {
    return Promise.reject(new Error("only this document is read"));
  }
}
