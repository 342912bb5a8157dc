import type { InputOf } from "../../../packages/client/client.ts";
import { agree } from "../asking.ts";
import type { Cli } from "../command.ts";
import { yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { byId, list, record } from "../from-operation.ts";
import { optionalJson } from "../input.ts";
import { resolveId } from "../newest.ts";
import type { Result } from "../output.ts";
import { line, next, note, recordResult, table } from "../results.ts";
import { argument, example, option } from "../spec.ts";

const runId = argument("id", "The id of the run; `latest:failed` is the newest failed one.");
const changes = [
  option("--rerun", "Run the step and what depends on it again."),
  option("--input <JSON>", "What the step gets instead: JSON, or @FILE."),
  option("--output <JSON>", "What counts as the output of the step."),
  option("--skip", "Leave the step out and go on behind it."),
  option("--continue", "Go on with another published version."),
  option("--version <N>", "The version to continue on; the newest when left out."),
  option("--reason <TEXT>", "Why, for the record; needed where a step is changed."),
  yesOption,
];

type Repair = Omit<InputOf<"repair_run">, "id" | "stepId" | "reportDigest">;

/** What the options ask for; without any, what failed is run again. */
async function repairIn(cli: Cli): Promise<Repair> {
  const { given } = cli;
  const input = await optionalJson(cli, "input");
  const output = await optionalJson(cli, "output");
  const wanted = [
    ...(given.flag("rerun") ? (["rerun"] as const) : []),
    ...(given.flag("skip") ? (["skip"] as const) : []),
    ...(given.flag("continue") ? (["continue"] as const) : []),
    ...(input === undefined ? [] : (["change_input"] as const)),
    ...(output === undefined ? [] : (["supply_output"] as const)),
  ];
  if (wanted.length > 1)
    throw new Failure("usage", "Only one of --rerun, --input, --output, --skip and --continue can be given.");
  return {
    action: wanted[0] ?? "retry",
    input,
    output,
    version: given.integer("version", 1),
    reason: given.option("reason"),
  };
}

/** What people do so that runs that did not succeed go on. */
export const repairCommands = {
  repair: {
    summary: "Let a failed run go on: again, with a changed step, or on a newer version.",
    about:
      "Shows what stays, what runs and which effects would happen again, and asks. Without an option what failed is run again.",
    args: [runId, argument("[step]", "The step that is repaired.")],
    options: changes,
    examples: [
      example("Run what failed again", "latest:failed --yes", ["failed-run"], { id: "runs-repair-retry" }),
    ],
    run: repair,
  },
  "repair-all": {
    summary: "Repair all runs of a workflow that failed at the same step with the same error.",
    args: [argument("workflow", "The id of the workflow.")],
    options: [
      option("--step <ID>", "The step they failed at; without it those that failed as a whole."),
      option("--code <CODE>", "The code of their error."),
      ...changes,
    ],
    run: repairAll,
  },
  failures: list({
    summary: "Failed runs by cause: workflow, step and error code.",
    options: [option("--workflow <ID>", "Only runs of this workflow.")],
    examples: [example("Why runs fail", "", ["failed-run"], { id: "runs-failures" })],
    operation: "list_run_failures",
    input: async (cli) => {
      const workflow = cli.given.option("workflow");
      return { workflowId: workflow === undefined ? undefined : await resolveId(cli, workflow, "workflow") };
    },
    rows: "groups",
    id: "code",
    columns: { COUNT: "count", WORKFLOW: "workflowId", STEP: "stepId", CODE: "code", MESSAGE: "message" },
  }),
  explain: record({
    summary: "Say in words what happened in a run and what can be done.",
    args: [runId],
    examples: [example("The newest failed run", "latest:failed", ["failed-run"], { id: "runs-explain" })],
    operation: "explain_run",
    input: byId("run"),
    record: "explanation",
    fields: ["runId"],
    more: ({ explanation: { sentences, next: todo } }) => [
      line(""),
      ...sentences.map(line),
      ...todo.map(note),
    ],
  }),
  compare: record({
    summary: "Where two runs differ, step by step.",
    args: [runId, argument("other", "The id of the other run.")],
    operation: "compare_runs",
    input: async (cli) => ({
      ...(await byId("run")(cli)),
      other: await resolveId(cli, cli.given.argument("other"), "run"),
    }),
    record: "comparison",
    fields: ["isSameDocument", "isSameInputs", "isSameOutputs", "firstDifference"],
    more: ({ comparison: { steps } }) => [
      line(""),
      table(
        { STEP: "stepId", FIRST: "first", SECOND: "second", DIFFERS: ({ differs }) => differs.join(", ") },
        steps,
      ),
    ],
  }),
} as const;

type Report = { readonly steps: readonly ReportStep[] };
type ReportStep = {
  readonly stepId: string;
  readonly outcome: string;
  readonly before: string | null;
  readonly isRepeated: boolean;
};

const REPORT_COLUMNS = {
  STEP: "stepId",
  BEFORE: "before",
  NOW: "outcome",
  "AGAIN?": ({ isRepeated }: ReportStep) => (isRepeated ? "effect happens again" : ""),
} as const;

function summaryOf({ steps }: Report): string {
  const count = (outcome: string): number => steps.filter((step) => step.outcome === outcome).length;
  const again = steps.filter(({ isRepeated }) => isRepeated).length;
  const runs = count("runs") + count("may_run");
  return `${count("kept")} results stay, ${runs} steps run, ${count("asked")} approvals are asked, ${again} effects happen again.`;
}

async function repair(cli: Cli): Promise<Result> {
  const client = cli.client();
  const { id } = await byId("run")(cli);
  const stepId = cli.given.optionalArgument("step");
  const wanted = { id, stepId, ...(await repairIn(cli)) };
  const { report } = (await client.run("preview_repair", wanted)).data;
  const question = `${summaryOf(report)} Repair the run ${id}?`;
  await agree(question, cli.given.flag("yes"));
  const envelope = await client.run("repair_run", { ...wanted, reportDigest: report.digest });
  return recordResult(
    envelope,
    envelope.data.run,
    ["id", "status", "workflowVersion"],
    [line(""), table(REPORT_COLUMNS, report.steps), next(`suitectl runs watch ${id}`)],
  );
}

async function repairAll(cli: Cli): Promise<Result> {
  const { given } = cli;
  const code = given.option("code");
  if (code === undefined)
    throw new Failure("usage", "Which error?", { next: "suitectl runs failures lists them; add --code." });
  const client = cli.client();
  const wanted = {
    workflowId: await resolveId(cli, given.argument("workflow"), "workflow"),
    failedStep: given.option("step") ?? null,
    code,
    stepId: given.option("step"),
    ...(await repairIn(cli)),
  };
  const { data } = await client.run("repair_runs", { ...wanted, preview: true });
  const reports = data.results.flatMap(({ report }) => (report === null ? [] : [report]));
  const steps = reports.flatMap((report) => report.steps);
  await agree(`${summaryOf({ steps })} Repair ${reports.length} runs?`, given.flag("yes"));
  const envelope = await client.run("repair_runs", {
    ...wanted,
    ...(data.digest !== null && { reportDigest: data.digest }),
  });
  const { results } = envelope.data;
  return recordResult(
    envelope,
    { repaired: results.filter(({ error }) => error === null).length },
    ["repaired"],
    [line(""), table({ RUN: "runId", ERROR: ({ error }) => error?.message }, results)],
  );
}
