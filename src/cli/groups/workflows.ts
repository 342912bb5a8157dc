import { existsSync } from "node:fs";
import type { JsonObject } from "../../kernel/json.ts";
import {
  cell,
  jsonBlock,
  listResult,
  next,
  object,
  objects,
  recordResult,
  resolveId,
  text,
} from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { jsonOption, readDocument, readText } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { watchRun } from "../watch.ts";
import { importFile } from "./workflow-import.ts";

const WORKFLOWS = "/api/svc/workflows";
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
];

/** Writing, checking, running and exchanging workflows. */
export const handlers: Handlers = {
  async "workflows list"(cli) {
    const limit = cli.given.integer("limit", 1, 100);
    const cursor = cli.given.option("cursor");
    const envelope = await cli
      .client()
      .call(
        "list_workflows",
        { ...(limit !== undefined && { limit }) },
        cursor === undefined ? {} : { "svc/cursor": cursor },
      );
    return listResult(cli, envelope, "workflows", [
      ["ID", "id"],
      ["NAME", "name"],
      ["STATUS", "status"],
      ["VISIBILITY", "visibility"],
      ["VERSION", "publishedVersion"],
      ["UPDATED", "updatedAt"],
    ]);
  },
  async "workflows get"(cli) {
    const envelope = await cli.client().call("get_workflow", { id: await idOf(cli) });
    const workflow = object(envelope.data["workflow"]);
    return recordResult(envelope, workflow, SHOWN, graphBlocks(workflow));
  },
  "workflows create": create,
  "workflows update": update,
  async "workflows validate"(cli) {
    const { args, meta } = await subject(cli, cli.given.argument("workflow"));
    const envelope = await cli.client().call("validate_workflow", args, meta);
    const valid = envelope.data["valid"] === true;
    const text = valid ? "The workflow is valid." : `${cell(envelope.data["errors"]) ?? ""} errors.`;
    return {
      envelope,
      view: [...problemBlocks(envelope.data), { kind: "note", text }],
      ...(!valid && { status: 1 }),
    };
  },
  "workflows plan": plan,
  "workflows dry-run": dryRun,
  "workflows run": run,
  async "workflows publish"(cli) {
    const envelope = await cli.client().post(`${WORKFLOWS}/${encodeURIComponent(await idOf(cli))}/publish`);
    const version = object(envelope.data["version"]);
    return recordResult(envelope, object(envelope.data["workflow"]), [
      ...SHOWN,
      ["version", version["version"]],
      ["digest", version["digest"]],
    ]);
  },
  async "workflows visibility"(cli) {
    const path = `${WORKFLOWS}/${encodeURIComponent(await idOf(cli))}/visibility`;
    const visibility = cli.given.option("set");
    if (visibility !== undefined) {
      const envelope = await cli.client().patch(path, { visibility });
      return recordResult(envelope, object(envelope.data["workflow"]), SHOWN);
    }
    const envelope = await cli.client().get(path);
    const { visibility: now, strangersSee, secrets } = envelope.data;
    return {
      envelope,
      view: [
        { kind: "note", text: `The workflow is ${text(now)}. Once it is public, strangers see this of it:` },
        { kind: "text", text: JSON.stringify(strangersSee, null, 2) },
        ...(Array.isArray(secrets) ? secrets : []).map((pointer) => ({
          kind: "note" as const,
          text: `${text(pointer)} looks like a credential and keeps the workflow from being public.`,
        })),
      ],
    };
  },
  async "workflows export"(cli) {
    const format = cli.given.option("format") ?? "json";
    const envelope = await cli
      .client()
      .get(`${WORKFLOWS}/${encodeURIComponent(await idOf(cli))}/export`, { format });
    return {
      envelope,
      view: [{ kind: "text", text: text(envelope.data["text"]) }, ...lossBlocks(envelope.data)],
    };
  },
  async "workflows import"(cli) {
    const { envelope, notes } = await importFile(cli);
    const validation = object(envelope.data["validation"]);
    return recordResult(
      envelope,
      object(envelope.data["workflow"]),
      [
        ...SHOWN,
        ["format", envelope.data["format"]],
        ["errors", validation["errors"]],
        ["warnings", validation["warnings"]],
      ],
      [...problemBlocks(validation), ...lossBlocks(envelope.data), ...notes],
    );
  },
  "workflows diff": diff,
};

