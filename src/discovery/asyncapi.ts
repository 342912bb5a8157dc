import { EVENT_TYPES, type EventType } from "../events/catalogue.ts";
import { handoffPacketSchema } from "../handoffs/packet.ts";
import { RECEIVER_PATH } from "../handoffs/receiver.ts";
import type { JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { plainSchema } from "./declarations.ts";
import type { DiscoverySource } from "./info.ts";

type Source = Pick<DiscoverySource, "settings">;

/** asyncapi.yaml as an object: every event over the event stream and over webhooks. */
export function asyncapiDocument(source: Source): JsonObject {
  const base = new URL(source.settings.baseUrl);
  const names = EVENT_TYPES.map(({ type }) => ({ type, name: messageName(type) }));
  const channelMessages = Object.fromEntries(
    names.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
  );
  const references = (channel: string): readonly JsonObject[] =>
    names.map(({ name }) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  return {
    asyncapi: "3.0.0",
    info: {
      title: `${SERVICE.title} events`,
      version: SERVICE.version,
      description:
        "CloudEvents 1.0 from the service's outbox, written in the transaction that made them true. A caller without a key sees public events only; a key adds the rest.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers: {
      service: {
        host: base.host,
        protocol: base.protocol.replace(":", ""),
        description: "This service: the event stream.",
        security: [
          { $ref: "#/components/securitySchemes/bearer" },
          { $ref: "#/components/securitySchemes/suiteKey" },
        ],
      },
    },
    channels: {
      eventStream: {
        address: "/api/svc/events",
        title: "Server-sent events",
        description:
          "GET with Accept: text/event-stream. Each message's id is the event's sequence; reconnect with Last-Event-ID to go on where you stopped. An event named resync says that older events are gone and state must be read again.",
        servers: [{ $ref: "#/servers/service" }],
        messages: channelMessages,
        bindings: { http: {} },
      },
      webhook: {
        title: "Webhooks",
        description:
          "POST to the address an operator subscribed, at least once and in order for each subject, signed as Standard Webhooks prescribes (webhook-id, webhook-timestamp, webhook-signature). Deliveries that keep failing end in a dead-letter list.",
        messages: channelMessages,
        bindings: { http: {} },
      },
      handoffReceiver: {
        address: RECEIVER_PATH,
        title: "Handoff receiver",
        description:
          "POST of a suite.handoff.v1 packet. A dry run is answered preview_ready; a live packet needs a key, is stored once under its id and answered accepted.",
        servers: [{ $ref: "#/servers/service" }],
        messages: {
          handoffPacket: {
            name: "suite.handoff.v1",
            title: "Handoff packet",
            contentType: "application/json",
            payload: { $ref: "#/components/schemas/HandoffPacket" },
          },
        },
        bindings: { http: {} },
      },
    },
    operations: {
      receiveHandoff: {
        action: "receive",
        channel: { $ref: "#/channels/handoffReceiver" },
        summary: "Packets that other services hand over.",
        messages: [{ $ref: "#/channels/handoffReceiver/messages/handoffPacket" }],
      },
      streamEvents: {
        action: "send",
        channel: { $ref: "#/channels/eventStream" },
        summary: "Events as they are committed, over server-sent events.",
        messages: references("eventStream"),
      },
      deliverWebhook: {
        action: "send",
        channel: { $ref: "#/channels/webhook" },
        summary: "Events delivered to a subscribed address.",
        messages: references("webhook"),
      },
    },
    components: {
      messages: Object.fromEntries(EVENT_TYPES.map((event) => [messageName(event.type), messageOf(event)])),
      schemas: {
        ...Object.fromEntries(EVENT_TYPES.map((event) => [messageName(event.type), cloudEventOf(event)])),
        HandoffPacket: plainSchema(handoffPacketSchema),
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "API key as a bearer token; optional." },
        suiteKey: {
          type: "httpApiKey",
          in: "header",
          name: "X-Suite-API-Key",
          description: "API key in a header; optional.",
        },
      },
    },
  };
}

function messageOf(event: EventType): JsonObject {
  return {
    name: event.type,
    title: event.type,
    summary: event.summary,
    contentType: "application/cloudevents+json",
    payload: { $ref: `#/components/schemas/${messageName(event.type)}` },
  };
}

function cloudEventOf(event: EventType): JsonObject {
  return {
    type: "object",
    description: `${event.summary} ${event.publicData === null ? "Sent to callers with a key only." : "Without a key, data is the smaller public form."}`,
    required: ["specversion", "id", "source", "type", "subject", "time", "data"],
    properties: {
      specversion: { type: "string", const: "1.0" },
      id: { type: "string" },
      source: { type: "string" },
      type: { type: "string", const: event.type },
      subject: { type: "string" },
      time: { type: "string", format: "date-time" },
      datacontenttype: { type: "string", const: "application/json" },
      traceparent: { type: "string", description: "W3C trace context of the change." },
      data: event.publicData === null ? event.data : { anyOf: [event.data, event.publicData] },
    },
  };
}

/** `svc.run.started` → `svcRunStarted`. */
function messageName(type: string): string {
  return type
    .split(/[^A-Za-z0-9]+/)
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
}
