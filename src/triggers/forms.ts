import { Type } from "typebox";
import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJson, type Json } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import { FormSlug } from "../model/triggers.ts";
import type { Caller } from "../ports/caller.ts";
import type { HttpAnswer } from "../ports/http.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import type { TriggerRecord } from "../ports/triggers.ts";
import {
  fieldsOf,
  formPage,
  isInputs,
  notePage,
  pageHeaders,
  SENDING,
  stateWords,
  TRAP,
  valuesOf,
} from "./form-page.ts";
import { inputSchemaOf } from "./inputs.ts";
import type { TriggerOperationParts } from "./operations.ts";
import { manualKey, startWith } from "./webhooks.ts";

const { contentOperation } = operationsWith<TriggerOperationParts>();
const HTML = "text/html; charset=utf-8";

const showForm = contentOperation({
  kind: "page",
  name: "show_form_page",
  title: "Show a form page",
  description: "The inputs of a workflow as a page; with receipt what became of what was sent.",
  http: "GET /f/{slug}",
  access: "mixed",
  effect: "none",
  idempotent: true,
  contentType: "text/html",
  ignoresOthers: true,
  input: inputOf({
    slug: FormSlug,
    receipt: Type.Optional(Type.String({ maxLength: 100, description: "The reference of what was sent." })),
  }),
  output: Type.String(),
  async answer({ slug, receipt }, { services, caller }) {
    const found = await openForm(services, slug, caller);
    if ("status" in found) return found;
    const { trigger, title, fields } = found;
    if (receipt === undefined) return page(200, trigger, formPage(trigger, title, fields));
    const firing = await services.store.read.triggers.firing(trigger.id, { id: receipt });
    const run = firing?.runId == null ? null : await services.store.read.runs.get(firing.runId);
    if (run === null)
      return page(404, trigger, notePage(title, "Nothing was received under this reference."));
    return page(
      200,
      trigger,
      notePage(title, stateWords(run.state), receiptLink(slug, receipt, "Look again")),
    );
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
  maxBodyBytes: 262_144,
  input: inputOf({ slug: FormSlug }),
  output: Type.String(),
  async answer({ slug }, { services, caller, request, bytes }, { triggerRate }) {
    const found = await openForm(services, slug, caller);
    if ("status" in found) return found;
    const { trigger, title, fields, schema } = found;
    const { perMinute = 10, thanks } = trigger.settings;
    triggerRate.take(`${trigger.id} ${request.client}`, { perSecond: perMinute / 60, burst: perMinute });
    const text = (bytes ?? Buffer.alloc(0)).toString("utf8");
    const isApi = /^application\/json\b/i.test(request.headers["content-type"] ?? "");
    const sent = isApi ? new URLSearchParams() : new URLSearchParams(text);
    const values = isApi ? jsonInputs(text) : valuesOf(fields, sent, schema);
    const said = thanks ?? "Thank you. It was received.";
    // A program learns nothing from what it filled in by mistake.
    if ((sent.get(TRAP) ?? "") !== "") return page(200, trigger, notePage(title, said));
    const sending = sent.get(SENDING);
    const key = sending === null || sending === "" ? manualKey(values) : `sent ${sending.slice(0, 100)}`;
    const known = await services.store.read.triggers.firing(trigger.id, { key });
    try {
      const { firing } =
        known?.state === "started"
          ? { firing: known }
          : await startWith(services, trigger, { key, payload: values, headers: {}, isForm: true }, known);
      if (isApi)
        return {
          status: 202,
          body: ok({ deliveryId: firing.id, runId: firing.runId, duplicate: known === firing }),
        };
      return page(200, trigger, notePage(title, said, receiptLink(slug, firing.id, "See how it goes")));
    } catch (error) {
      if (isApi || !(error instanceof AppError) || error.info.problems === undefined) throw error;
      return page(400, trigger, formPage(trigger, title, fields, sent, error.info.problems));
    }
  },
});

/** What strangers do with form pages. */
export const formPageOperations = [showForm, sendForm];

interface OpenForm {
  readonly trigger: TriggerRecord;
  readonly title: string;
  readonly schema: Awaited<ReturnType<typeof inputSchemaOf>>;
  readonly fields: ReturnType<typeof fieldsOf>;
}

/** The form at an address, or the page that says why it is not open. */
async function openForm(services: Services, slug: string, caller: Caller): Promise<OpenForm | HttpAnswer> {
  const { store, clock } = services;
  const trigger = await store.read.triggers.bySlug(slug);
  const workflow = trigger === null ? null : await store.read.workflows.get(trigger.workflowId);
  if (trigger === null || workflow === null)
    return page(404, null, notePage("Not found", "There is no form at this address."));
  const { settings } = trigger;
  const title = settings.title ?? workflow.name;
  const isOver = settings.closesAt !== undefined && Date.parse(settings.closesAt) <= clock.now();
  if (isOver || trigger.pausedAt !== null)
    return page(
      410,
      trigger,
      notePage(title, isOver ? "This form is closed." : "This form is not open at the moment."),
    );
  if (settings.access === "signed-in" && caller.kind === "anonymous") {
    const href = `/sign-in?to=${encodeURIComponent(`/f/${slug}`)}`;
    return page(401, trigger, notePage(title, "Sign in to fill in this form.", { href, text: "Sign in" }));
  }
  const schema = await inputSchemaOf(store, trigger.workflowId);
  return { trigger, title, schema, fields: fieldsOf(schema, settings.inputs) };
}

function receiptLink(
  slug: string,
  id: string,
  text: string,
): { readonly href: string; readonly text: string } {
  return { href: `/f/${slug}?receipt=${encodeURIComponent(id)}`, text };
}

function page(status: number, trigger: TriggerRecord | null, content: string): HttpAnswer {
  return { status, headers: pageHeaders(trigger?.settings.embedOrigins), contentType: HTML, content };
}

function jsonInputs(text: string): ReturnType<typeof valuesOf> {
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