function idOf(cli: Cli): Promise<string> {
  return resolveId(cli, cli.given.argument("id"), "workflow");
}

function isFile(given: string): boolean {
  return given === "-" || existsSync(given);
}

/** A document in a file, taken apart into what the tools' parameters and `_meta` carry. */
interface Written {
  readonly about: JsonObject;
  readonly graph: JsonObject;
  readonly meta: JsonObject;
  readonly revision: number | null;
}

/** Reads a document: as it is exported, as `workflows get --json` prints it, or as a person writes it. */
async function readWorkflow(file: string): Promise<Written> {
  const whole = await readDocument(file);
  const data = object(whole["data"]);
  const outer = Object.hasOwn(whole, "ok") ? object(data["workflow"] ?? data["template"]) : whole;
  const document = Object.hasOwn(outer, "document") ? object(outer["document"]) : outer;
  const { name, description, tags, revision } = outer;
  const { nodes = [], edges = [], inputs, outputs, policy, ui } = document;
  return {
    about: {
      ...(typeof name === "string" && { name }),
      ...(typeof description === "string" && { description }),
      ...(Array.isArray(tags) && { tags }),
    },
    graph: { nodes, edges },
    meta: {
      "svc/document": {
        ...(inputs !== undefined && { inputs }),
        ...(outputs !== undefined && { outputs }),
        ...(policy !== undefined && { policy }),
        ...(ui !== undefined && { ui }),
      },
    },
    revision: typeof revision === "number" ? revision : null,
  };
}

/** The stored workflow or the supplied graph that a tool shall look at. */
async function subject(cli: Cli, given: string): Promise<{ args: JsonObject; meta: JsonObject }> {
  if (!isFile(given)) return { args: { id: await resolveId(cli, given, "workflow") }, meta: {} };
  const { graph, meta } = await readWorkflow(given);
  return { args: graph, meta };
}

async function create(cli: Cli): Promise<Result> {
  const { given } = cli;
  const { about, graph, meta } = await readWorkflow(given.argument("file"));
  const tags = given.list("tag");
  const args = {
    name: "Untitled workflow",
    ...about,
    ...graph,
    ...(given.option("name") !== undefined && { name: given.option("name") }),
    ...(tags.length > 0 && { tags: [...tags] }),
  };
  const envelope = await cli.client().call("create_workflow", args, meta);
  const workflow = object(envelope.data["workflow"]);
  const id = text(workflow["id"]);
  return recordResult(envelope, workflow, SHOWN, [
    ...problemBlocks(envelope.data),
    next(`suitectl workflows validate ${id}`, `suitectl workflows run ${id} --watch`),
  ]);
}

