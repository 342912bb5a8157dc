import type { TSchema } from "typebox";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Prompt, Resource } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";

const plain = new WeakMap<TSchema, JsonObject>();

/** A schema of ours as plain JSON, made once. */
export function plainSchema(schema: TSchema): JsonObject {
  const known = plain.get(schema);
  if (known) return known;
  const value: unknown = JSON.parse(JSON.stringify(schema));
  if (!isJsonObject(value)) throw new TypeError("a tool's schema must be a JSON object");
  plain.set(schema, value);
  return value;
}

/** True when a tool needs a key. */
export function isProtected(tool: Tool): boolean {
  return tool.access !== "public";
}

/** A tool as the info document lists it. */
export function toolEntry(tool: Tool) {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: plainSchema(tool.input),
    protected: isProtected(tool),
  };
}

/** A tool as registry listings show it: what it is, who may call it, what it can change. */
export function toolListing(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    protected: isProtected(tool),
    requiredScope: tool.access === "public" ? null : tool.access,
    effect: tool.effect,
    idempotent: tool.idempotent,
    openWorld: tool.openWorld,
    inputSchema: plainSchema(tool.input),
  };
}

/** A resource as the info document lists it. */
export function resourceEntry(resource: Resource) {
  return {
    uri: resource.uri,
    name: resource.name,
    description: resource.description,
    mimeType: "application/json",
  };
}

/** A prompt as the info document lists it. */
export function promptEntry(prompt: Prompt) {
  return {
    name: prompt.name,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
  };
}
