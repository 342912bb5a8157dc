import { digestOf, sha256Hex } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { withExactIntegers } from "../kernel/exact-integers.ts";
import { isList, isObject, parsedJson, type Json, type JsonObject } from "../kernel/json.ts";
import { invalidBecause } from "../kernel/schema-words.ts";
import { isSecretName } from "../kernel/secrets.ts";
import { shellWord } from "../kernel/shell.ts";
import type { TriggerSettings } from "../model/triggers.ts";
import type { Caller } from "../ports/caller.ts";
import type { Alongside } from "../ports/credentials.ts";
import type { Services } from "../ports/services.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";
import { inferSchema, mergeSchemas } from "../../packages/forms/src/compile/infer.ts";
import { sampleOf } from "../workflows/sample.ts";
import { fire, isPassing, newFiring, reasonOf, type Fired } from "./firing.ts";
import { inputSchemaOf } from "./inputs.ts";
import { checkSender, headerOf, messageId, type Delivery } from "./verifiers.ts";

/** The connection that secrets of triggers are bound to in the vault. No program has this name. */
const VAULT_PLACE = "triggers";
const MAX_BYTES = 262_144;
const MAX_PARAMETERS = 1_000;
const DEFAULT_TYPES: NonNullable<TriggerSettings["contentTypes"]> = [
  "application/json",
  "application/x-www-form-urlencoded",
];
const SAMPLES = 20;
/** Headers that prove who the sender is, or that only proxies have put there. */
const HIDDEN = ["authorization", "cookie", "forwarded", "proxy-", "signature", "token", "secret", "key"];
const SYSTEM: Caller = { kind: "system", id: "triggers", scopes: new Set() };

/** The name of a trigger's secret in the vault. */
function secretName(triggerId: string): string {
  return triggerId.replaceAll("_", "-");
}

/** Keeps the secret of a trigger in the vault, in one transaction with what is written of the trigger. */
export function keepSecret(
  { credentials }: Pick<Services, "credentials">,
  triggerId: string,
  secret: string,
  caller: Caller,
  alongside: Alongside,
): Promise<void> {
  return credentials.keepVariable(secretName(triggerId), VAULT_PLACE, secret, caller, alongside);
}

/** Removes the secret of a trigger from the vault, with the trigger. */
export function dropSecret(
  { credentials }: Pick<Services, "credentials">,
  triggerId: string,
  caller: Caller,
  alongside: Alongside,
): Promise<void> {
  return credentials.dropVariable(secretName(triggerId), VAULT_PLACE, caller, alongside);
}

/** What came of a delivery. */
export interface Accepted {
  readonly firing: FiringRecord;
  readonly isNew: boolean;
}

/**
 * Checks a delivery, stores it with its run, and says which run it is. The same message again gives the same run.
 * `count` is called for genuine messages only: what strangers send does not use up the rate of the sender.
 */
export async function accept(
  services: Services,
  trigger: TriggerRecord,
  delivery: Delivery,
  count: () => void,
): Promise<Accepted | { readonly challenge: string }> {
  const { settings } = trigger;
  const now = services.clock.now();
  checkSize(settings, delivery);
  checkSender(
    settings,
    delivery,
    await services.credentials.variable(secretName(trigger.id), VAULT_PLACE, SYSTEM),
    now,
  );
  count();
  const payload = payloadOf(delivery);
  // Slack asks once whether the address is ours.
  if (settings.verifier === "slack" && isObject(payload) && payload["type"] === "url_verification") {
    return { challenge: typeof payload["challenge"] === "string" ? payload["challenge"] : "" };
  }
  if (trigger.pausedAt !== null)
    throw new AppError("conflict", "The webhook is paused.", {
      nextAction: "Send it again when it was resumed.",
    });
  const { key, known } = await occasionOf(services, trigger, delivery, payload);
  if (known !== null && known.state !== "failed") return { firing: known, isNew: false };
  return startWith(
    services,
    trigger,
    { key, payload, headers: () => shownHeaders(delivery, headerOf(settings)) },
    known,
  );
}

/** What came for a trigger. */
interface Arrival {
  readonly key: string;
  readonly payload: Json;
  /** Few workflows want them. */
  readonly headers: () => JsonObject;
  /** The members are inputs already. */
  readonly isForm?: boolean;
  /** Who starts it by hand. */
  readonly by?: Caller;
}

