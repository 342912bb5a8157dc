import { statusOf } from "../model/status.ts";
import { Type } from "typebox";
import { ok } from "../kernel/envelope.ts";
import { AppError, invalidValue, problemAt } from "../kernel/errors.ts";
import { freeValue, inputOf, NEXT_CURSOR, PAGE_INPUT, schemaDocument } from "../model/common.ts";
import {
  DeliveryAnswer,
  FiringView,
  FormSlug,
  SETTING_NAMES,
  TRIGGER_KINDS,
  TRIGGER_SETTINGS,
  TriggerView,
} from "../model/triggers.ts";
import { ownedFor, type Caller } from "../ports/caller.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";
import { datesOf, nextDates } from "./dates.ts";
import { formPageOperations } from "./forms.ts";
import { CHANGES, dates, id, READS, SHOWN_DATES, type TriggerOperationParts } from "./operation-parts.ts";
import { backfillOperation, dueOperation, previewOperation } from "./schedule-operations.ts";
import {
  addressOf,
  changeTrigger,
  createTrigger,
  findTrigger,
  removeTrigger,
  settingsProblems,
  triggerViews,
} from "./triggers.ts";
import { accept, curlFor, manualKey, payloadShape, startWith } from "./webhooks.ts";

const { operation, contentOperation } = operationsWith<TriggerOperationParts>();
const kind = Type.Enum([...TRIGGER_KINDS], { description: "What starts the workflow." });
const secret = Type.Optional(
  Type.String({
    minLength: 8,
    maxLength: 500,
    writeOnly: true,
    description: "webhook: the secret that the sender signs with; one is made when it is not given.",
  }),
);
const issuedSecret = Type.Union([Type.String(), Type.Null()], {
  description: "The secret of a webhook that was made; it is shown this once.",
});

const createOperation = operation({
  name: "create_trigger",
  title: "Create a trigger",
  description:
    "Starts a workflow by itself from now on. The runs act for the caller, with the rights held at that time.",
  http: "POST /api/svc/triggers",
  access: CHANGES,
  effect: "external",
  idempotent: false,
  status: 201,
  input: inputOf({
    workflowId: Type.String({
      description: "The workflow: its newest published version runs, or the draft without one.",
    }),
    kind,
    slug: Type.Optional(FormSlug),
    secret,
    paused: Type.Optional(Type.Boolean({ description: "It starts nothing until it is resumed." })),
    ...TRIGGER_SETTINGS,
  }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates, secret: issuedSecret }),
  examples: [
    {
      workflowId: "workflow_01",
      kind: "schedule",
      cron: "0 7 * * 1-5",
      timeZone: "Europe/Berlin",
      overlap: "skip",
    },
  ],
  rules: ({ kind: wanted, ...settings }) => [
    ...(wanted === "form" && settings.slug === undefined
      ? [problemAt("slug", "given: the address of the form is /f/ and this")]
      : []),
    ...settingsProblems(wanted, settings),
  ],
  async run(input, { services, caller }, { scheduler }) {
    const { trigger, secret: issued } = await createTrigger(services, input, caller);
    scheduler.wake();
    return { ...(await shown(services, trigger, caller)), secret: issued };
  },
});

const listOperation = operation({
  name: "list_triggers",
  title: "List triggers",
  description: "Triggers, newest first; without read-private your own.",
  http: "GET /api/svc/triggers",
  access: READS,
  input: inputOf({
    workflowId: Type.Optional(Type.String({ description: "Only triggers of this workflow." })),
    kind: Type.Optional(kind),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ triggers: Type.Array(TriggerView), nextCursor: NEXT_CURSOR }),
  async run({ limit, cursor, ...filter }, { services, caller }) {
    const page = pageIn({ ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) });
    const { items, nextCursor } = await services.store.read.triggers.list(page, {
      ...ownedFor(caller),
      ...filter,
    });
    return { triggers: await triggerViews(services, items, caller), nextCursor };
  },
});

const getOperation = operation({
  name: "get_trigger",
  title: "Show a trigger",
  description: "One trigger; a schedule with its next ten dates.",
  http: "GET /api/svc/triggers/{id}",
  access: READS,
  input: inputOf({ id }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates }),
  async run(input, { services, caller }) {
    return shown(services, await findTrigger(services, input.id, caller), caller);
  },
});

