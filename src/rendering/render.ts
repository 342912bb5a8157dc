import type { FormDocument, FormSource } from "../../packages/forms/src/index.ts";
import { okWithText, type Written } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJson, isJsonObject, type JsonObject } from "../kernel/json.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { RenderedFormRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import {
  keptDigest,
  keptOf,
  renderQuickly,
  written,
  type RenderInput,
  type WrittenForm,
} from "./render-form.ts";
import { withoutTrailing } from "../kernel/text.ts";

/** What became of keeping the form. */
interface StoredState extends JsonObject {
  readonly status: "stored" | "not_configured" | "not_stored" | "pending";
  readonly detail: string;
}

const STORE_MS = 300;
const RECENT = 500;
const RECENT_MS = 60_000;
const recent = new WeakMap<Services, Map<string, number>>();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** New forms of callers without a key in the current hour. */
const guests = new WeakMap<Services, { since: number; kept: number }>();

/** Characters of a schema that may be rendered at once; a larger one takes a worker thread. */
const SMALL = 2_048;

/** Renders a form. The cost of a schema is the caller's choice, so a worker thread does all but the cheap ones. */
export async function render(
  input: RenderInput,
  services: Services,
  signal?: AbortSignal,
): Promise<WrittenForm> {
  const gateway = `${withoutTrailing(services.settings.baseUrl, "/")}/api/mcp`;
  const quick = JSON.stringify(input.schema).length <= SMALL ? renderQuickly(input, gateway) : null;
  if (quick) return written(quick);
  const { output, texts } = await services.workers.run("render_form", { ...input, gateway }, signal);
  return { ...output, json: texts[0] ?? "" };
}

/** The form that was written. */
export function readForm({ json }: WrittenForm): FormDocument & JsonObject {
  return JSON.parse(json);
}

/** Renders a form, keeps it, and answers with it. */
export async function renderAnswer(
  input: RenderInput,
  context: CallContext,
  extra: JsonObject = {},
): Promise<Written> {
  const form = await render(input, context.services, context.signal);
  const stored = await keep(input, form, context);
  return okWithText("form", form.json, {
    formId: form.formId,
    fieldCount: form.fieldCount,
    renderStatus: form.isRaw ? "raw_json" : "rendered",
    stored,
    ...extra,
  });
}

/**
 * Keeps a form under its id, with its event and provenance in one transaction. What is kept is the input: the form is
 * the same whenever it is rendered again. A store that fails or is slow never fails the rendering: the answer says so.
 */
async function keep(input: RenderInput, form: WrittenForm, context: CallContext): Promise<StoredState> {
  const { services } = context;
  if (services.store.kind === "none") {
    return {
      status: "not_configured",
      detail: "No storage is configured; the form was rendered and not kept.",
    };
  }
  if (context.dryRun === true) return { status: "not_stored", detail: "A dry run keeps nothing." };
  const seen = recentOf(services);
  const now = services.clock.now();
  // A form that a guest has just had kept is written again for a caller with a key: from then on it is theirs too.
  const mark = context.caller.kind === "anonymous" ? form.formId : `${form.formId} keyed`;
  if (now - (seen.get(mark) ?? Number.NEGATIVE_INFINITY) < RECENT_MS) return stored(form.formId);
  const isGuest = context.caller.kind === "anonymous" && !isPublicSource(input.source, input.trusted);
  if (isGuest && !(await mayKeep(form.formId, services))) {
    return {
      status: "not_stored",
      detail: `Callers without a key can have ${services.settings.anonymousForms.perHour} new forms an hour kept, all of them together, and that many were; the form was rendered and not kept. With a key it is kept.`,
    };
  }
  const writing = write(input, form, context, isGuest).then(
    (isNew) => {
      if (isGuest && !isNew) giveBack(services);
      if (seen.size >= RECENT) seen.clear();
      seen.set(mark, now);
      return stored(form.formId);
    },
    (cause: unknown): StoredState => {
      if (isGuest) giveBack(services);
      services.log.warn("form not stored", { formId: form.formId }, cause);
      return { status: "not_stored", detail: "Storage did not take the form; it was rendered and not kept." };
    },
  );
  return Promise.race([writing, timeout()]);
}

function stored(formId: string): StoredState {
  return { status: "stored", detail: `Kept as ${formId}; get_rendered_form gives it back.` };
}

function timeout(): Promise<StoredState> {
  return new Promise((resolve) => {
    const detail = "Storage is slow at the moment; whether the form is kept is not known yet.";
    setTimeout(() => resolve({ status: "pending", detail }), STORE_MS).unref();
  });
}

