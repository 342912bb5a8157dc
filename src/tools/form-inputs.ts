import { asyncapiDocument } from "../discovery/asyncapi.ts";
import { plainSchema } from "../discovery/declarations.ts";
import { openapiDocument } from "../discovery/openapi.ts";
import type { FormSource } from "../forms/index.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { sizeFor } from "../ports/settings.ts";
import {
  asyncapiEvent,
  isAsyncapi,
  openapiWebhook,
  unknownEvent,
  webhookNames,
} from "../sources/asyncapi.ts";
import { fetchApi, fetchAsyncapi, isOwnAddress } from "../sources/documents.ts";
import {
  findOperation,
  operationSchema,
  readApi,
  type ApiDescription,
  type OperationQuery,
} from "../sources/openapi.ts";
import type { RenderInput } from "../sources/render-form.ts";
import { withoutTrailing } from "../kernel/text.ts";

/*
 * Where forms come from: tools of this service and synced ones, operations and events of this service's descriptions
 * and of other services'.
 */

interface Own {
  readonly api: ApiDescription;
  readonly asyncapi: unknown;
}

const owns = new WeakMap<Services, Own>();

/** Our own descriptions, read once. */
function ownDescriptions(services: Services): Own {
  let own = owns.get(services);
  if (!own) {
    const base = withoutTrailing(services.settings.baseUrl, "/");
    own = { api: readApi(openapiDocument(services), base), asyncapi: asyncapiDocument(services) };
    owns.set(services, own);
  }
  return own;
}

/** Characters that a schema of this caller may have. */
export function schemaLimit({ caller, services }: CallContext): number {
  return sizeFor(caller, services.settings.schemaBytes);
}

/** What the form of a tool is rendered from: one of this service, or a synced one. */
export async function toolInput(name: string, context: CallContext): Promise<RenderInput> {
  const { catalog, connections } = context.services;
  const own = catalog.tool(name);
  if (own) {
    const source: FormSource = { kind: "mcp_tool", ref: name, protected: own.access !== "public" };
    return { schema: plainSchema(own.params), source, title: own.title, trusted: true, limit: 0 };
  }
  const connected = await connections.find(name);
  const isShown = connected?.state === "active" || connected?.state === "quarantined";
  if (connected && isShown && maySee(context.caller, connected.connection)) {
    const source: FormSource = {
      kind: "mcp_tool",
      ref: connected.id,
      server: connected.connection,
      digest: connected.digest,
      protected: true,
    };
    const limit = context.services.settings.schemaBytes.keyed;
    return { schema: connected.inputSchema, source, title: connected.title, trusted: false, limit };
  }
  const heads = await connections.search(name.split(":").at(-1) ?? name, 100);
  const others = heads
    .filter((head) => maySee(context.caller, head.connection))
    .map((head) => `${head.connection}:${head.name}`);
  const near = nearestNames(name, [...catalog.tools.map((tool) => tool.name), ...others]);
  throw new AppError("not_found", `There is no tool named "${name.slice(0, 100)}".`, {
    nextAction:
      near.length > 0 ? `Did you mean ${near.join(", ")}?` : "tools/list names every tool of this service.",
    details: { nearest: near },
  });
}

/** What the form of an operation is rendered from. */
export async function operationInput(
  { serviceBaseUrl, ...query }: OperationQuery & { readonly serviceBaseUrl?: string | undefined },
  context: CallContext,
): Promise<RenderInput> {
  const isOwn = isOwnAddress(context.services, serviceBaseUrl);
  const api =
    isOwn || serviceBaseUrl === undefined
      ? ownDescriptions(context.services).api
      : await fetchApi(serviceBaseUrl, context);
  const operation = findOperation(api, query, context.meta["svc/operations"] === "all");
  const { schema, title, request, isProtected } = operationSchema(api, operation);
  const source: FormSource = {
    kind: "openapi_operation",
    ref: operation.id ?? `${operation.method.toUpperCase()} ${operation.path}`,
    ...(!isOwn && { server: api.baseUrl }),
    protected: isProtected,
    request,
  };
  return { schema, source, title, trusted: true, limit: 0 };
}

/** What the form of a webhook's payload is rendered from. */
export async function webhookInput(
  given: {
    readonly schema?: JsonObject | undefined;
    readonly eventName?: string | undefined;
    readonly serviceBaseUrl?: string | undefined;
  },
  context: CallContext,
): Promise<RenderInput> {
  const { schema, eventName, serviceBaseUrl } = given;
  if (schema) {
    const source: FormSource = { kind: "webhook", ...(eventName !== undefined && { ref: eventName }) };
    return { schema, source, title: eventName, trusted: false, limit: schemaLimit(context) };
  }
  if (eventName === undefined) {
    throw new AppError("invalid_input", "Give the payload's schema, or the name of an event.", {
      nextAction: "asyncapi.yaml lists the events of this service.",
    });
  }
  const isOwn = isOwnAddress(context.services, serviceBaseUrl);
  const found =
    isOwn || serviceBaseUrl === undefined
      ? ownEvent(eventName, context)
      : await foreignEvent(eventName, serviceBaseUrl, context);
  const source: FormSource = {
    kind: "webhook",
    ref: eventName,
    ...(!isOwn && serviceBaseUrl !== undefined && { server: serviceBaseUrl }),
  };
  return { schema: found.schema, source, title: found.title, trusted: true, limit: 0 };
}

function ownEvent(eventName: string, context: CallContext): { title: string; schema: JsonObject } {
  const { asyncapi } = ownDescriptions(context.services);
  if (!isAsyncapi(asyncapi)) throw unknownEvent(eventName, []);
  return asyncapiEvent(asyncapi, eventName);
}

function lastSegment(address: string): string {
  return address.slice(address.lastIndexOf("/") + 1);
}

async function foreignEvent(
  eventName: string,
  serviceBaseUrl: string,
  context: CallContext,
): Promise<{ title: string; schema: JsonObject }> {
  if (lastSegment(serviceBaseUrl).toLowerCase().includes("asyncapi"))
    return asyncapiOnly(await fetchAsyncapi(serviceBaseUrl, context), eventName);
  const api = await fetchApi(serviceBaseUrl, context).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return null;
    throw error;
  });
  const webhook = api && openapiWebhook(api, eventName);
  if (webhook) return webhook;
  if (api && api.webhooks.length > 0) throw unknownEvent(eventName, api.webhooks.flatMap(webhookNames));
  return asyncapiOnly(await fetchAsyncapi(serviceBaseUrl, context), eventName);
}

function asyncapiOnly(document: unknown, eventName: string): { title: string; schema: JsonObject } {
  if (!isAsyncapi(document)) throw unknownEvent(eventName, []);
  return asyncapiEvent(document, eventName);
}