/** Starts a run with a payload that was checked, or keeps the payload with the reason why none was started. */
export async function startWith(
  services: Services,
  trigger: TriggerRecord,
  { key, payload, headers, isForm = false, by }: Arrival,
  known: FiringRecord | null = null,
  depth = 0,
): Promise<Accepted> {
  let seen: JsonObject | null = null;
  const occasion = { key, payload, depth, headers: () => seen, ...(by !== undefined && { by }) };
  let fired: Fired;
  try {
    await checkPayload(services, trigger.settings, payload);
    const inputsFor = (schema: JsonObject): JsonObject => {
      if (isForm && isObject(payload) && !isList(payload)) return { ...payload, ...trigger.settings.inputs };
      if (isObject(schema["properties"]) && Object.hasOwn(schema["properties"], "headers")) seen = headers();
      return inputsFrom(schema, payload, seen, trigger.settings);
    };
    fired = await fire(services, trigger, { ...occasion, inputsFor }, known);
  } catch (error) {
    if (isPassing(error)) throw error;
    const failed: FiringRecord = {
      ...(known ?? newFiring(trigger, occasion, services.clock.now())),
      state: "failed",
      payload,
      headers: headers(),
      reason: reasonOf(error),
    };
    await services.store.transact(async (tx) => {
      if (known === null) await tx.triggers.insertFiring(failed);
      else await tx.triggers.settle(failed, known.state);
    });
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, {
      ...error.info,
      nextAction: error.info.nextAction ?? MAPPING,
    });
  }
  if (fired === null)
    throw new AppError("conflict", "The same message is being accepted.", { retryAfterSeconds: 1 });
  return fired;
}

const MAPPING =
  "A workflow with an input named payload gets the whole payload there; otherwise each member goes to the input of its name.";

/** The inputs of a run: those that are set, and the payload as a whole or by the names of its members. */
function inputsFrom(
  schema: JsonObject,
  payload: Json,
  headers: JsonObject | null,
  { inputs = {} }: TriggerSettings,
): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const has = (name: string): boolean => Object.hasOwn(properties, name);
  const given = headers === null ? inputs : { ...inputs, headers };
  if (has("payload")) return { payload, ...given };
  if (has("event")) return { event: payload, ...given };
  // Workflows that come from n8n have the payload there.
  if (has("body") && !(isObject(payload) && Object.hasOwn(payload, "body")))
    return { body: payload, ...given };
  if (typeof payload !== "object" || payload === null || isList(payload)) return given;
  const isOpen = Object.keys(properties).length === 0 && schema["additionalProperties"] !== false;
  const named = Object.entries(payload).filter(([name]) => isOpen || has(name));
  return { ...Object.fromEntries(named), ...given };
}

async function checkPayload(
  { validator }: Services,
  { payloadSchema }: TriggerSettings,
  payload: Json,
): Promise<void> {
  if (payloadSchema === undefined) return;
  const verdict = await validator.validate(payloadSchema, payload);
  if (verdict.valid) return;
  throw new AppError(
    "invalid_input",
    invalidBecause("The payload is invalid by payloadSchema", verdict.errors),
    {
      problems: verdict.errors.map(({ pointer, message }) => ({ pointer, message })),
    },
  );
}

function checkSize(
  { contentTypes = DEFAULT_TYPES, maxBytes = MAX_BYTES }: TriggerSettings,
  { headers, body }: Delivery,
): void {
  if (body.length > maxBytes)
    throw new AppError("too_large", `The webhook takes ${maxBytes} bytes; this has ${body.length}.`);
  if (contentTypes.some((type) => type === mediaType(headers))) return;
  throw new AppError("unsupported_media_type", `The webhook takes ${contentTypes.join(" and ")}.`);
}

function mediaType(headers: Delivery["headers"]): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  const plain = type.trim().toLowerCase();
  return /^application\/[\w.-]+\+json$/.test(plain) ? "application/json" : plain;
}

function payloadOf({ headers, body }: Delivery): Json {
  const type = mediaType(headers);
  const text = body.toString("utf8");
  if (type === "text/plain") return text;
  if (type === "application/json") return parsed(text);
  if (text.split("&", MAX_PARAMETERS + 2).length > MAX_PARAMETERS)
    throw new AppError("too_large", `A form may have ${MAX_PARAMETERS} parameters.`);
  const members = Object.fromEntries(new URLSearchParams(text));
  const { payload, ...others } = members;
  // GitHub and Slack send JSON in a parameter of this name.
  return payload !== undefined && Object.keys(others).length === 0 ? parsed(payload) : members;
}

function parsed(text: string): Json {
  // A 64-bit id stays the id that was sent: as a text.
  const value = parsedJson(withExactIntegers(text).text);
  if (value === undefined) throw new AppError("invalid_input", "The payload is not valid JSON.");
  return value;
}

