import { SETTLE_OUTCOMES } from "../../model/states.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { byId, list, page, record } from "../from-operation.ts";
import { jsonOption } from "../input.ts";
import { resolveId } from "../newest.ts";
import type { Result } from "../output.ts";
import { jsonBlock, line, next, note, recordResult, table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";
import { repairCommands } from "./run-repairs.ts";

const runId = argument(
  "id",
  "The id of the run; `latest` is the newest one, `latest:failed` the newest failed one.",
);
const SHOWN = [
  "id",
  "status",
  "kind",
  "workflowId",
  "workflowVersion",
  "createdAt",
  "startedAt",
  "finishedAt",
  "resultConfirmed",
  "wakeAt",
  "startedBy",
  "traceUrl",
] as const;

/** Runs of workflows. */
export const runs = group("runs", {
  list: list({
    summary: "Runs, newest first; without a key the public ones.",
    access: "public",
    options: [
      option("--workflow <ID>", "Only runs of this workflow."),
      option("--status <STATES>", "Only runs in these states, separated by commas."),
      option("--started-by <ID>", "Only runs that this person or key started."),
      option("--from <TIME>", "Only runs from this day or time on."),
      option("--to <TIME>", "Only runs before this day or time."),
      option("--text <TEXT>", "Only runs with this text in their inputs."),
      limitOption,
      cursorOption,
    ],
    examples: [
      example("The newest runs", "--limit 10"),
      example("The ids of runs that did not succeed", "--status failed,timed_out --quiet", ["key"], {
        id: "runs-list-failed",
      }),
    ],
    operation: "list_runs",
    async input(cli) {
      const { given } = cli;
      const workflow = given.option("workflow");
      return {
        workflowId: workflow === undefined ? undefined : await resolveId(cli, workflow, "workflow"),
        status: given.option("status"),
        startedBy: given.option("started-by"),
        from: given.option("from"),
        to: given.option("to"),
        text: given.option("text"),
        ...page(cli),
      };
    },
    rows: "runs",
    columns: {
      ID: "id",
      STATUS: "status",
      WORKFLOW: "workflowId",
      KIND: "kind",
      STARTED: "createdAt",
      FINISHED: "finishedAt",
    },
  }),
  get: {
    summary: "One run with its steps.",
    access: "public",
    args: [runId],
    examples: [example("The newest run", "latest", ["key", "run"])],
    run: get,
  },
  items: list({
    summary: "What a map of a run did with its items; failed ones first.",
    access: "public",
    args: [runId, argument("step", "The map, such as `each`; or one item of it, such as `each[3]`.")],
    options: [limitOption, cursorOption],
    examples: [
      example("The first items of the newest run's map", "latest each --limit 10", ["key", "map-run"]),
    ],
    operation: "list_run_items",
    input: async (cli) => ({ ...(await byId("run")(cli)), step: cli.given.argument("step"), ...page(cli) }),
    rows: "items",
    id: "index",
    columns: {
      ITEM: "index",
      STATUS: "status",
      STARTED: ({ steps }) => steps[0]?.startedAt,
      FINISHED: ({ steps }) => steps.at(-1)?.finishedAt,
      ERROR: ({ steps }) => steps.map(({ error }) => error?.message ?? error?.code).find(Boolean),
    },
  }),
  watch: {
    summary: "Follow a run live until it ends; the exit status is its outcome.",
    about:
      "On a terminal a live view with a bar and the state of every step; elsewhere one line for each change. A run that waits for a person is followed on; the command to decide is shown.",
    access: "public",
    args: [runId],
    options: [option("--until-waiting", "Also end, with status 0, when the run waits for a person.")],
    examples: [
      example("Follow the newest run", "latest", ["key", "run"]),
      example(
        "Follow a run until a person is needed",
        "latest:waiting --until-waiting",
        ["key", "waiting-run"],
        { id: "runs-watch-waiting" },
      ),
    ],
    async run(cli) {
      const { watchRun } = await import("../watch.ts");
      return watchRun(cli, (await byId("run")(cli)).id, cli.given.flag("until-waiting"));
    },
  },
  cancel: record({
    summary: "Stop a run; effects that have happened are not undone.",
    args: [runId],
    options: [yesOption],
    examples: [example("Stop the newest run that waits", "latest:waiting --yes", ["waiting-run"])],
    operation: "cancel_workflow_run",
    input: byId("run"),
    confirm: ({ id }) => `Stop the run ${id}? What it has done is not undone.`,
    record: "run",
    fields: SHOWN,
  }),
  retry: record({
    summary: "Run a failed or timed-out run again; what succeeded stays.",
    args: [runId],
    examples: [example("Try the newest failed run again", "latest:failed", ["failed-run"])],
    operation: "retry_run",
    input: byId("run"),
    record: "run",
    fields: SHOWN,
    more: ({ run }) => [next(`suitectl runs watch ${run.id}`)],
  }),
  signal: record({
    summary: "Send a signal to a run, for a step that waits for it.",
    args: [runId, argument("name", "The name that the step waits for.")],
    options: [
      option("--payload <JSON>", "What the step gets: JSON, or @FILE."),
      option("--idempotency-key <KEY>", "The same key again is the same signal."),
    ],
    operation: "send_signal",
    async input(cli) {
      const { given } = cli;
      const payload = given.option("payload");
      return {
        id: await resolveId(cli, given.argument("id"), "run"),
        name: given.argument("name"),
        payload: payload === undefined ? undefined : await jsonOption(payload, "--payload"),
        idempotencyKey: given.option("idempotency-key"),
      };
    },
    record: "signal",
    fields: ["id", "name", "sentBy", "sentAt", "usedBy"],
  }),
  ...repairCommands,
  settle: record({
    summary: "Say what became of a step whose outcome is unknown.",
    args: [runId, argument("step", "The step whose outcome is unknown.")],
    options: [
      option("--outcome <OUTCOME>", "What happened.", { choices: SETTLE_OUTCOMES }),
      option("--output <JSON>", "The step's output, when it succeeded."),
      option("--reason <TEXT>", "How it is known; kept with the step and its receipt."),
    ],
    operation: "settle_step",
    async input(cli) {
      const { given } = cli;
      const outcome = given.choice("outcome", SETTLE_OUTCOMES);
      if (outcome === undefined)
        throw new Failure("usage", "What happened?", { next: "Add --outcome succeeded, failed or retry." });
      const output = given.option("output");
      return {
        id: await resolveId(cli, given.argument("id"), "run"),
        stepId: given.argument("step"),
        outcome,
        reason: given.option("reason"),
        output: output === undefined ? undefined : await jsonOption(output, "--output"),
      };
    },
    record: "run",
    fields: SHOWN,
  }),
});

async function get(cli: Cli): Promise<Result> {
  const envelope = await cli.client().run("get_run", await byId("run")(cli));
  const { run } = envelope.data;
  const { error, outputs, steps, maps = [], approvals = [] } = run;
  return recordResult(
    envelope,
    run,
    [...SHOWN, ...((error ?? null) === null ? [] : [["error", error?.message ?? error?.code] as const])],
    [
      line(""),
      table(
        {
          STEP: "id",
          STATUS: "status",
          ATTEMPT: "attempt",
          PORT: "port",
          STARTED: "startedAt",
          FINISHED: "finishedAt",
          ERROR: (step) => step.error?.message ?? step.error?.code,
        },
        steps,
      ),
      ...maps.flatMap(({ stepId, items, shown }) =>
        items === shown
          ? []
          : [
              note(`${stepId}: ${shown} of ${items} items are shown, failed ones first.`),
              next(`suitectl runs items ${run.id} ${stepId}`),
            ],
      ),
      ...steps.flatMap(({ id, settled }) => {
        if (settled === undefined) return [];
        const why = settled.reason === null ? "" : `: ${settled.reason}`;
        return [note(`Settled by ${settled.by}: ${id} ${settled.outcome}${why}`)];
      }),
      ...run.unconfirmedSteps.map(({ stepId, reason }) => note(`Not confirmed: ${stepId}. ${reason}`)),
      ...((outputs ?? null) === null ? [] : [line("\nOutputs:"), jsonBlock(outputs)]),
      ...approvals
        .filter(({ status }) => status === "pending")
        .map(({ id }) => next(`suitectl approvals show ${id}`)),
    ],
  );
}
