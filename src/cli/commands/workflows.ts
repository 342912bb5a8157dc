import type { Workflow } from "../../../packages/client/client.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, recordId } from "../conventions.ts";
import { byId, list, record, toolPage } from "../from-operation.ts";
import { optionalJson } from "../input.ts";
import { resolveId } from "../newest.ts";
import { isFile, readWorkflow } from "../workflow-file.ts";
import type { Result } from "../output.ts";
import { jsonBlock, line, next, note, recordResult, table } from "../results.ts";
import { argument, example, group, option, type ArgumentSpec } from "../spec.ts";
import { graphBlocks, lossBlocks, problemBlocks, spanOf } from "../workflow-blocks.ts";
import { diffWorkflows } from "../workflow-diff.ts";
import { importFile } from "../workflow-import.ts";

/** A small workflow, as a person writes it. */
const HEALTH_CHECK = `name: Health check
nodes:
  - id: health
    type: tool
    tool: get_health
edges: []`;

const workflowOrFile = (name: string): ArgumentSpec =>
  argument(
    name,
    "The id of a stored workflow (`latest` is the newest), a JSON or YAML file, or - for standard input.",
    { kind: "file" },
  );
const documentFile = argument("file", "A workflow document as JSON or YAML; - is standard input.", {
  kind: "file",
});
const inputs = option("--inputs <JSON>", "The inputs as a JSON object; - is standard input, @FILE a file.", {
  kind: "file",
});
const STATUSES = ["archived", "draft", "published"] as const;
const VISIBILITIES = ["private", "public"] as const;
const FORMATS = ["json", "yaml", "arazzo", "serverless", "mermaid"] as const;
const SHOWN = [
  "id",
  "name",
  "description",
  "tags",
  "status",
  "visibility",
  "publishedVersion",
  "revision",
  "owner",
  "updatedAt",
] as const;
const oneWorkflow = byId("workflow");

