import type { Cli } from "../command.ts";
import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import { byId, list, page, record } from "../from-operation.ts";
import { resolveId } from "../newest.ts";
import type { Cell } from "../output.ts";
import { argument, example, group, option } from "../spec.ts";

const OVERLAPS = ["skip", "queue", "allow"] as const;
const VERIFIERS = ["standard-webhooks", "github", "stripe", "slack", "hmac", "token"] as const;
const oneTrigger = byId("trigger");
const shown = {
  record: "trigger",
  fields: ["id", "kind", "workflowId", "address", "nextAt", "paused", "pauseNote", "lastRunId", "actsFor"],
} as const;
const scheduled = "suitectl triggers schedule latest --cron '0 7 * * 1-5' --time-zone Europe/Berlin";
const after = (line: string) => [scheduled, `suitectl triggers ${line}`];

/** What starts workflows by itself. */
export const triggers = group("triggers", {
  list: list({
    summary: "Triggers, newest first.",
    options: [option("--workflow <ID>", "Only triggers of this workflow."), limitOption, cursorOption],
    examples: [example("What starts automatically")],
    operation: "list_triggers",
    input: (cli) => ({ workflowId: cli.given.option("workflow"), ...page(cli) }),
    rows: "triggers",
    columns: {
      ID: "id",
      KIND: "kind",
      WORKFLOW: "workflowId",
      NEXT: "nextAt",
      PAUSED: "paused",
      ADDRESS: "address",
    },
  }),
  schedule: record({
    summary: "Start a workflow at the dates of a cron expression, or at an interval.",
    args: [recordId("workflow")],
    options: [
      option("--cron <EXPRESSION>", "Minute, hour, day, month and weekday; seconds may come first."),
      option("--every <SECONDS>", "An interval instead of --cron."),
      option("--time-zone <ZONE>", "An IANA time zone; UTC when left out."),
      option("--overlap <RULE>", "While an earlier run is active.", { choices: OVERLAPS }),
      option(
        "--catch-up <SECONDS>",
        "How old a missed date may be that is made up for; a day when left out.",
      ),
      option("--jitter <SECONDS>", "Each date begins up to this much later."),
    ],
    examples: [
      example("Every working day at seven", "latest --cron '0 7 * * 1-5' --time-zone Europe/Berlin", [
        "workflow",
      ]),
    ],
    operation: "create_trigger",
    input: async (cli) => ({
      ...(await workflowIn(cli)),
      kind: "schedule",
      cron: cli.given.option("cron"),
      everySeconds: cli.given.integer("every", 1),
      timeZone: cli.given.option("time-zone"),
      overlap: cli.given.choice("overlap", OVERLAPS),
      catchUpSeconds: cli.given.integer("catch-up", 0),
      jitterSeconds: cli.given.integer("jitter", 0),
    }),
    ...shown,
  }),
  webhook: record({
    summary: "Start a workflow by requests to an address; the secret is shown this once.",
    args: [recordId("workflow")],
    options: [option("--verifier <NAME>", "How a request proves who sent it.", { choices: VERIFIERS })],
    examples: [example("Start on events of GitHub", "latest --verifier github", ["workflow"])],
    operation: "create_trigger",
    input: async (cli) => ({
      ...(await workflowIn(cli)),
      kind: "webhook",
      verifier: cli.given.choice("verifier", VERIFIERS),
    }),
    ...shown,
    more: ({ secret }) => [{ kind: "facts", facts: [["secret", secret]] }],
  }),
  form: record({
    summary: "Make the inputs of a workflow a page that starts it.",
    args: [recordId("workflow"), argument("slug", "The last part of its address.")],
    options: [option("--access <WHO>", "Who may fill it in.", { choices: ["public", "signed-in"] })],
    examples: [example("A page for everybody who has the link", "latest report-it", ["workflow"])],
    operation: "create_trigger",
    input: async (cli) => ({
      ...(await workflowIn(cli)),
      kind: "form",
      slug: cli.given.argument("slug"),
      access: cli.given.choice("access", ["public", "signed-in"]),
    }),
    ...shown,
  }),
  event: record({
    summary: "Start a workflow on an event of this service.",
    args: [recordId("workflow"), argument("type", "A type such as svc.run.failed, or svc.run.*.")],
    options: [option("--filter <CEL>", "Only where this expression over event is true.")],
    examples: [example("Run it when another run failed", "latest svc.run.failed", ["workflow"])],
    operation: "create_trigger",
    input: async (cli) => ({
      ...(await workflowIn(cli)),
      kind: "event",
      type: cli.given.argument("type"),
      filter: cli.given.option("filter"),
    }),
    ...shown,
  }),
  show: record({
    summary: "One trigger, with its next ten dates.",
    args: [recordId("trigger")],
    examples: [example("The newest one", after("show latest"), ["workflow"])],
    operation: "get_trigger",
    input: oneTrigger,
    record: "trigger",
    fields: ["id", "kind", "workflowName"],
    more: ({ trigger, nextDates }) => [
      { kind: "facts", facts: Object.entries(trigger).flatMap(settingRow) },
      { kind: "table", columns: ["NEXT DATES"], rows: nextDates.map((date) => [date]) },
    ],
  }),
  history: list({
    summary: "Every occasion on which a trigger started a run or was to, newest first.",
    args: [recordId("trigger")],
    options: [limitOption, cursorOption],
    examples: [example("What became of the newest one", after("history latest"), ["workflow"])],
    operation: "list_firings",
    input: async (cli) => ({ ...(await oneTrigger(cli)), ...page(cli) }),
    rows: "firings",
    columns: {
      ID: "id",
      STATE: "state",
      DATE: "dueAt",
      RUN: "runId",
      REASON: "reason",
      CREATED: "createdAt",
    },
  }),
  pause: record({
    summary: "Start nothing until it is resumed.",
    args: [recordId("trigger")],
    options: [option("--note <TEXT>", "Why.")],
    examples: [example("Pause the newest one", after("pause latest --note Closing"), ["workflow"])],
    operation: "change_trigger",
    input: async (cli) => ({ ...(await oneTrigger(cli)), paused: true, note: cli.given.option("note") }),
    ...shown,
  }),
  resume: record({
    summary: "Go on with the next date; dates of the pause are not made up for.",
    args: [recordId("trigger")],
    examples: [example("Resume the newest one", after("resume latest"), ["workflow"])],
    operation: "change_trigger",
    input: async (cli) => ({ ...(await oneTrigger(cli)), paused: false }),
    ...shown,
  }),
  secret: record({
    summary: "Make a new secret for a webhook; it is shown this once, and the one before ends.",
    args: [recordId("trigger")],
    options: [yesOption],
    examples: [
      example(
        "The newest one",
        ["suitectl triggers webhook latest", "suitectl triggers secret latest --yes"],
        ["workflow"],
      ),
    ],
    operation: "change_trigger",
    input: async (cli) => ({ ...(await oneTrigger(cli)), newSecret: true }),
    confirm: () => "Make a new secret? The one before ends.",
    fields: ["secret"],
  }),
  fire: record({
    summary: "Start the run of a trigger now, or again with the payload of an earlier firing.",
    args: [recordId("trigger"), argument("[firing]", "The id of the firing to replay.")],
    examples: [example("Start the newest one now", after("fire latest"), ["workflow"])],
    operation: "fire_trigger",
    input: async (cli) => ({ ...(await oneTrigger(cli)), firingId: cli.given.optionalArgument("firing") }),
    record: "firing",
    fields: ["id", "state", "runId", "reason"],
  }),
  backfill: record({
    summary: "Queue a run for each date of a range in the past that has none.",
    args: [
      recordId("trigger"),
      argument("from", "The beginning, as ISO 8601."),
      argument("until", "The end, as ISO 8601."),
    ],
    examples: [
      example("A day of the past", after("backfill latest 2026-01-05T00:00:00Z 2026-01-05T23:00:00Z"), [
        "workflow",
      ]),
    ],
    operation: "backfill_trigger",
    input: async (cli) => ({
      ...(await oneTrigger(cli)),
      from: cli.given.argument("from"),
      until: cli.given.argument("until"),
    }),
    fields: ["queued"],
  }),
  remove: record({
    summary: "Remove a trigger and its history. Its runs stay.",
    args: [recordId("trigger")],
    options: [yesOption],
    examples: [example("Remove the newest one", after("remove latest --yes"), ["workflow"])],
    operation: "remove_trigger",
    input: oneTrigger,
    confirm: () => "Remove the trigger and its history?",
    fields: ["removed"],
  }),
});

async function workflowIn(cli: Cli): Promise<{ readonly workflowId: string }> {
  return { workflowId: await resolveId(cli, cli.given.argument("id"), "workflow") };
}

/** A setting as a row; none for what is empty or shown already. */
function settingRow([name, value]: readonly [string, unknown]): readonly (readonly [string, Cell])[] {
  if (value == null || ["id", "kind", "workflowName"].includes(name)) return [];
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return [[name, isPlain ? value : JSON.stringify(value)]];
}