const changeOperation = operation({
  name: "change_trigger",
  title: "Change a trigger",
  description:
    "Pauses, resumes or changes a trigger. Settings that are not given stay. Who changes settings is who its runs act for from then on.",
  http: "PATCH /api/svc/triggers/{id}",
  access: CHANGES,
  effect: "external",
  idempotent: true,
  input: inputOf({
    id,
    paused: Type.Optional(Type.Boolean({ description: "A paused trigger starts nothing." })),
    note: Type.Optional(Type.String({ maxLength: 1_000, description: "Why it is paused." })),
    unset: Type.Optional(
      Type.Array(Type.Enum([...SETTING_NAMES]), { description: "Settings that go back to their default." }),
    ),
    secret,
    newSecret: Type.Optional(
      Type.Boolean({ description: "webhook: makes a secret in place of the one that it has." }),
    ),
    ...TRIGGER_SETTINGS,
  }),
  output: Type.Object({ trigger: TriggerView, nextDates: dates, secret: issuedSecret }),
  examples: [{ id: "trigger_01", paused: true, note: "Month-end closing." }],
  rules: (input) =>
    input.newSecret === true && input.secret !== undefined
      ? [problemAt("newSecret", "left out where a secret is given")]
      : [],
  async run({ id: triggerId, ...change }, { services, caller }, { scheduler }) {
    const { trigger, secret: issued } = await changeTrigger(services, triggerId, change, caller);
    scheduler.wake();
    return { ...(await shown(services, trigger, caller)), secret: issued };
  },
});

const removeOperation = operation({
  name: "remove_trigger",
  title: "Remove a trigger",
  description: "Removes a trigger and its history. Its runs stay.",
  http: "DELETE /api/svc/triggers/{id}",
  access: CHANGES,
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ removed: Type.String() }),
  run: async (input, { services, caller }) => ({
    removed: (await removeTrigger(services, input.id, caller)).id,
  }),
});

const historyOperation = operation({
  name: "list_firings",
  title: "List the history of a trigger",
  description: "Every occasion on which a trigger started a run or was to, newest first.",
  http: "GET /api/svc/triggers/{id}/history",
  access: READS,
  input: inputOf({ id, ...PAGE_INPUT }),
  output: Type.Object({ firings: Type.Array(FiringView), nextCursor: NEXT_CURSOR }),
  async run({ id: triggerId, ...page }, { services, caller }) {
    await findTrigger(services, triggerId, caller);
    const { items, nextCursor } = await services.store.read.triggers.firings(triggerId, pageIn(page));
    return { firings: items.map(firingView), nextCursor };
  },
});

const fireOperation = operation({
  name: "fire_trigger",
  title: "Start the run of a trigger now",
  description:
    "Starts a run as the trigger would: of a schedule with its inputs, otherwise with a payload, or with that of an earlier firing. The run acts for the caller.",
  http: "POST /api/svc/triggers/{id}/fire",
  access: CHANGES,
  effect: "external",
  idempotent: false,
  status: 202,
  input: inputOf({
    id,
    payload: Type.Optional(freeValue("What a sender would send.", "The payload to start with.")),
    firingId: Type.Optional(Type.String({ description: "Replay this firing: start with its payload." })),
  }),
  output: Type.Object({ firing: FiringView }),
  examples: [{ id: "trigger_01", firingId: "firing_01" }],
  async run({ id: triggerId, payload, firingId }, { services, caller }) {
    const trigger = await findTrigger(services, triggerId, caller);
    const earlier =
      firingId === undefined ? null : await services.store.read.triggers.firing(triggerId, { id: firingId });
    if (firingId !== undefined && earlier === null)
      throw invalidValue("firingId", "the id of a firing of this trigger");
    // A rule of retention removes payloads: what was sent is not replayed as nothing.
    if (payload === undefined && earlier?.payload === null && trigger.kind !== "schedule")
      throw new AppError("conflict", "This firing has no payload any more.", {
        nextAction: "Give a payload.",
      });
    const now = new Date(services.clock.now()).toISOString();
    const sent = payload ?? earlier?.payload ?? (trigger.kind === "schedule" ? { scheduledFor: now } : null);
    const { firing } = await startWith(services, trigger, {
      key: manualKey(sent),
      payload: sent,
      headers: () => earlier?.headers ?? {},
      by: caller,
    });
    return { firing: firingView(firing) };
  },
});

