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

const VERIFIERS = [
  ["token", "A secret token"],
  ["hmac", "An HMAC-SHA256 signature"],
  ["standard-webhooks", "Standard Webhooks"],
  ["github", "GitHub"],
  ["stripe", "Stripe"],
  ["slack", "Slack"],
] as const;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const UNITS: Readonly<Record<string, number>> = { minutes: 60, hours: 3_600, days: 86_400 };
const RUN_ENDS = [
  ["succeeded", "It succeeds"],
  ["failed", "It fails"],
  ["*", "Anything that happens to it"],
] as const;
const DECISIONS = [
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
function planOf({ cron = "", everySeconds }: Pick<Trigger, "cron" | "everySeconds">): When {
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

/** What the form of a kind begins with. */
export function formValue(kind: Kind, trigger: Trigger | null): JsonObject {
  if (trigger !== null) {
    const known = Object.entries(JSON.parse(JSON.stringify(trigger))).filter(([name]) =>
      Object.hasOwn(OWN[kind]([]), name),
    );
    return {
      ...Object.fromEntries(known),
      ...(kind === "schedule" && { when: planOf(trigger) }),
      ...(kind === "event" && { what: eventChoiceOf(trigger) }),
    };
  }
  if (kind === "schedule")
    return {
      when: { kind: "daily", time: "07:00" },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
  if (kind === "event") return { what: { kind: "run", how: "failed" } };
  return kind === "webhook" ? { verifier: "token" } : { access: "public" };
}

const text = (title: string, more: JsonObject = {}): JsonObject => ({ type: "string", title, ...more });
const whole = (title: string, description: string, minimum: number, maximum: number): JsonObject => ({
  type: "integer",
  title,
  description,
  minimum,
  maximum,
});
const choice = (title: string, options: readonly (readonly [string | number, string])[]): JsonObject => ({
  title,
  oneOf: options.map(([value, label]) => ({ const: value, title: label })),
});

const HEADER = { pattern: "^[A-Za-z0-9-]{1,100}$" } as const;

/** One of several ways, each with fields of its own, of which only those in `optional` may be missing. */
const way = (
  kind: string,
  title: string,
  properties: JsonObject,
  optional: readonly string[] = [],
): JsonObject => ({
  title,
  type: "object",
  properties: { kind: { const: kind, "x-ui": { hidden: true } }, ...properties },
  required: ["kind", ...Object.keys(properties).filter((name) => !optional.includes(name))],
});

function planSchema(): JsonObject {
  const time = text("Time", {
    pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
    description: "Hours and minutes, such as 07:00.",
  });
  return {
    title: "When",
    oneOf: [
      way("daily", "Every day", { time }),
      way("weekdays", "Monday to Friday", { time }),
      way("weekly", "Every week", {
        day: choice(
          "Day",
          [1, 2, 3, 4, 5, 6, 0].map((day) => [day, WEEKDAYS[day] ?? ""]),
        ),
        time,
      }),
      way("monthly", "Every month", { date: whole("Day of the month", "", 1, 31), time }),
      way("interval", "Every few minutes, hours or days", {
        every: whole("Every", "", 1, 10_000),
        unit: choice(
          "Unit",
          Object.keys(UNITS).map((unit) => [unit, unit]),
        ),
      }),
      way("cron", "Cron expression", {
        cron: text("Cron expression", {
          minLength: 1,
          description: "Minute, hour, day, month, weekday; with six fields seconds come first.",
        }),
      }),
    ],
  };
}

/** A workflow that a person can choose. */
export interface Choosable {
  readonly id: string;
  readonly name: string;
}

function eventSchema(workflows: readonly Choosable[]): JsonObject {
  const workflow = {
    ...choice(
      "Workflow",
      workflows.map(({ id, name }) => [id, name]),
    ),
    description: "Any workflow when none is chosen.",
    "x-ui": { widget: "select" },
  };
  return {
    title: "What happens",
    oneOf: [
      way(
        "run",
        "A run of a workflow",
        { ...(workflows.length > 0 && { workflow }), how: choice("And", RUN_ENDS) },
        ["workflow"],
      ),
      way("approval", "An approval", { how: choice("And it is", DECISIONS) }),
      way("artifact", "An artifact is saved", {}),
      way("handoff", "A handoff is accepted", {}),
      way(
        "other",
        "Another event",
        {
          type: text("Event", {
            minLength: 1,
            maxLength: 100,
            description: "A type of the event catalogue; svc.step.* names several.",
          }),
          filter: text("Filter", {
            maxLength: 2_000,
            description: "A CEL expression over event. Empty: every event of the type.",
            "x-ui": { widget: "multiline" },
          }),
        },
        ["filter"],
      ),
    ],
  };
}

/** The settings of each kind, as a schema has them. */
const OWN: Readonly<Record<Kind, (workflows: readonly Choosable[]) => JsonObject>> = {
  schedule: () => ({
    name: text("Name"),
    when: planSchema(),
    timeZone: {
      title: "Time zone",
      enum: [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])],
      "x-ui": { widget: "search" },
    },
    inputs: {},
    overlap: choice("While an earlier run is active", [
      ["skip", "Skip the date"],
      ["queue", "Wait for it"],
      ["allow", "Start beside it"],
    ]),
    catchUpSeconds: whole(
      "Catch up (seconds)",
      "Missed dates start later when they are at most this old. 86,400 by default.",
      0,
      31_536_000,
    ),
    jitterSeconds: whole("Spread (seconds)", "Each date starts up to this much later.", 0, 86_400),
  }),
  webhook: () => ({
    name: text("Name"),
    verifier: choice("How the sender proves who it is", VERIFIERS),
    secret: text("Secret", {
      minLength: 8,
      maxLength: 500,
      writeOnly: true,
      description: "Only when the sender chose it. One is made when it is left empty.",
      "x-ui": { widget: "password" },
    }),
    inputs: {},
    waitSeconds: whole(
      "Answer with the outputs (seconds)",
      "Waits this long for the run. 0: the answer comes at once.",
      0,
      30,
    ),
    header: text("Header of the signature or token", {
      ...HEADER,
      description: "Letters, digits and hyphens.",
    }),
    idHeader: text("Header that names a message", {
      ...HEADER,
      description: "A message that comes again starts nothing.",
    }),
    perMinute: whole("Requests a minute", "600 by default.", 1, 60_000),
    maxBytes: whole("Largest body (bytes)", "262,144 by default.", 1, 1_000_000),
    toleranceSeconds: whole("Age of a signature (seconds)", "300 by default.", 1, 86_400),
  }),
  form: () => ({
    name: text("Name"),
    slug: text("Address", {
      pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
      description: "The last part of the address, after /f/: lower-case letters, digits and hyphens.",
    }),
    title: text("Title", { maxLength: 200, description: "The name of the workflow when it is left empty." }),
    text: text("Text", { maxLength: 4_000, "x-ui": { widget: "multiline" } }),
    access: choice("Who may fill it in", [
      ["public", "Anybody who has the link"],
      ["signed-in", "Signed-in people"],
    ]),
    inputs: {},
    closesAt: text("Closes at", { format: "date-time" }),
    thanks: text("Text after sending", { maxLength: 1_000, "x-ui": { widget: "multiline" } }),
    showOutputs: {
      type: "boolean",
      title: "Show the outputs",
      description: "Who sent it sees the outputs of the run when it has succeeded.",
    },
    logo: text("Logo", {
      format: "data-url",
      maxLength: 40_000,
      description: "A PNG, JPEG, GIF, WebP or SVG picture of at most 30 KB.",
      "x-ui": { options: { accept: "image/*" } },
    }),
    perMinute: whole("Sendings a minute from one address", "10 by default.", 1, 60_000),
    embedOrigins: {
      type: "array",
      title: "Sites that may embed it",
      maxItems: 20,
      items: text("Origin", {
        pattern: "^https?://[A-Za-z0-9.-]+(?::\\d{1,5})?$",
        description: "Such as https://www.example.com.",
      }),
    },
  }),
  event: (workflows) => ({
    name: text("Name"),
    what: eventSchema(workflows),
    inputs: {},
  }),
};

/** What is asked for in any case; the rest is folded away. */
const FIRST: Readonly<Record<Kind, readonly string[]>> = {
  schedule: ["name", "when", "timeZone"],
  webhook: ["name", "verifier", "secret"],
  form: ["name", "slug", "title", "text", "access", "closesAt"],
  event: ["name", "what"],
};
const REQUIRED: Readonly<Record<Kind, readonly string[]>> = {
  schedule: ["when", "timeZone"],
  webhook: ["verifier"],
  form: ["slug", "access"],
  event: ["what"],
};

/** The settings of a kind as a schema, with the inputs of the workflow in it. The address of a form does not change. */
export function settingsSchema(
  kind: Kind,
  inputs: JsonObject,
  isNew: boolean,
  workflows: readonly Choosable[],
): JsonObject {
  const { $defs, definitions, ...own } = inputs;
  const { slug, inputs: _place, ...rest } = OWN[kind](workflows);
  const takesInputs = Object.keys(Object(own["properties"] ?? {})).length > 0;
  // What a webhook, a form or an event brings is added: here nothing is missing.
  const { required, ...partial } = own;
  const given = {
    ...partial,
    title: "Inputs",
    description:
      kind === "schedule"
        ? "Every run gets these."
        : "Every run gets these; what comes from outside is added.",
    ...(kind === "schedule" && required !== undefined && { required }),
  };
  const properties: Record<string, JsonObject[string]> = {
    ...(isNew && slug !== undefined && { slug }),
    ...rest,
    ...(takesInputs && { inputs: given }),
  };
  const first = FIRST[kind].filter((name) => Object.hasOwn(properties, name));
  const isAsked = kind === "schedule" && takesInputs && Array.isArray(required) && required.length > 0;
  const shown = isAsked ? [...first, "inputs"] : first;
  const folded = Object.keys(properties).filter((name) => !shown.includes(name));
  return {
    type: "object",
    properties,
    required: [...REQUIRED[kind], ...(isAsked ? ["inputs"] : [])].filter((name) =>
      Object.hasOwn(properties, name),
    ),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    "x-ui": {
      sections: [
        { title: "Settings", fields: shown },
        ...(folded.length === 0 ? [] : [{ title: "More settings", fields: folded, collapsed: true }]),
      ],
    },
  };
}
