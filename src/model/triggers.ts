import { Type, type Static } from "typebox";
import { freeObject, freeValue, schemaDocument, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";

/** What can start a workflow by itself. */
export const TRIGGER_KINDS = ["schedule", "webhook", "form", "event"] as const;
/** What starts a workflow. */
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** How a webhook proves who sent it. */
const VERIFIERS = ["standard-webhooks", "github", "stripe", "slack", "hmac", "token"] as const;

/** What became of an occasion on which a trigger was to start a run. */
export const FIRING_STATES = ["queued", "started", "skipped", "missed", "failed"] as const;
/** What became of an occasion. */
export type FiringState = (typeof FIRING_STATES)[number];

const scheduleSettings = {
  cron: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: "schedule: a cron expression of 5 fields, or of 6 with seconds first.",
    }),
  ),
  everySeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 31_536_000,
      description: "schedule: an interval in seconds, instead of cron.",
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "schedule: an IANA time zone such as Europe/Berlin; UTC when not given.",
    }),
  ),
  overlap: Type.Optional(
    Type.Enum(["skip", "queue", "allow"], {
      description:
        "schedule: what happens when the run of an earlier date still goes on; skip when not given.",
    }),
  ),
  catchUpSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      description:
        "schedule: dates that were missed are made up for when they are at most this old; 86400 when not given.",
    }),
  ),
  jitterSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description: "schedule: each date begins up to this many seconds later, so that not all begin at once.",
    }),
  ),
};

const webhookSettings = {
  verifier: Type.Optional(
    Type.Enum([...VERIFIERS], {
      description: "webhook: how a request proves who sent it; token when not given.",
    }),
  ),
  header: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9-]{1,100}$",
      description:
        "webhook: the header of the signature (hmac, X-Signature) or of the token (token, Authorization).",
    }),
  ),
  idHeader: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9-]{1,100}$",
      description:
        "webhook: the header that names a message, so that a repetition is recognised; each verifier has its own.",
    }),
  ),
  toleranceSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: "webhook: how far the signed time may be from now; 300 when not given.",
    }),
  ),
  contentTypes: Type.Optional(
    Type.Array(Type.Enum(["application/json", "application/x-www-form-urlencoded", "text/plain"]), {
      minItems: 1,
      maxItems: 3,
      description: "webhook: the media types that are taken; JSON and form when not given.",
    }),
  ),
  maxBytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "webhook: the largest body; 262144 when not given.",
    }),
  ),
  waitSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description:
        "webhook: wait this long for the run, and answer with its outputs when it has succeeded; 0 when not given.",
    }),
  ),
  payloadSchema: Type.Optional(schemaDocument("webhook: the JSON Schema that a payload has to match.")),
};

const formSettings = {
  access: Type.Optional(
    Type.Enum(["public", "signed-in"], {
      description: "form: who may fill it in; public when not given.",
    }),
  ),
  title: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "form: the heading of the page." }),
  ),
  text: Type.Optional(Type.String({ maxLength: 4_000, description: "form: what stands under the heading." })),
  thanks: Type.Optional(
    Type.String({ maxLength: 1_000, description: "form: what the page says after it was sent." }),
  ),
  closesAt: Type.Optional(
    Type.String({ format: "date-time", description: "form: from this time on nothing is taken." }),
  ),
  logo: Type.Optional(
    Type.String({
      maxLength: 40_000,
      pattern: "^(data:image/(?:png|jpeg|gif|webp|svg\\+xml);base64,[A-Za-z0-9+/=]+|artifact_[0-9a-z]+)$",
      description:
        "form: a picture above the heading, as a data URL; or an artifact whose picture is copied.",
    }),
  ),
  showOutputs: Type.Optional(
    Type.Boolean({
      description:
        "form: who sent it sees the outputs of the run when it has succeeded; false when not given.",
    }),
  ),
  embedOrigins: Type.Optional(
    Type.Array(Type.String({ pattern: "^https?://[A-Za-z0-9.-]+(?::\\d{1,5})?$" }), {
      maxItems: 20,
      description: "form: origins of pages that may embed it; none when not given.",
    }),
  ),
};

const eventSettings = {
  type: Type.Optional(
    Type.String({ maxLength: 100, description: "event: a type such as svc.run.failed, or svc.run.*." }),
  ),
  filter: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: "event: a CEL expression over event; the run starts where it is true.",
    }),
  ),
};

