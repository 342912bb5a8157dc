import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { requireScope } from "../ports/caller.ts";
import { pageOfQuery, type HttpRequest, type HttpRoute } from "../ports/http.ts";
import type { DeliveryRecord, WebhookRecord } from "../ports/records.ts";
import type { StreamParts } from "./stream.ts";
import { createEventStream } from "./stream.ts";
import type { WebhookAdmin } from "./webhook-admin.ts";

const WEBHOOKS = "/api/svc/webhooks";

/** The event stream, and the paths with which an operator manages webhooks. */
export function createEventRoutes(stream: StreamParts, admin: WebhookAdmin): readonly HttpRoute[] {
  const streamEvents = createEventStream(stream);
  return [
    {
      method: "GET",
      path: "/api/svc/events",
      summary: "CloudEvents as server-sent events; resume with Last-Event-ID (types, subject, after).",
      access: "mixed",
      handle: streamEvents,
    },
    {
      method: "GET",
      path: WEBHOOKS,
      summary: "Webhooks, newest first (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "admin");
        const page = await admin.list(pageOfQuery(query));
        return {
          status: 200,
          body: ok({ webhooks: page.items.map(webhookView), nextCursor: page.nextCursor }),
        };
      },
    },
    {
      method: "POST",
      path: WEBHOOKS,
      summary: "Subscribes an address to events {url, types}; the answer shows the signing secret this once.",
      access: "key",
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        const { webhook, secret } = await admin.create(newWebhook(body), context.caller.id);
        return { status: 201, body: ok({ webhook: webhookView(webhook), secret }) };
      },
    },
    {
      method: "GET",
      path: `${WEBHOOKS}/{id}`,
      summary: "One webhook.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        return { status: 200, body: ok({ webhook: webhookView(await admin.get(idIn(request))) }) };
      },
    },
    ...(["pause", "resume"] as const).map((action): HttpRoute => ({
      method: "POST",
      path: `${WEBHOOKS}/{id}/${action}`,
      summary:
        action === "pause" ? "Stops sending; deliveries are collected." : "Sends again what was collected.",
      access: "key",
      async handle(request) {
        const { caller } = request.context;
        requireScope(caller, "admin");
        const webhook = await admin[action](idIn(request), caller.id);
        return { status: 200, body: ok({ webhook: webhookView(webhook) }) };
      },
    })),
    {
      method: "POST",
      path: `${WEBHOOKS}/{id}/rotate`,
      summary: "Makes a new signing secret; messages carry both signatures until the next rotation.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const { webhook, secret } = await admin.rotate(idIn(request), request.context.caller.id);
        return { status: 200, body: ok({ webhook: webhookView(webhook), secret }) };
      },
    },
    {
      method: "POST",
      path: `${WEBHOOKS}/{id}/remove`,
      summary: "Removes a webhook and its deliveries.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        await admin.remove(idIn(request), request.context.caller.id);
        return { status: 200, body: ok({ removed: idIn(request) }) };
      },
    },
    {
      method: "GET",
      path: `${WEBHOOKS}/{id}/deliveries`,
      summary:
        "Deliveries of a webhook, newest first (state, limit, cursor); state=dead lists the dead letters.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const page = await admin.deliveries(idIn(request), pageOfQuery(request.query), stateOf(request));
        return {
          status: 200,
          body: ok({ deliveries: page.items.map(deliveryView), nextCursor: page.nextCursor }),
        };
      },
    },
    {
      method: "POST",
      path: `${WEBHOOKS}/{id}/redeliver`,
      summary: "Queues dead letters again: {deliveryId}, or all of the webhook.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const deliveryId = isObject(request.body) ? request.body["deliveryId"] : undefined;
        if (deliveryId !== undefined && typeof deliveryId !== "string") {
          throw new AppError("invalid_input", "deliveryId must be a string.");
        }
        return { status: 202, body: ok({ queued: await admin.redeliver(idIn(request), deliveryId) }) };
      },
    },
  ];
}

function webhookView(webhook: WebhookRecord): JsonObject {
  const { secrets, ...shown } = webhook;
  return { ...shown, signedWith: secrets.length };
}

function deliveryView(delivery: DeliveryRecord): JsonObject {
  return { ...delivery };
}

function newWebhook(body: unknown): { readonly url: string; readonly types: readonly string[] } {
  const url = isObject(body) ? body["url"] : undefined;
  const types = isObject(body) ? (body["types"] ?? ["*"]) : undefined;
  if (typeof url !== "string" || !Array.isArray(types) || !types.every((type) => typeof type === "string")) {
    throw new AppError("invalid_input", "The body must be {url: string, types?: string[]}.");
  }
  return { url, types };
}

function stateOf({ query }: HttpRequest): DeliveryRecord["state"] | undefined {
  const state = query.get("state");
  if (state === null) return undefined;
  if (state === "pending" || state === "delivered" || state === "dead") return state;
  throw new AppError("invalid_input", "state is pending, delivered or dead.");
}

function idIn({ path }: HttpRequest): string {
  return path.slice(WEBHOOKS.length + 1).split("/")[0] ?? "";
}