/** Writing, checking, running and exchanging workflows. */
export const workflows = group("workflows", {
  list: list({
    summary: "Stored workflows, newest first; without a key the published public ones.",
    access: "public",
    options: [limitOption, cursorOption],
    examples: [example("The newest workflows", "--limit 10")],
    operation: "list_workflows",
    ...toolPage,
    rows: "workflows",
    columns: {
      ID: "id",
      NAME: "name",
      STATUS: "status",
      VISIBILITY: "visibility",
      VERSION: "publishedVersion",
      UPDATED: "updatedAt",
    },
  }),
  get: record({
    summary: "One workflow: its state, steps and edges.",
    access: "public",
    args: [recordId("workflow")],
    examples: [example("The newest workflow as YAML", "latest --yaml", ["key", "workflow"])],
    operation: "get_workflow",
    input: oneWorkflow,
    record: "workflow",
    fields: SHOWN,
    more: ({ workflow }) => graphBlocks(workflow),
  }),
  create: {
    summary: "Store a new private draft.",
    args: [documentFile],
    options: [
      option("--name <NAME>", "Its name, instead of the document's."),
      option("--tag <TAG...>", "A word to find it by."),
    ],
    examples: [
      example("Write a workflow and store it", "-", [], {
        stdin: HEALTH_CHECK,
      }),
    ],
    run: create,
  },
  update: {
    summary: "Change a stored workflow; what is left out stays.",
    about:
      "With a file the whole graph is replaced. The file's `revision`, or --revision, is the one you started from: if the workflow has changed since, nothing is written and the exit status is 5.",
    args: [recordId("workflow"), { ...documentFile, optional: true }],
    options: [
      option("--name <NAME>", "A new name."),
      option("--description <TEXT>", "A new description."),
      option("--tag <TAG...>", "All its tags, replacing the old ones."),
      option("--status <STATUS>", "Retire it, or bring it back.", {
        choices: STATUSES,
      }),
      option("--visibility <WHO>", "Who sees it once it is published.", { choices: VISIBILITIES }),
      option("--revision <N>", "The revision that the change was made from."),
    ],
    examples: [
      example(
        "Describe the newest workflow",
        "latest --description 'Asks the service how it is.' --tag health",
        ["workflow"],
      ),
    ],
    run: update,
  },
  validate: {
    summary: "Everything that is wrong with a workflow, and how to fix it.",
    access: "public",
    args: [workflowOrFile("workflow")],
    examples: [
      example("Check a workflow before storing it", "-", [], {
        stdin: HEALTH_CHECK,
      }),
    ],
    async run(cli) {
      const { input, meta } = await subject(cli);
      const envelope = await cli.client().run("validate_workflow", input, meta);
      const { valid, errors, problems } = envelope.data;
      const verdict = note(valid ? "The workflow is valid." : `${errors} errors.`);
      return { envelope, view: [...problemBlocks(problems), verdict], ...(!valid && { status: 1 }) };
    },
  },
  plan: {
    summary: "What a run would do: steps, effects, approvals, worst-case time. Executes nothing.",
    access: "public",
    args: [workflowOrFile("workflow")],
    examples: [example("The plan of the newest workflow", "latest", ["key", "workflow"])],
    run: plan,
  },
  "dry-run": {
    summary: "Run a workflow without changing anything, and show how values flow.",
    access: "public",
    args: [workflowOrFile("workflow")],
    options: [inputs],
    examples: [
      example("Try a workflow that is not stored yet", "-", [], {
        stdin: HEALTH_CHECK,
      }),
    ],
    run: dryRun,
  },
  run: {
    summary: "Start a durable run.",
    args: [recordId("workflow")],
    options: [
      inputs,
      option("-w, --watch", "Follow the run until it ends; the exit status is its outcome."),
      option("--idempotency-key <KEY>", "The same key gives the run that was already started."),
    ],
    examples: [example("Start the newest workflow and follow it", "latest --watch", ["workflow"])],
    async run(cli) {
      const input = { ...(await oneWorkflow(cli)), inputs: await optionalJson(cli, "inputs") };
      const meta = { "svc/idempotencyKey": cli.given.option("idempotency-key") };
      const envelope = await cli.client().run("run_workflow", input, meta);
      const { run } = envelope.data;
      if (cli.given.flag("watch")) return (await import("../watch.ts")).watchRun(cli, run.id, false);
      const fields = ["id", "status", "workflowId", "createdAt", "traceUrl"] as const;
      return recordResult(envelope, run, fields, [next(`suitectl runs watch ${run.id}`)]);
    },
  },
  publish: {
    summary: "Make the draft an immutable version; who sees it stays as it is.",
    args: [recordId("workflow")],
    examples: [example("Publish the newest workflow", "latest", ["workflow"])],
    async run(cli) {
      const envelope = await cli.client().run("publish_version", await oneWorkflow(cli));
      const { workflow, version } = envelope.data;
      const published = [["version", version.version] as const, ["digest", version.digest] as const];
      return recordResult(envelope, workflow, [...SHOWN, ...published]);
    },
  },
  visibility: {
    summary: "Show what strangers see of a workflow once it is public, or make it public or private.",
    args: [recordId("workflow")],
    options: [
      option("--set <WHO>", "Who sees it; without it nothing is changed.", {
        choices: VISIBILITIES,
      }),
    ],
    examples: [example("See what would be public of the newest workflow", "latest", ["workflow"])],
    async run(cli) {
      const { id } = await oneWorkflow(cli);
      const visibility = cli.given.choice("set", VISIBILITIES);
      if (visibility !== undefined) {
        const envelope = await cli.client().run("set_workflow_visibility", { id, visibility });
        return recordResult(envelope, envelope.data.workflow, SHOWN);
      }
      const envelope = await cli.client().run("get_workflow_visibility", { id });
      const { visibility: now, strangersSee, secrets } = envelope.data;
      return {
        envelope,
        view: [
          note(`The workflow is ${now}. Once it is public, strangers see this of it:`),
          jsonBlock(strangersSee),
          ...secrets.map((pointer) =>
            note(`${pointer} looks like a credential and keeps the workflow from being public.`),
          ),
        ],
      };
    },
  },
  export: {
    summary: "Print a workflow's document, to keep it in version control or take it elsewhere.",
    access: "public",
    args: [recordId("workflow")],
    options: [
      option("--format <FORMAT>", "What to write; json when left out.", {
        choices: FORMATS,
      }),
    ],
    examples: [
      example("Save the newest workflow as YAML", "latest --format yaml > workflow.yaml", [
        "key",
        "workflow",
      ]),
    ],
    async run(cli) {
      const format = cli.given.choice("format", FORMATS) ?? "json";
      const envelope = await cli.client().run("export_workflow_as", { ...(await oneWorkflow(cli)), format });
      return { envelope, view: [line(envelope.data.text), ...lossBlocks(envelope.data.losses)] };
    },
  },
  import: {
    summary:
      "Store a document of this service, Arazzo, Serverless Workflow, n8n, Postman, HAR or curl as a new private draft.",
    args: [documentFile],
    options: [
      option("--name <NAME>", "Its name, instead of the document's."),
      option("--connect", "Add the connections that it calls (scope admin)."),
      option(
        "--private",
        "With --connect: allow exactly the host and port of each address, although they are private.",
      ),
    ],
    examples: [
      example(
        "Copy a workflow",
        [
          "suitectl workflows export latest > workflow.json",
          "suitectl workflows import workflow.json --name Copy",
        ],
        ["workflow"],
      ),
    ],
    async run(cli) {
      const { envelope, notes } = await importFile(cli);
      const { workflow, validation, format, losses } = envelope.data;
      const { errors, warnings, problems } = validation;
      return recordResult<Partial<Workflow>>(
        envelope,
        workflow ?? {},
        [...SHOWN, ["format", format], ["errors", errors], ["warnings", warnings]],
        [...problemBlocks(problems), ...lossBlocks(losses), ...notes],
      );
    },
  },
  diff: {
    summary: "What differs between two workflows; exit status 1 when something does.",
    access: "public",
    args: [workflowOrFile("before"), workflowOrFile("after")],
    examples: [
      example(
        "Compare a file with what is stored",
        ["suitectl workflows export latest > workflow.json", "suitectl workflows diff workflow.json latest"],
        ["key", "workflow"],
      ),
    ],
    run: diffWorkflows,
  },
});