/** The message's own id makes it one occasion; without one the same body within the tolerance is the same message. */
async function occasionOf(
  { store, clock }: Services,
  { id, settings }: TriggerRecord,
  delivery: Delivery,
  payload: Json,
): Promise<{ readonly key: string; readonly known: FiringRecord | null }> {
  const named = messageId(settings, delivery, payload);
  if (named !== null) return { key: named, known: await store.read.triggers.firing(id, { key: named }) };
  const window = (settings.toleranceSeconds ?? 300) * 1_000;
  const now = clock.now();
  const digest = sha256Hex(
    Buffer.concat([Buffer.from(delivery.headers["x-slack-request-timestamp"] ?? ""), delivery.body]),
  );
  const keyAt = (time: number): string => `sha256:${digest}@${Math.floor(time / window)}`;
  const key = keyAt(now);
  const [before, known] = await Promise.all(
    [keyAt(now - window), key].map((one) => store.read.triggers.firing(id, { key: one })),
  );
  return before != null && now - Date.parse(before.createdAt) < window
    ? { key: before.key, known: before }
    : { key, known: known ?? null };
}

/** Without the header that proves who the sender is: it may hold the secret itself, under a name of any kind. */
function shownHeaders({ headers }: Delivery, proof: string): JsonObject {
  const hides = (name: string): boolean =>
    name === proof || isSecretName(name) || HIDDEN.some((part) => name.includes(part));
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !hides(name)),
  );
}

/** What a payload looks like: the schema that was given, or one that the newest payloads fit. */
export async function payloadShape(
  { store }: Services,
  { id, settings, workflowId }: TriggerRecord,
): Promise<{
  readonly schema: JsonObject;
  readonly from: "given" | "received" | "inputs";
  readonly payload: Json;
}> {
  const { items } = await store.read.triggers.firings(id, { limit: SAMPLES });
  const seen = items.flatMap(({ payload }) => (payload === null ? [] : [payload]));
  const [newest] = seen;
  if (settings.payloadSchema !== undefined)
    return {
      schema: settings.payloadSchema,
      from: "given",
      payload: newest ?? sampleOf(settings.payloadSchema),
    };
  if (newest !== undefined)
    return { schema: seen.map(inferSchema).reduce(mergeSchemas), from: "received", payload: newest };
  const schema = await inputSchemaOf({ read: store.read }, workflowId);
  return { schema, from: "inputs", payload: sampleOf(schema) };
}

/** A command that sends a payload as the verifier asks for, with the secret from a variable. */
export function curlFor(address: string, settings: TriggerSettings, payload: Json): string {
  const { verifier = "token" } = settings;
  const header = headerOf(settings);
  const lines = [`body=${shellWord(JSON.stringify(payload))}`];
  const hmac = (content: string, format = "-hex | sed 's/^.* //'"): string =>
    `$(printf %s ${content} | openssl dgst -sha256 -hmac "$SECRET" ${format})`;
  const headers: string[] = [];
  if (verifier === "token") headers.push(`${header}: ${header === "authorization" ? "Bearer " : ""}$SECRET`);
  else if (verifier === "hmac" || verifier === "github") {
    lines.push(`signature=${hmac('"$body"')}`);
    headers.push(`${header}: sha256=$signature`);
  } else if (verifier === "standard-webhooks") {
    lines.push(
      "at=$(date +%s)",
      `id=msg_$at`,
      `key=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')`,
      `signature=$(printf %s "$id.$at.$body" | openssl dgst -sha256 -mac HMAC -macopt hexkey:$key -binary | base64)`,
    );
    headers.push("webhook-id: $id", "webhook-timestamp: $at", "webhook-signature: v1,$signature");
  } else {
    lines.push(
      "at=$(date +%s)",
      `signature=${hmac(verifier === "stripe" ? '"$at.$body"' : '"v0:$at:$body"')}`,
    );
    if (verifier === "stripe") headers.push("stripe-signature: t=$at,v1=$signature");
    else headers.push("x-slack-request-timestamp: $at", "x-slack-signature: v0=$signature");
  }
  const sent = ["content-type: application/json", ...headers].map((text) => `-H "${text}"`).join(" ");
  return [...lines, `curl -X POST ${shellWord(address)} ${sent} -d "$body"`].join("\n");
}

/** A key for a start that a person asks for: every one is an occasion of its own. */
export function manualKey(payload: Json): string {
  return `${newId("manual")} ${digestOf(payload).slice(0, 23)}`;
}
