import { Type } from "typebox";
import { ok } from "../kernel/envelope.ts";
import { networkOf } from "../kernel/network.ts";
import { AppError } from "../kernel/errors.ts";
import { isJson, type Json, type JsonObject } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import { FormSlug } from "../model/triggers.ts";
import type { Caller } from "../ports/caller.ts";
import type { HttpAnswer } from "../ports/http.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";
import { sha256Hex } from "../kernel/canonical-json.ts";
import { randomHex } from "../kernel/ids.ts";
import { unfitInputs } from "../kernel/schema-words.ts";
import { asPublished } from "../workflows/public-view.ts";
import { pageHeaders } from "./form-assets.ts";
import {
  FILE_TO_COME,
  pageFormOf,
  PageReader,
  REDRAWS,
  withFilesOnly,
  type PageForm,
} from "./form-fields.ts";
import { formPage, isInputs, notePage, SAVED, SAVING, SENDING, statePart, trapOf } from "./form-page.ts";
import { checkSizes, readSent, saveFiles, type SentForm } from "./form-sent.ts";
import { inputSchemaOf } from "./inputs.ts";
import type { TriggerOperationParts } from "./operation-parts.ts";
import { manualKey, startWith } from "./webhooks.ts";

const { contentOperation } = operationsWith<TriggerOperationParts>();
const HTML = "text/html; charset=utf-8";
/** How long and how many forms of one page are kept for people who go on later. */
const SAVED_DAYS = 14;
const MAX_SAVED = 1_000;
const REDRAWS_PER_SEND = 10;
const LONGEST_SAVED = 65_536;

const showForm = contentOperation({
  kind: "page",
  name: "show_form_page",
  title: "Show a form page",
  description: "The inputs of a workflow as a page; with receipt what became of what was sent.",
  http: "GET /f/{slug}",
  access: "mixed",
  contentType: "text/html",
  ignoresOthers: true,
  input: inputOf({
    slug: FormSlug,
    receipt: Type.Optional(Type.String({ maxLength: 100, description: "The reference of what was sent." })),
    saved: Type.Optional(Type.String({ maxLength: 100, description: "The token of what was saved." })),
  }),
  output: Type.String(),
  async answer({ slug, receipt, saved }, { services, caller }) {
    const found = await openForm(services, slug, caller);
    if ("status" in found) return found;
    const { trigger, title, form } = found;
    const { logo } = trigger.settings;
    if (receipt === undefined && saved === undefined)
      return page(200, trigger, formPage(trigger, title, form));
    if (receipt === undefined) {
      const now = new Date(services.clock.now()).toISOString();
      const kept = await services.store.read.triggers.savedForm(trigger.id, sha256Hex(saved ?? ""), now);
      if (kept === null)
        return page(404, trigger, notePage(title, "Nothing is saved under this link any more.", { logo }));
      const texts = new URLSearchParams(kept.fields);
      texts.set(SAVED, saved ?? "");
      return page(200, trigger, formPage(trigger, title, form, texts));
    }
    const firing = await services.store.read.triggers.firing(trigger.id, { id: receipt });
    const state = firing === null ? "" : await stateOf(services, trigger, firing);
    if (state === "")
      return page(404, trigger, notePage(title, "Nothing was received under this reference.", { logo }));
    const link = { href: receiptHref(trigger, receipt), text: "Look again" };
    return page(200, trigger, notePage(title, "", { state, link, logo }));
  },
});