/** True when a form is kept already, or one more of this hour may be. */
async function mayKeep(formId: string, services: Services): Promise<boolean> {
  const now = services.clock.now();
  let hour = guests.get(services);
  if (!hour || now - hour.since >= HOUR_MS) {
    hour = { since: now, kept: 0 };
    guests.set(services, hour);
  }
  const { perHour, most } = services.settings.anonymousForms;
  if (hour.kept < Math.min(perHour, most)) {
    hour.kept += 1;
    return true;
  }
  return (await services.store.read.forms.get(formId).catch(() => null)) !== null;
}

/** A rendering that added no form does not count. */
function giveBack(services: Services): void {
  const hour = guests.get(services);
  if (hour && hour.kept > 0) hour.kept -= 1;
}

/** True when the form is new. */
async function write(
  input: RenderInput,
  form: WrittenForm,
  context: CallContext,
  isGuest: boolean,
): Promise<boolean> {
  const { services } = context;
  const at = new Date(services.clock.now()).toISOString();
  const source: unknown = {
    ...input.source,
    trusted: input.trusted,
    ...(isGuest && { anonymous: true }),
  };
  const record: RenderedFormRecord = {
    id: form.formId,
    title: form.title,
    source: isJsonObject(source) ? source : {},
    form: keptOf(input, form.title),
    createdAt: at,
    lastRenderedAt: at,
    renderCount: 1,
  };
  const provenance = () =>
    ({
      kind: "rendered_form",
      subjectId: record.id,
      digest: form.digest ?? keptDigest(input, form.title),
      privacy: isPublicSource(input.source, input.trusted) ? "public" : "internal",
      predicate: { formId: record.id, kind: input.source.kind, by: context.caller.id },
    }) as const;
  return services.store.transact(async (tx) => {
    const known = await tx.forms.get(record.id);
    // Once a caller with a key has rendered a form, it does not become a guest's again.
    const isKeyed = known !== null && known.source["anonymous"] !== true;
    // Who rendered it without a key has its input, and goes on seeing it.
    const guest = isGuest || known?.source["anonymous"] === true || known?.source["guest"] === true;
    const source = isKeyed ? known.source : record.source;
    const stays = guest && source["anonymous"] !== true;
    await tx.forms.upsert({ ...record, source: stays ? { ...source, guest } : source });
    // The provenance log only grows, so a caller without a key adds nothing to it.
    if (!isGuest && !isKeyed) await services.provenance.append(tx, [provenance()]);
    if (known) return false;
    if (isGuest) {
      const { most, days } = services.settings.anonymousForms;
      await tx.forms.evictAnonymous(most, new Date(services.clock.now() - days * DAY_MS).toISOString());
    }
    const about = { id: record.id, kind: input.source.kind };
    await tx.events.append([
      {
        type: "svc.form.rendered",
        subject: record.id,
        traceparent: traceparentOf(context.trace),
        data: {
          ...about,
          title: record.title,
          by: context.caller.id,
          ...(input.source.ref !== undefined && { ref: input.source.ref }),
        },
        publicData: isPublicSource(input.source, input.trusted) ? about : null,
        madeIn: runOfCall(context.meta),
      },
    ]);
    return true;
  });
}

function recentOf(services: Services): Map<string, number> {
  let seen = recent.get(services);
  if (!seen) {
    seen = new Map();
    recent.set(services, seen);
  }
  return seen;
}

/** True for forms of this service's own definitions, which everybody may see. */
export function isPublicSource(source: Pick<FormSource, "kind" | "server">, trusted: boolean): boolean {
  return trusted && source.server === undefined && source.kind !== "json_schema";
}

/** The form of a stored record, rendered again from its input. */
export function renderStored(record: RenderedFormRecord, services: Services): Promise<WrittenForm> {
  const { schema, title } = record.form;
  const { source } = record;
  if (!isJsonObject(schema)) throw new AppError("internal", "A stored form has no schema.");
  return render(
    {
      schema,
      source: sourceOf(source),
      title: typeof title === "string" ? title : undefined,
      formId: record.id,
      trusted: source["trusted"] === true,
      // It was within its caller's limit when it was kept.
      limit: services.settings.schemaBytes.keyed,
    },
    services,
  );
}

const KINDS: readonly FormSource["kind"][] = [
  "json_schema",
  "mcp_tool",
  "openapi_operation",
  "webhook",
  "ascii_conversion",
];

function sourceOf(stored: JsonObject): FormSource {
  const { trusted: _trusted, anonymous: _anonymous, guest: _guest, ...rest } = stored;
  const kind = KINDS.find((name) => name === stored["kind"]) ?? "json_schema";
  const source: FormSource = { ...rest, kind };
  return isJson(rest) ? source : { kind };
}
