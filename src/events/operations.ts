import { Type } from "typebox";
import { inputOf, NEXT_CURSOR, PAGE_INPUT } from "../model/common.ts";
import { DeliveryState, DeliveryView, WebhookView } from "../model/webhooks.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { WebhookRecord } from "../ports/records.ts";
import type { EventStream } from "./stream.ts";
import type { WebhookAdmin } from "./webhook-admin.ts";

/** What the operations of events work with. */
export interface EventOperationParts {
  readonly webhooks: WebhookAdmin;
  readonly eventStream: EventStream;
}

const { operation, contentOperation, declared } = operationsWith<EventOperationParts>();
const id = Type.String({ description: "The id of the webhook." });
const secret = Type.String({ description: "The signing secret; it is shown this once." });
const ONE = Type.Object({ webhook: WebhookView });

contentOperation({
  kind: "stream",
  name: "stream_events",
  title: "Stream the events",
  description: "CloudEvents as server-sent events; resume with Last-Event-ID or after.",
  http: "GET /api/svc/events",
  access: "mixed",
  contentType: "text/event-stream",
  input: inputOf({
    types: Type.Optional(
      Type.String({ description: "Types of events, separated by commas; * stands for any." }),
    ),
    subject: Type.Optional(Type.String({ description: "Only events of this subject." })),
    after: Type.Optional(Type.String({ description: "The number of the last event that was seen." })),
  }),
  output: Type.String(),
  answer: (input, { request }, { eventStream }) => eventStream(input, request),
});

operation({
  name: "list_webhooks",
  title: "List webhooks",
  description: "Webhooks, newest first.",
  http: "GET /api/svc/webhooks",
  access: "admin",
  input: inputOf(PAGE_INPUT),
  output: Type.Object({ webhooks: Type.Array(WebhookView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { webhooks }) {
    const { items, nextCursor } = await webhooks.list(pageIn(input));
    return { webhooks: items.map(webhookView), nextCursor };
  },
});

operation({
  name: "create_webhook",
  title: "Create a webhook",
  description: "Subscribes an address to events. The answer shows the signing secret this once.",
  http: "POST /api/svc/webhooks",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    url: Type.String({ maxLength: 2_000, description: "Where the events are sent." }),
    types: Type.Optional(
      Type.Array(Type.String(), { description: "Types of events; * stands for any. All when left out." }),
    ),
  }),
  output: Type.Object({ webhook: WebhookView, secret }),
  examples: [{ url: "https://hooks.example.com/runs", types: ["svc.run.*"] }],
  async run({ url, types = ["*"] }, { caller }, { webhooks }) {
    const created = await webhooks.create({ url, types }, caller.id);
    return { webhook: webhookView(created.webhook), secret: created.secret };
  },
});

operation({
  name: "get_webhook",
  title: "Show a webhook",
  description: "One webhook.",
  http: "GET /api/svc/webhooks/{id}",
  access: "admin",
  input: inputOf({ id }),
  output: ONE,
  run: async (input, _call, { webhooks }) => ({ webhook: webhookView(await webhooks.get(input.id)) }),
});

operation({
  name: "pause_webhook",
  title: "Pause a webhook",
  description: "Stops sending; deliveries are collected.",
  http: "POST /api/svc/webhooks/{id}/pause",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ id }),
  output: ONE,
  run: async (input, { caller }, { webhooks }) => ({
    webhook: webhookView(await webhooks.pause(input.id, caller.id)),
  }),
});

operation({
  name: "resume_webhook",
  title: "Resume a webhook",
  description: "Sends again what was collected.",
  http: "POST /api/svc/webhooks/{id}/resume",
  access: "admin",
  effect: "write",
  idempotent: true,
  input: inputOf({ id }),
  output: ONE,
  run: async (input, { caller }, { webhooks }) => ({
    webhook: webhookView(await webhooks.resume(input.id, caller.id)),
  }),
});

operation({
  name: "rotate_webhook",
  title: "Rotate a webhook's secret",
  description: "Creates a new signing secret; messages carry both signatures until the next rotation.",
  http: "POST /api/svc/webhooks/{id}/rotate",
  access: "admin",
  effect: "write",
  idempotent: false,
  input: inputOf({ id }),
  output: Type.Object({ webhook: WebhookView, secret }),
  async run(input, { caller }, { webhooks }) {
    const rotated = await webhooks.rotate(input.id, caller.id);
    return { webhook: webhookView(rotated.webhook), secret: rotated.secret };
  },
});

operation({
  name: "remove_webhook",
  title: "Remove a webhook",
  description: "Removes a webhook and its deliveries.",
  http: "POST /api/svc/webhooks/{id}/remove",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ removed: Type.String() }),
  async run(input, { caller }, { webhooks }) {
    await webhooks.remove(input.id, caller.id);
    return { removed: input.id };
  },
});

operation({
  name: "list_deliveries",
  title: "List deliveries of a webhook",
  description: "Deliveries of a webhook, newest first; the state dead lists the dead letters.",
  http: "GET /api/svc/webhooks/{id}/deliveries",
  access: "admin",
  input: inputOf({ id, state: Type.Optional(DeliveryState), ...PAGE_INPUT }),
  output: Type.Object({ deliveries: Type.Array(DeliveryView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { webhooks }) {
    const { items, nextCursor } = await webhooks.deliveries(input.id, pageIn(input), input.state);
    return { deliveries: [...items], nextCursor };
  },
});

operation({
  name: "redeliver_dead_letters",
  title: "Send dead letters again",
  description: "Queues dead letters of a webhook again: one, or all of them.",
  http: "POST /api/svc/webhooks/{id}/redeliver",
  access: "admin",
  effect: "external",
  idempotent: false,
  status: 202,
  input: inputOf({
    id,
    deliveryId: Type.Optional(Type.String({ description: "One delivery; all dead ones when left out." })),
  }),
  output: Type.Object({ queued: Type.Integer() }),
  run: async (input, _call, { webhooks }) => ({
    queued: await webhooks.redeliver(input.id, input.deliveryId),
  }),
});

/** What callers do with events and webhooks. */
export const eventOperations = declared;

function webhookView({ id: webhookId, url, types, state, createdAt, secrets }: WebhookRecord): WebhookView {
  return { id: webhookId, url, types: [...types], state, createdAt, signedWith: secrets.length };
}