const sendForm = contentOperation({
  kind: "page",
  name: "send_form_page",
  title: "Send a form page",
  description:
    "Starts the workflow of a form page. As a form it answers with a page, as JSON with an envelope.",
  http: "POST /f/{slug}",
  access: "mixed",
  effect: "external",
  idempotent: false,
  contentType: "text/html",
  bodyType: "*/*",
  maxBodyBytes: 1_000_000,
  input: inputOf({ slug: FormSlug }),
  output: Type.String(),
  async answer({ slug }, { services, caller, context, request, bytes = Buffer.alloc(0) }, { triggerRate }) {
    const found = await openForm(services, slug, caller);
    if ("status" in found) return found;
    const { trigger, title, form } = found;
    const { perMinute = 10, thanks, logo } = trigger.settings;
    const type = request.headers["content-type"] ?? "";
    const isApi = /^application\/json\b/i.test(type);
    const sent: SentForm = isApi
      ? { texts: new URLSearchParams(), files: new Map() }
      : await readSent(bytes, type);
    const { texts, files } = sent;
    // A form that is filled in is drawn again and again.
    const isRedraw = REDRAWS.some((name) => texts.has(name));
    const most = isRedraw ? perMinute * REDRAWS_PER_SEND : perMinute;
    const counted = `${trigger.id} ${networkOf(request.client)}${isRedraw ? " redraw" : ""}`;
    triggerRate.take(counted, { perSecond: most / 60, burst: most });
    if (isRedraw) return page(200, trigger, formPage(trigger, title, form, texts));
    const coming = new Map(Array.from(files.keys(), (name) => [name, FILE_TO_COME]));
    const reader = new PageReader(form, texts, files, coming);
    const typed = isApi ? jsonInputs(bytes.toString("utf8")) : reader.inputs();
    const message = thanks ?? "Thank you. It was received.";
    // A program learns nothing from what it filled in by mistake.
    if ((texts.get(trapOf(form)) ?? "") !== "") return page(200, trigger, notePage(title, message, { logo }));
    if (texts.has(SAVING)) return saveForLater(services, found, texts);
    const sending = texts.get(SENDING) ?? "";
    const key = sending === "" ? manualKey(typed) : `sent ${sending.slice(0, 100)}`;
    const known = await services.store.read.triggers.firing(trigger.id, { key });
    try {
      let firing = known?.state === "started" ? known : null;
      if (firing === null) {
        // What is wrong is reported before a file is saved.
        checkSizes(files);
        await checkInputs(services, found, typed);
        const ids = await saveFiles(reader.uploads, files, trigger, context);
        const payload = ids.size === 0 ? typed : new PageReader(form, texts, files, ids).inputs();
        const arrival = { key, payload, headers: () => ({}), isForm: true };
        ({ firing } = await startWith(services, trigger, arrival, known));
      }
      const token = texts.get(SAVED);
      if (token !== null) await services.store.transact((tx) => tx.triggers.dropForm(sha256Hex(token)));
      if (isApi)
        return {
          status: 202,
          body: ok({ deliveryId: firing.id, runId: firing.runId, duplicate: known === firing }),
        };
      const state = await stateOf(services, trigger, firing);
      const link = { href: receiptHref(trigger, firing.id), text: "See how it goes" };
      return page(200, trigger, notePage(title, message, { state, link, logo }));
    } catch (error) {
      if (isApi || !(error instanceof AppError) || error.info.problems === undefined) throw error;
      return page(400, trigger, formPage(trigger, title, form, texts, error.info.problems));
    }
  },
});

/** What strangers do with form pages. */
export const formPageOperations = [showForm, sendForm];

interface OpenForm {
  readonly trigger: TriggerRecord;
  readonly title: string;
  readonly schema: Awaited<ReturnType<typeof inputSchemaOf>>;
  readonly form: PageForm;
}

/** Keeps what was typed under a link. Files are not part of it. */
async function saveForLater(
  { store, clock, settings }: Services,
  { trigger, title, form }: OpenForm,
  texts: URLSearchParams,
): Promise<HttpAnswer> {
  const { logo } = trigger.settings;
  const now = clock.now();
  const token = randomHex(24);
  const own = new Set([SAVING, SAVED, SENDING, trapOf(form)]);
  const kept = new URLSearchParams([...texts].filter(([name]) => !own.has(name))).toString();
  if (kept.length > LONGEST_SAVED) throw new AppError("too_large", "There is too much text to save it.");
  const expiresAt = new Date(now + SAVED_DAYS * 86_400_000).toISOString();
  await store.transact(async (tx) => {
    const before = texts.get(SAVED);
    if (before !== null) await tx.triggers.dropForm(sha256Hex(before));
    if ((await tx.triggers.countForms(trigger.id, new Date(now).toISOString())) >= MAX_SAVED)
      throw new AppError("conflict", "Too many forms are saved here already.", {
        nextAction: "Send the form without saving it.",
      });
    await tx.triggers.keepForm({ id: sha256Hex(token), triggerId: trigger.id, fields: kept, expiresAt });
  });
  const href = `/f/${trigger.slug ?? ""}?saved=${token}`;
  const message = `Saved. Keep this link: with it you can go on for ${SAVED_DAYS} days. Files have to be chosen again.`;
  return page(
    200,
    trigger,
    notePage(title, message, { link: { href, text: `${settings.baseUrl}${href}` }, logo }),
  );
}