/** The stored workflow or the supplied graph that a tool looks at. */
async function subject(cli: Cli) {
  const given = cli.given.argument("workflow");
  if (!isFile(given)) return { input: { id: await resolveId(cli, given, "workflow") }, meta: {} };
  const { graph, meta } = await readWorkflow(given);
  return { input: graph, meta };
}

async function create(cli: Cli): Promise<Result> {
  const { given } = cli;
  const { about, graph, meta } = await readWorkflow(given.argument("file"));
  const tags = given.list("tag");
  const name = given.option("name") ?? about.name ?? "Untitled workflow";
  const input = { ...about, ...graph, name, ...(tags.length > 0 && { tags }) };
  const envelope = await cli.client().run("create_workflow", input, meta);
  const { workflow, problems } = envelope.data;
  const after = next(
    `suitectl workflows validate ${workflow.id}`,
    `suitectl workflows run ${workflow.id} --watch`,
  );
  return recordResult(envelope, workflow, SHOWN, [...problemBlocks(problems), after]);
}

async function update(cli: Cli): Promise<Result> {
  const { given } = cli;
  const { id } = await oneWorkflow(cli);
  const file = given.optionalArgument("file");
  const written = file === undefined ? null : await readWorkflow(file);
  const tags = given.list("tag");
  const input = {
    id,
    ...written?.graph,
    name: given.option("name") ?? written?.about.name,
    description: given.option("description") ?? written?.about.description,
    tags: tags.length > 0 ? tags : written?.about.tags,
    status: given.option("status"),
    visibility: given.option("visibility"),
  };
  const revision = given.integer("revision") ?? written?.revision;
  const meta = { ...written?.meta, "svc/expectedRevision": revision };
  const envelope = await cli.client().run("update_workflow", input, meta);
  return recordResult(envelope, envelope.data.workflow, SHOWN, problemBlocks(envelope.data.problems));
}

async function plan(cli: Cli): Promise<Result> {
  const { input, meta } = await subject(cli);
  const envelope = await cli.client().run("plan_workflow", input, meta);
  const { plan: planned, problems } = envelope.data;
  const { effects, approvals, protectedSteps, unconfirmable, worstCase, levels } = planned;
  const levelOf = (id: string): number => levels.findIndex((ids) => ids.includes(id)) + 1;
  return {
    ...recordResult(
      envelope,
      planned,
      [
        "executable",
        "errors",
        ["effects", Object.entries(effects).map(([effect, count]) => `${effect} ${count}`)],
        ["approvals", approvals.length],
        ["needs a key", protectedSteps],
        ["cannot be confirmed", unconfirmable.map(({ stepId }) => stepId)],
        ["inputs", planned.requiredInputs],
        ["worst case", worstCase.ms === null ? "unbounded" : spanOf(worstCase.ms)],
        ["plan digest", planned.planDigest],
      ],
      [
        line(""),
        table(
          { LEVEL: ({ id }) => levelOf(id), STEP: "id", TYPE: "type", TOOL: "tool", EFFECT: "effect" },
          planned.steps,
        ),
        ...unconfirmable.map(({ stepId, reason, nextAction }) =>
          note(`${stepId}: ${reason} ${nextAction ?? ""}`),
        ),
        ...problemBlocks(problems),
      ],
    ),
    ...(!planned.executable && { status: 1 }),
  };
}

async function dryRun(cli: Cli): Promise<Result> {
  const { input, meta } = await subject(cli);
  const given = { ...input, inputs: await optionalJson(cli, "inputs") };
  const envelope = await cli.client().run("dry_run_workflow", given, meta);
  const { data } = envelope;
  const result = recordResult(
    envelope,
    data,
    [
      "state",
      ["run", data.runId],
      ["assumed inputs", data.assumedInputs],
      ["blocked", data.blocked.length],
      ["not confirmed", data.unconfirmedSteps.map(({ stepId }) => stepId)],
    ],
    [
      line(""),
      table({ STEP: "stepId", STATE: "state", PORT: "port", "OUTPUT FROM": "source" }, data.trace.steps),
      line("\nOutputs:"),
      jsonBlock(data.outputs),
    ],
  );
  return data.state === "succeeded" ? result : { ...result, status: 1 };
}
