import { asyncapiDocument } from "../discovery/asyncapi.ts";
import { plainSchema } from "../discovery/declarations.ts";
import { openapiDocument } from "../discovery/openapi.ts";
import type { FormSource } from "../../packages/forms/src/index.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { sizeFor } from "../ports/settings.ts";
import { asyncapiEvent, isAsyncapi, unknownEvent } from "../sources/asyncapi.ts";
import { fetchEvent, fetchOperation, isOwnAddress } from "../sources/documents.ts";
import { readApi, type ApiDescription, type OperationQuery } from "../sources/openapi.ts";
import { operationOf } from "../sources/read-description.ts";
import type { RenderInput } from "../rendering/render-form.ts";
import { withoutTrailing } from "../kernel/text.ts";

/*
 * Where forms come from: tools of this service and synced ones, operations and events of this service's descriptions
 * and of other services'.
 */

interface ServiceDescriptions {
  readonly api: ApiDescription;
  readonly asyncapi: unknown;
}

const descriptions = new WeakMap<Services, ServiceDescriptions>();

/** Our own descriptions, read once. */
function ownDescriptions(services: Services): ServiceDescriptions {
  let own = descriptions.get(services);
  if (!own) {
    const base = withoutTrailing(services.settings.baseUrl, "/");
    own = { api: readApi(openapiDocument(services), base), asyncapi: asyncapiDocument(services) };
    descriptions.set(services, own);
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
    return { schema: plainSchema(own.input), source, title: own.title, trusted: true, limit: 0 };
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
  const whole = context.meta["svc/operations"] === "all";
  const foreign =
    serviceBaseUrl === undefined || isOwnAddress(context.services, serviceBaseUrl)
      ? null
      : await fetchOperation(serviceBaseUrl, query, whole, context);
  const { schema, title, request, isProtected, ref } =
    foreign ?? operationOf(ownDescriptions(context.services).api, query, whole);
  const source: FormSource = {
    kind: "openapi_operation",
    ref,
    ...(foreign && { server: foreign.baseUrl }),
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
      : await fetchEvent(serviceBaseUrl, eventName, context);
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
