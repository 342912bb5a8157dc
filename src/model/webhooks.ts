import { Type, type Static } from "typebox";
import { type Given, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";

/** A webhook as callers see it: never its secrets. */
export const WebhookView = viewOf("Webhook", "An address that gets events.", {
  id: Type.String(),
  url: Type.String(),
  types: Type.Array(Type.String(), { description: "Types of events; * stands for any." }),
  state: Type.Enum(["active", "paused"]),
  createdAt: Time,
  signedWith: Type.Integer({ description: "How many secrets sign a message: two during a rotation." }),
});
export type WebhookView = Static<typeof WebhookView>;

/** The states of a delivery. */
export const DeliveryState = Type.Enum(["pending", "delivered", "dead"], {
  description: "Whether the event arrived; dead: it was given up.",
});

/** One delivery of one event to one webhook. */
export const DeliveryView = viewOf("Delivery", "One delivery of one event to one webhook.", {
  id: Type.String(),
  webhookId: Type.String(),
  sequence: Type.Integer({ description: "The number of the event." }),
  subject: Type.String(),
  state: DeliveryState,
  attempts: Type.Integer(),
  nextAttemptAt: TimeOrNull,
  lastError: TextOrNull,
  createdAt: Time,
  deliveredAt: TimeOrNull,
});
export type DeliveryView = Given<Static<typeof DeliveryView>>;