/** What a trigger is set to. Each member names the kind that it belongs to; the others belong to all. */
export const TRIGGER_SETTINGS = {
  name: Type.Optional(Type.String({ maxLength: 200, description: "What people call it." })),
  inputs: Type.Optional(
    freeObject(
      "The inputs of the workflow are its author's.",
      "Inputs that every run gets. What a webhook, a form or an event brings is added.",
    ),
  ),
  perMinute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60_000,
      description:
        "How many requests a minute are taken: of a webhook 600, of one address at a form 10 when not given.",
    }),
  ),
  ...scheduleSettings,
  ...webhookSettings,
  ...formSettings,
  ...eventSettings,
};

/** The settings of a trigger as they are stored. */
export const TriggerSettings = Type.Object(TRIGGER_SETTINGS);
export type TriggerSettings = Static<typeof TriggerSettings>;

/** The name of a setting. */
export type SettingName = keyof TriggerSettings;
/** The names of all settings. */
export const SETTING_NAMES = Object.keys(TRIGGER_SETTINGS).filter(isSettingName);

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(TRIGGER_SETTINGS, name);
}

/** The members that belong to one kind only. */
export const SETTINGS_OF: Readonly<Record<TriggerKind, readonly string[]>> = {
  schedule: Object.keys(scheduleSettings),
  webhook: [...Object.keys(webhookSettings), "secret", "perMinute"],
  form: [...Object.keys(formSettings), "slug", "perMinute"],
  event: Object.keys(eventSettings),
};

/** The last part of the address of a form. */
export const FormSlug = Type.String({
  pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
  description: "form: the last part of its address: lower-case letters, digits and hyphens.",
});

/** A trigger as callers see it: never its secret. */
export const TriggerView = viewOf("Trigger", "What starts runs of a workflow by itself.", {
  id: Type.String(),
  workflowId: Type.String(),
  workflowName: Type.Union([Type.String(), Type.Null()], {
    description: "The name of the workflow; null where the caller does not see it.",
  }),
  kind: Type.Enum([...TRIGGER_KINDS]),
  ...TRIGGER_SETTINGS,
  slug: Type.Optional(FormSlug),
  address: Type.Optional(Type.String({ description: "Where a webhook or a form is reached." })),
  paused: Type.Boolean(),
  pausedAt: TimeOrNull,
  pauseNote: TextOrNull,
  nextAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "The next date of a schedule; null when it is paused or has none.",
  }),
  lastRunId: TextOrNull,
  actsFor: Type.String({ description: "Whose rights its runs have: what that caller may do at that time." }),
  createdAt: Time,
});
export type TriggerView = Static<typeof TriggerView>;

/** A trigger that an imported workflow or a template is started by. */
export const ProposedTrigger = viewOf(
  "ProposedTrigger",
  "A trigger that belongs to a workflow in a file or to a template, as POST /api/svc/triggers takes it.",
  { kind: Type.Enum([...TRIGGER_KINDS]), slug: Type.Optional(FormSlug), ...TRIGGER_SETTINGS },
);
export type ProposedTrigger = Static<typeof ProposedTrigger>;

/** One occasion on which a trigger started a run, or was to. */
export const FiringView = viewOf("Firing", "One occasion on which a trigger started a run, or was to.", {
  id: Type.String(),
  triggerId: Type.String(),
  state: Type.Enum([...FIRING_STATES], {
    description:
      "started: it has a run. queued: it gets one. skipped: an earlier run went on. missed: it was too late. failed: the run could not be started.",
  }),
  key: Type.String({ description: "The date, or the id of the message or event." }),
  dueAt: TimeOrNull,
  runId: TextOrNull,
  reason: TextOrNull,
  payload: freeValue(
    "What was sent from outside.",
    "What came with it; null of a schedule, and when the details of the run were removed.",
  ),
  createdAt: Time,
});
export type FiringView = Static<typeof FiringView>;

/** What a sender is answered. */
export const DeliveryAnswer = Type.Object({
  deliveryId: Type.String(),
  runId: TextOrNull,
  duplicate: Type.Boolean({ description: "True for a message that was received before." }),
  status: Type.Optional(Type.String({ description: "Where the run stands, when the webhook waits for it." })),
  outputs: Type.Optional(freeValue("The outputs of the workflow are its author's.")),
});