async function update(cli: Cli): Promise<Result> {
  const { given } = cli;
  const id = await idOf(cli);
  const file = given.optionalArgument("file");
  const written = file === undefined ? null : await readWorkflow(file);
  const tags = given.list("tag");
  const chosen = ["name", "description", "status", "visibility"].flatMap((name) => {
    const value = given.option(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const revision = given.integer("revision") ?? written?.revision;
  const envelope = await cli.client().call(
    "update_workflow",
    {
      id,
      ...written?.about,
      ...written?.graph,
      ...Object.fromEntries(chosen),
      ...(tags.length > 0 && { tags: [...tags] }),
    },
    { ...written?.meta, ...(typeof revision === "number" && { "svc/expectedRevision": revision }) },
  );
  return recordResult(envelope, object(envelope.data["workflow"]), SHOWN, problemBlocks(envelope.data));
}

async function plan(cli: Cli): Promise<Result> {
  const { args, meta } = await subject(cli, cli.given.argument("workflow"));
  const envelope = await cli.client().call("plan_workflow", args, meta);
  const planned = object(envelope.data["plan"]);
  const worst = object(planned["worstCase"]);
  const levels = Array.isArray(planned["levels"]) ? planned["levels"] : [];
  const level = (id: unknown): number =>
    levels.findIndex((ids) => Array.isArray(ids) && ids.includes(id)) + 1;
  return {
    ...recordResult(
      envelope,
      planned,
      [
        "executable",
        "errors",
        [
          "effects",
          Object.entries(object(planned["effects"])).map(
            ([effect, count]) => `${effect} ${cell(count) ?? ""}`,
          ),
        ],
        ["approvals", objects(planned["approvals"]).length],
        ["needs a key", planned["protectedSteps"]],
        ["cannot be confirmed", objects(planned["unconfirmable"]).map((step) => text(step["stepId"]))],
        ["inputs", planned["requiredInputs"]],
        ["worst case", typeof worst["ms"] === "number" ? spanOf(worst["ms"]) : "unbounded"],
        ["plan digest", planned["planDigest"]],
      ],
      [
        { kind: "text", text: "" },
        {
          kind: "table",
          columns: ["LEVEL", "STEP", "TYPE", "TOOL", "EFFECT"],
          rows: objects(planned["steps"]).map((step) => [
            level(step["id"]),
            cell(step["id"]),
            cell(step["type"]),
            cell(step["tool"]),
            cell(step["effect"]),
          ]),
        },
        ...objects(planned["unconfirmable"]).map((step): Block => ({
          kind: "note",
          text: `${text(step["stepId"])}: ${text(step["reason"])} ${text(step["nextAction"])}`,
        })),
        ...problemBlocks(envelope.data),
      ],
    ),
    ...(planned["executable"] === false && { status: 1 }),
  };
}

/** A span of time as people say it. */
function spanOf(ms: number): string {
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
  ] as const;
  const unit = units.find(([size]) => ms >= 2 * size);
  return unit === undefined ? `${ms / 1_000} s` : `${(ms / unit[0]).toFixed(1)} ${unit[1]}`;
}

async function dryRun(cli: Cli): Promise<Result> {
  const { args, meta } = await subject(cli, cli.given.argument("workflow"));
  const inputs = cli.given.option("inputs");
  const envelope = await cli
    .client()
    .call(
      "dry_run_workflow",
      { ...args, ...(inputs !== undefined && { inputs: await jsonOption(inputs, "--inputs") }) },
      meta,
    );
  const { data } = envelope;
  const steps = objects(object(data["trace"])["steps"]);
  const result = recordResult(
    envelope,
    data,
    [
      "state",
      ["run", data["runId"]],
      ["assumed inputs", data["assumedInputs"]],
      ["blocked", objects(data["blocked"]).length],
      ["not confirmed", objects(data["unconfirmedSteps"]).map((step) => text(step["stepId"]))],
    ],
    [
      { kind: "text", text: "" },
      {
        kind: "table",
        columns: ["STEP", "STATE", "PORT", "OUTPUT FROM"],
        rows: steps.map((step) => [
          cell(step["id"] ?? step["stepId"]),
          cell(step["state"] ?? step["status"]),
          cell(step["port"]),
          cell(step["source"] ?? step["outputFrom"]),
        ]),
      },
      { kind: "text", text: "\nOutputs:" },
      jsonBlock(data["outputs"]),
    ],
  );
  return data["state"] === "succeeded" ? result : { ...result, status: 1 };
}

async function run(cli: Cli): Promise<Result | number> {
  const { given } = cli;
  const inputs = given.option("inputs");
  const key = given.option("idempotency-key");
  const args = {
    id: await idOf(cli),
    ...(inputs !== undefined && { inputs: await jsonOption(inputs, "--inputs") }),
  };
  const envelope = await cli
    .client()
    .call("run_workflow", args, key === undefined ? {} : { "svc/idempotencyKey": key });
  const started = object(envelope.data["run"]);
  const id = text(started["id"]);
  if (given.flag("watch")) return watchRun(cli, id, false);
  return recordResult(
    envelope,
    started,
    ["id", "status", "workflowId", "createdAt", "traceUrl"],
    [next(`suitectl runs watch ${id}`)],
  );
}

async function diff(cli: Cli): Promise<Result> {
  const [before, after] = [cli.given.argument("before"), cli.given.argument("after")];
  const [{ parseDocument }, { diffDocuments }] = await Promise.all([
    import("../../workflows/document.ts"),
    import("../../workflows/diff.ts"),
  ]);
  const documentOf = async (given: string): Promise<JsonObject> => {
    if (isFile(given)) {
      const { data } = await cli.client().post(`${WORKFLOWS}/import`, { text: await readText(given) });
      return object(data["document"]);
    }
    const { data } = await cli.client().call("get_workflow", { id: await resolveId(cli, given, "workflow") });
    return object(object(data["workflow"])["document"]);
  };
  const old = parseDocument(await documentOf(before)).document;
  const found = diffDocuments(old, parseDocument(await documentOf(after)).document);
  const data: JsonObject = JSON.parse(JSON.stringify(found));
  const rows = [
    ...found.nodes.removed.map((id) => ["-", "step", id, ""]),
    ...found.nodes.added.map((id) => ["+", "step", id, ""]),
    ...found.nodes.changed.map(({ id, fields }) => ["~", "step", id, fields.join(", ")]),
    ...found.edges.removed.map((edge) => ["-", "edge", wayOf(edge), ""]),
    ...found.edges.added.map((edge) => ["+", "edge", wayOf(edge), ""]),
    ...found.parts.map((part) => ["~", part, "", ""]),
  ];
  return {
    envelope: { ok: true, data },
    view: found.same
      ? [{ kind: "note", text: "They run the same." }]
      : [{ kind: "table", columns: ["", "WHAT", "NAME", "CHANGED"], rows }],
    ...(!found.same && { status: 1 }),
  };
}

function wayOf({ from, port, to }: JsonObject): string {
  return `${text(from)} -${text(port)}-> ${text(to)}`;
}

function graphBlocks(workflow: JsonObject): readonly Block[] {
  const edges = objects(workflow["edges"]);
  return [
    { kind: "text", text: "" },
    {
      kind: "table",
      columns: ["STEP", "TYPE", "TOOL", "TITLE", "THEN"],
      rows: objects(workflow["nodes"]).map((node) => [
        cell(node["id"]),
        cell(node["type"]),
        cell(node["tool"]),
        cell(node["title"]),
        edges
          .filter((edge) => edge["from"] === node["id"])
          .map((edge) => `${text(edge["port"]) || "success"}: ${text(edge["to"])}`)
          .join(", "),
      ]),
    },
  ];
}

function problemBlocks(data: JsonObject): readonly Block[] {
  const problems = objects(data["problems"]);
  if (problems.length === 0) return [];
  return [
    {
      kind: "table",
      columns: ["SEVERITY", "WHERE", "CODE", "PROBLEM", "FIX"],
      rows: problems.map((problem) =>
        ["severity", "pointer", "code", "message", "fix"].map((name) => cell(problem[name])),
      ),
    },
  ];
}

function lossBlocks(data: JsonObject): readonly Block[] {
  return objects(data["losses"]).map((loss) => ({
    kind: "note",
    text: `Lost on the way: ${text(loss["what"])} ${text(loss["why"])} (${text(loss["pointer"])})`,
  }));
}
