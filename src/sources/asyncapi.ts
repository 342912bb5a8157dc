import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { Bundler, bundled, dereferenced } from "./bundle.ts";
import type { ApiDescription, Operation } from "./openapi.ts";

/** A message that a service sends: its name, and the schema of its payload. */
export interface EventSchema {
  readonly name: string;
  readonly title: string;
  readonly schema: JsonObject;
}

interface Listed {
  readonly names: readonly string[];
  readonly message: Record<string, unknown>;
}

/** True for a parsed AsyncAPI 2.x or 3.x document. */
export function isAsyncapi(document: unknown): document is Record<string, unknown> {
  return isObject(document) && typeof document["asyncapi"] === "string";
}

/** The payload schema of an event in an AsyncAPI document; `not_found` with the nearest names. */
export function asyncapiEvent(document: Record<string, unknown>, eventName: string): EventSchema {
  const messages = messagesOf(document);
  const found =
    messages.find(({ names }) => names.includes(eventName)) ??
    messages.find(({ names }) => names.some((name) => plain(name) === plain(eventName)));
  if (!found)
    throw unknownEvent(
      eventName,
      messages.flatMap(({ names }) => names),
    );
  const bundler = new Bundler(document, false);
  const payload = found.message["payload"];
  const inner =
    isObject(payload) && isObject(payload["schema"]) && "schemaFormat" in payload
      ? payload["schema"]
      : payload;
  const { title, summary } = found.message;
  return {
    name: eventName,
    title: typeof title === "string" ? title : typeof summary === "string" ? summary : eventName,
    schema: bundled(rooted(bundler.copy(inner ?? {})), bundler, "draft-07"),
  };
}

/** The payload schema of a webhook in an OpenAPI document. */
export function openapiWebhook(api: ApiDescription, eventName: string): EventSchema | null {
  const webhook = api.webhooks.find((operation) => webhookNames(operation).includes(eventName));
  if (!webhook) return null;
  const bundler = new Bundler(api.document, false);
  const body = dereferenced(api.document, webhook.definition["requestBody"]);
  const content = body && isObject(body["content"]) ? Object.values(body["content"]) : [];
  const [media] = content;
  const schema = isObject(media) ? media["schema"] : undefined;
  const { summary } = webhook.definition;
  return {
    name: eventName,
    title: typeof summary === "string" ? summary : eventName,
    schema: bundled(rooted(bundler.copy(schema ?? {})), bundler, api.dialect),
  };
}

/** The names under which a webhook can be asked for. */
export function webhookNames(operation: Operation): string[] {
  return operation.id === null ? [operation.path] : [operation.path, operation.id];
}

/** The refusal for an event nobody describes. */
export function unknownEvent(eventName: string, known: Iterable<string>): AppError {
  const names = [...new Set(known)];
  const near = nearestNames(eventName, names);
  return new AppError("not_found", `No event named "${eventName.slice(0, 100)}" is described.`, {
    nextAction: near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Give the payload's schema instead.",
    details: { nearest: near, events: names.slice(0, 50) },
  });
}

function messagesOf(document: Record<string, unknown>): Listed[] {
  const listed: Listed[] = [];
  const add = (given: unknown, ...names: (string | undefined)[]): void => {
    const message = dereferenced(document, given);
    if (!message) return;
    const own = [message["name"], message["title"], message["messageId"]].filter(
      (name) => typeof name === "string",
    );
    listed.push({ names: [...names.filter((name) => name !== undefined), ...own], message });
  };
  const { components, channels } = document;
  const shared = isObject(components) && isObject(components["messages"]) ? components["messages"] : {};
  for (const [name, message] of Object.entries(shared)) add(message, name);
  for (const [name, given] of Object.entries(isObject(channels) ? channels : {})) {
    const channel = dereferenced(document, given) ?? {};
    for (const [key, message] of Object.entries(isObject(channel["messages"]) ? channel["messages"] : {}))
      add(message, key);
    for (const side of ["publish", "subscribe"]) {
      const operation = channel[side];
      const message = isObject(operation) ? operation["message"] : undefined;
      const many =
        isObject(message) && Array.isArray(message["oneOf"])
          ? message["oneOf"]
          : message === undefined
            ? []
            : [message];
      for (const one of many) add(one, many.length === 1 ? name : undefined);
    }
  }
  return listed;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "");
}

/** A root that is nothing but a reference keeps its definitions beside it in every dialect. */
function rooted(schema: unknown): Record<string, unknown> {
  if (!isObject(schema)) return {};
  return typeof schema["$ref"] === "string" ? { allOf: [schema] } : schema;
}
