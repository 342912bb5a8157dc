import type { InputOf, JsonObject, Trigger } from "@workflow-ui/client";
import { isObject } from "#kernel/json.ts";
import { numberAt } from "../../lib/read.ts";

/** What can start a workflow. */
export type Kind = Trigger["kind"];
/** What a trigger is set to, as it is sent. */
export type Settings = Omit<InputOf<"create_trigger">, "workflowId" | "kind">;

/** The four kinds with their names. */
export const KINDS = [
  { value: "schedule", label: "Schedule", about: "Starts at times that you choose." },
  { value: "webhook", label: "Webhook", about: "Starts when another service sends a request." },
  { value: "form", label: "Form page", about: "Starts when a person fills in a page." },
  { value: "event", label: "Event", about: "Starts when something happens in this service." },
] as const satisfies readonly { value: Kind; label: string; about: string }[];

export const VERIFIERS = [
  ["token", "A secret token"],
  ["hmac", "An HMAC-SHA256 signature"],
  ["standard-webhooks", "Standard Webhooks"],
  ["github", "GitHub"],
  ["stripe", "Stripe"],
  ["slack", "Slack"],
] as const;
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const UNITS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 };
export const RUN_ENDS = [
  ["succeeded", "It succeeds"],
  ["failed", "It fails"],
  ["*", "Anything that happens to it"],
] as const;
export const DECISIONS = [
  ["approved", "Approved"],
  ["rejected", "Rejected"],
  ["overdue", "Overdue"],
] as const;

/** The ways in which a person says when a schedule starts. */
type When =
  | { readonly kind: "daily" | "weekdays"; readonly time: string }
  | { readonly kind: "weekly"; readonly day: number; readonly time: string }
  | { readonly kind: "monthly"; readonly date: number; readonly time: string }
  | { readonly kind: "interval"; readonly every: number; readonly unit: string }
  | { readonly kind: "cron"; readonly cron: string };

/** The ways in which a person says what has to happen. */
type EventChoice =
  | { readonly kind: "run" | "approval"; readonly how: string; readonly workflow?: string }
  | { readonly kind: "artifact" | "handoff" }
  | { readonly kind: "other"; readonly type: string; readonly filter?: string };

/** The events of the kinds that say no more. */
const PLAIN_EVENTS = { artifact: "svc.artifact.saved", handoff: "svc.handoff.accepted" } as const;

/** The texts of a part of the form, which the form has checked against its schema. */
function textsIn(part: unknown): Readonly<Partial<Record<string, string>>> {
  const members = Object.entries(isObject(part) ? part : {});
  return Object.fromEntries(
    members.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])),
  );
}

/** The event that a trigger waits for, from what a person chose. */
function eventOf(what: unknown): Pick<Settings, "type" | "filter"> {
  const { kind = "", how = "", workflow = "", type = "", filter = "" } = textsIn(what);
  if (kind === "artifact" || kind === "handoff") return { type: PLAIN_EVENTS[kind] };
  const wanted = workflow === "" ? filter : `event.data.workflowId == "${workflow}"`;
  return {
    type: kind === "other" ? type : `svc.${kind}.${how}`,
    ...(wanted !== "" && { filter: wanted }),
  };
}

/** What a person would have chosen to wait for this event. */
export function eventChoiceOf({ type = "", filter = "" }: Pick<Trigger, "type" | "filter">): EventChoice {
  const [, kind, how = ""] = /^svc\.(run|approval)\.(.+)$/.exec(type) ?? [];
  const [, workflow] = /^event\.data\.workflowId == "(workflow_\w+)"$/.exec(filter) ?? [];
  if (kind === "run" && RUN_ENDS.some(([name]) => name === how) && (filter === "" || workflow !== undefined))
    return { kind, how, ...(workflow !== undefined && { workflow }) };
  if (kind === "approval" && DECISIONS.some(([name]) => name === how) && filter === "") return { kind, how };
  if (type === PLAIN_EVENTS.artifact && filter === "") return { kind: "artifact" };
  if (type === PLAIN_EVENTS.handoff && filter === "") return { kind: "handoff" };
  return { kind: "other", type, ...(filter !== "" && { filter }) };
}