const sampleOperation = operation({
  name: "get_trigger_sample",
  title: "Show a sample request of a webhook",
  description:
    "A payload, the schema it fits (given, or from what was received), and a command that sends it.",
  http: "GET /api/svc/triggers/{id}/sample",
  access: READS,
  input: inputOf({ id }),
  output: Type.Object({
    payload: freeValue("What a sender sends."),
    schema: schemaDocument("What the payload looks like."),
    schemaFrom: Type.Enum(["given", "received", "inputs"], { description: "Where the schema is from." }),
    curl: Type.String({ description: "Sends the payload; the secret is in the variable SECRET." }),
  }),
  async run(input, { services, caller }) {
    const trigger = await findTrigger(services, input.id, caller);
    const { schema, from, payload } = await payloadShape(services, trigger);
    const address = addressOf(services.settings, trigger) ?? "";
    return { payload, schema, schemaFrom: from, curl: curlFor(address, trigger.settings, payload) };
  },
});

const receiveOperation = contentOperation({
  kind: "file",
  name: "receive_webhook",
  title: "Receive a webhook",
  description:
    "Starts the workflow of a webhook trigger. The request is stored with its run before it is answered; the same message again gives the same run.",
  http: "POST /hooks/{id}",
  access: "public",
  provesItself: true,
  effect: "external",
  idempotent: true,
  contentType: "application/json",
  bodyType: "*/*",
  maxBodyBytes: 1_000_000,
  input: inputOf({ id }),
  output: Type.Object({ ok: Type.Boolean(), data: DeliveryAnswer }),
  async answer(input, { services, request, bytes }, { triggerRate }) {
    const trigger = await services.store.read.triggers.get(input.id);
    if (trigger === null || trigger.kind !== "webhook")
      throw new AppError("not_found", "There is no webhook at this address.");
    const { perMinute = 600, waitSeconds = 0 } = trigger.settings;
    const rate = { perSecond: perMinute / 60, burst: perMinute };
    const delivery = { headers: request.headers, body: bytes ?? Buffer.alloc(0) };
    const accepted = await accept(services, trigger, delivery, () => triggerRate.take(trigger.id, rate));
    if ("challenge" in accepted)
      return { status: 200, contentType: "text/plain; charset=utf-8", content: accepted.challenge };
    const { firing, isNew } = accepted;
    const answer = { deliveryId: firing.id, runId: firing.runId, duplicate: !isNew };
    if (waitSeconds === 0 || firing.runId === null) return { status: 202, body: ok(answer) };
    const run = await services.engine.waitFor(firing.runId, waitSeconds * 1_000);
    const isDone = run.state === "succeeded";
    const data = { ...answer, ...statusOf(run), ...(isDone && { outputs: run.outputs }) };
    return { status: isDone ? 200 : 202, body: ok(data) };
  },
});

/** What callers do with triggers. */
export const triggerOperations = [
  createOperation,
  listOperation,
  previewOperation,
  dueOperation,
  getOperation,
  changeOperation,
  removeOperation,
  historyOperation,
  backfillOperation,
  fireOperation,
  sampleOperation,
  receiveOperation,
  ...formPageOperations,
];

async function shown(
  services: Services,
  record: TriggerRecord,
  caller: Caller,
): Promise<{ trigger: TriggerView; nextDates: string[] }> {
  const [trigger] = await triggerViews(services, [record], caller);
  if (trigger === undefined) throw new AppError("not_found", "There is no trigger with this id.");
  return { trigger, nextDates: [...nextOf(record, services.clock.now())] };
}

function nextOf(trigger: TriggerRecord, now: number): readonly string[] {
  if (trigger.kind !== "schedule" || trigger.pausedAt !== null) return [];
  return nextDates(datesOf(trigger.settings, Date.parse(trigger.createdAt)), now, SHOWN_DATES);
}

function firingView({ depth: _depth, headers: _headers, ...firing }: FiringRecord): FiringView {
  return firing;
}
