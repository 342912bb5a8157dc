import type { JsonObject, Trigger } from "@workflow-ui/client";
import {
  DECISIONS,
  eventChoiceOf,
  planOf,
  RUN_ENDS,
  UNITS,
  VERIFIERS,
  WEEKDAYS,
  type Kind,
} from "./settings.ts";

/* The forms of the four kinds of triggers. */

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