/** When a schedule starts, from what a person chose; null while it is not complete. */
export function scheduleOf(when: unknown): Pick<Settings, "cron" | "everySeconds"> | null {
  const { kind, cron = "", unit = "", time = "" } = textsIn(when);
  if (kind === "cron") return cron === "" ? null : { cron };
  if (kind === "interval") {
    const every = numberAt(when, "every");
    return every === null ? null : { everySeconds: every * (UNITS[unit] ?? 60) };
  }
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? [];
  if (hour === undefined) return null;
  const at = `${Number(minute)} ${Number(hour)}`;
  if (kind === "weekly") return { cron: `${at} * * ${numberAt(when, "day") ?? 1}` };
  if (kind === "monthly") return { cron: `${at} ${numberAt(when, "date") ?? 1} * *` };
  return { cron: `${at} * * ${kind === "weekdays" ? "1-5" : "*"}` };
}

/** What a person would have chosen to get this schedule. */
export function planOf({ cron = "", everySeconds }: Pick<Trigger, "cron" | "everySeconds">): When {
  if (everySeconds !== undefined) {
    const unit = ["days", "hours"].find((name) => everySeconds % (UNITS[name] ?? 1) === 0) ?? "minutes";
    return { kind: "interval", every: everySeconds / (UNITS[unit] ?? 60), unit };
  }
  const [, minute = "", hour = "", date = "", day = ""] =
    /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-6])$/.exec(cron) ?? [];
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (minute === "" || (date !== "*" && day !== "*")) return { kind: "cron", cron };
  if (date !== "*") return { kind: "monthly", date: Number(date), time };
  if (day === "*") return { kind: "daily", time };
  return day === "1-5" ? { kind: "weekdays", time } : { kind: "weekly", day: Number(day), time };
}

/** What starts a trigger, in words. */
export function triggerWords(trigger: Trigger): string {
  if (trigger.kind === "webhook")
    return `Webhook, ${(VERIFIERS.find(([value]) => value === (trigger.verifier ?? "token"))?.[1] ?? "").replace(/^An? /, (article) => article.toLowerCase())}`;
  if (trigger.kind === "form") return `Form page /f/${trigger.slug ?? ""}`;
  if (trigger.kind === "event") {
    const [noun = "", what = ""] = (trigger.type ?? "").replace(/^svc\./, "").split(".");
    return `Event: ${noun} ${what === "*" ? "of any kind" : what.replaceAll("_", " ")}`;
  }
  const zone = trigger.cron === undefined ? "" : ` (${trigger.timeZone ?? "UTC"})`;
  return `${whenWords(planOf(trigger))}${zone}`;
}

function whenWords(when: When): string {
  switch (when.kind) {
    case "daily":
      return `Every day at ${when.time}`;
    case "weekdays":
      return `Monday to Friday at ${when.time}`;
    case "weekly":
      return `Every ${WEEKDAYS[when.day] ?? ""} at ${when.time}`;
    case "monthly":
      return `On day ${when.date} of the month at ${when.time}`;
    case "interval":
      return when.every === 1 ? `Every ${when.unit.slice(0, -1)}` : `Every ${when.every} ${when.unit}`;
    case "cron":
      return `Cron ${when.cron}`;
  }
}

/** What people call a trigger: its name, or what starts it. */
export function triggerName(trigger: Trigger): string {
  return trigger.name ?? triggerWords(trigger);
}

/** The settings that a form of a kind holds. */
export function settingsFrom(kind: Kind, value: JsonObject): Settings {
  const { when, what, ...rest } = value;
  if (kind === "event") return { ...rest, ...eventOf(what) };
  return kind === "schedule" ? { ...rest, ...scheduleOf(when) } : rest;
}