/** Refuses inputs that the workflow would not take. */
async function checkInputs(
  { validator }: Services,
  { schema, trigger }: OpenForm,
  values: JsonObject,
): Promise<void> {
  const whole = { ...values, ...trigger.settings.inputs };
  const verdict = await validator.validate(withFilesOnly(schema, trigger.settings.inputs), whole);
  if (verdict.valid) return;
  const files = verdict.errors.filter(({ message }) => message.includes(FILE_TO_COME));
  if (files.length === 0) throw unfitInputs(schema, whole, verdict.errors);
  throw new AppError("invalid_input", "What stands in place of a file is no file.", {
    problems: files.map(({ pointer }) => ({
      pointer: `/inputs${pointer}`,
      message: "Must be a file.",
      fix: "Choose a file, or send the form as multipart/form-data with one.",
    })),
  });
}

/** The form at an address, or the page that says why it is not open. */
async function openForm(services: Services, slug: string, caller: Caller): Promise<OpenForm | HttpAnswer> {
  const { store, clock } = services;
  const trigger = await store.read.triggers.bySlug(slug);
  const workflow = trigger === null ? null : await store.read.workflows.get(trigger.workflowId);
  if (trigger === null || workflow === null)
    return page(404, null, notePage("Not found", "There is no form at this address."));
  const { settings } = trigger;
  const title = settings.title ?? asPublished(workflow).name;
  const isOver = settings.closesAt !== undefined && Date.parse(settings.closesAt) <= clock.now();
  if (isOver || trigger.pausedAt !== null)
    return page(
      410,
      trigger,
      notePage(title, isOver ? "This form is closed." : "This form is not open at the moment."),
    );
  if (settings.access === "signed-in" && caller.kind === "anonymous") {
    const href = `/sign-in?to=${encodeURIComponent(`/f/${slug}`)}`;
    return page(
      401,
      trigger,
      notePage(title, "Sign in to fill in this form.", { link: { href, text: "Sign in" } }),
    );
  }
  const schema = await inputSchemaOf(store, trigger.workflowId);
  return { trigger, title, schema, form: pageFormOf(schema, settings.inputs) };
}

function receiptHref({ slug }: TriggerRecord, firingId: string): string {
  return `/f/${slug ?? ""}?receipt=${encodeURIComponent(firingId)}`;
}

/** How far the run of a firing is, and its outputs where they are for who sent the form; empty without a run. */
async function stateOf({ store }: Services, trigger: TriggerRecord, firing: FiringRecord): Promise<string> {
  const run = firing.runId === null ? null : await store.read.runs.get(firing.runId);
  if (run === null) return "";
  const { state, outputs } = run;
  const isShown = trigger.settings.showOutputs === true && state === "succeeded" && outputs !== null;
  return statePart(state, receiptHref(trigger, firing.id), isShown && isInputs(outputs) ? outputs : {});
}

function page(status: number, trigger: TriggerRecord | null, content: string): HttpAnswer {
  return { status, headers: pageHeaders(trigger?.settings ?? {}), contentType: HTML, content };
}

function jsonInputs(text: string): JsonObject {
  let value: Json | undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJson(parsed)) value = parsed;
  } catch {
    value = undefined;
  }
  if (value !== undefined && isInputs(value)) return value;
  throw new AppError("invalid_input", "The body must be a JSON object with the inputs of the form.");
}
