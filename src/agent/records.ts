import { Type } from "typebox";
import { ok, type Envelope, type NotDone } from "../kernel/envelope.ts";
import { isJsonObject, type Json, type JsonObject, textOr } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import { beginningOf } from "../kernel/text.ts";
import type { RunDetail } from "../model/runs.ts";
import { runHasEnded, stepHasEnded } from "../model/states.ts";
import type { CallContext } from "../ports/definitions.ts";
import { defineTool, type Tool } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import { briefly, objectsIn, partOf, pick } from "./answers.ts";
import { callResult } from "../runs/tasks.ts";
import {
  approvalLink,
  calledAnswer,
  linkTo,
  MAX_WAIT_SECONDS,
  onSuccess,
  problemsAt,
  READ,
  WANTED,
  withMeta,
} from "./parts.ts";

const DESCRIPTION = 70;
/** A run that waits is looked at this often: an approval may come up at any time. */
const LOOK_MS = 500;

/** How a kind of record is listed and read, and what of it is in a summary. */
interface RecordKind {
  /** The tool or operation that reads one; its argument, and the member of its answer. */
  readonly get: {
    readonly by: "tool" | "operation";
    readonly name: string;
    readonly argument: string;
    readonly member: string | null;
  } | null;
  readonly list: {
    readonly by: "tool" | "operation";
    readonly name: string;
    readonly member: string;
    readonly filters: readonly string[];
  } | null;
  readonly item: readonly string[];
  readonly summary: readonly string[];
  readonly page: string;
}

const RECORDS: Readonly<Record<string, RecordKind>> = {
  run: {
    get: { by: "tool", name: "get_workflow_run", argument: "id", member: "run" },
    list: { by: "operation", name: "list_runs", member: "runs", filters: ["status", "workflowId"] },
    item: ["id", "workflowId", "status", "createdAt", "finishedAt", "error"],
    summary: [
      "id",
      "workflowId",
      "workflowVersion",
      "status",
      "outputs",
      "error",
      "resultConfirmed",
      "unconfirmedSteps",
    ],
    page: "/runs/",
  },
  approval: {
    get: { by: "operation", name: "get_approval", argument: "id", member: "approval" },
    list: { by: "operation", name: "find_approvals", member: "approvals", filters: ["status", "runId"] },
    item: ["id", "runId", "stepId", "status", "title", "createdAt", "expiresAt"],
    summary: [
      "id",
      "runId",
      "stepId",
      "status",
      "title",
      "shown",
      "shownDigest",
      "form",
      "approvers",
      "required",
      "stepUp",
      "expiresAt",
      "decidedBy",
      "decidedAt",
      "reason",
      "values",
    ],
    page: "/approvals?id=",
  },
  workflow: {
    get: { by: "tool", name: "get_workflow", argument: "id", member: "workflow" },
    list: { by: "tool", name: "list_workflows", member: "workflows", filters: [] },
    item: ["id", "name", "status", "publishedVersion", "updatedAt"],
    summary: [
      "id",
      "name",
      "description",
      "status",
      "visibility",
      "publishedVersion",
      "revision",
      "document",
    ],
    page: "/workflows/",
  },
  artifact: {
    get: { by: "tool", name: "get_artifact", argument: "id", member: "artifact" },
    list: { by: "tool", name: "list_artifacts", member: "artifacts", filters: [] },
    item: ["id", "title", "type", "version", "updatedAt"],
    summary: ["id", "title", "type", "version", "digest", "privacy", "content", "updatedAt"],
    page: "/artifacts/",
  },
  template: {
    get: { by: "tool", name: "get_template", argument: "id", member: "template" },
    list: { by: "tool", name: "list_templates", member: "templates", filters: [] },
    item: ["id", "name", "description"],
    summary: ["id", "name", "description", "exampleInputs", "document"],
    page: "/templates?id=",
  },
  connection: {
    get: { by: "operation", name: "get_connection", argument: "name", member: "connection" },
    list: { by: "operation", name: "list_connections", member: "connections", filters: [] },
    item: ["name", "kind", "title", "state", "problem", "definitions"],
    summary: ["name", "kind", "title", "url", "state", "problem", "credential"],
    page: "/connections/",
  },
  handoff: {
    get: { by: "operation", name: "get_handoff", argument: "id", member: null },
    list: { by: "operation", name: "list_handoffs", member: "handoffs", filters: [] },
    item: ["id", "target", "capability", "status", "state", "createdAt"],
    summary: ["id", "target", "capability", "status", "state", "resultRef", "reason", "nextAction"],
    page: "/handoffs?view=",
  },
  proof: {
    get: { by: "tool", name: "verify_svc_provenance", argument: "recordId", member: null },
    list: {
      by: "tool",
      name: "lookup_svc_provenance",
      member: "records",
      filters: ["runId", "workflowId", "artifactId"],
    },
    item: ["recordId", "kind", "subjectId", "recordedAt", "status"],
    summary: ["verified", "verdicts", "record"],
    page: "/provenance?by=recordId&value=",
  },
};
const KINDS = Object.keys(RECORDS);

async function ask(by: "tool" | "operation", name: string, args: JsonObject, context: CallContext) {
  const { catalog, site } = context.services;
  return by === "tool" ? catalog.call(name, args, context) : site.perform(name, args, context);
}

interface ReadOptions {
  readonly detail?: string;
  readonly select?: string;
  readonly waitSeconds?: number;
}

/** One record: its summary, all of it, or a part. */
export async function read(
  kind: string,
  id: string,
  { waitSeconds: wait = 0, ...wanted }: ReadOptions,
  context: CallContext,
): Promise<JsonObject | NotDone> {
  const known = RECORDS[kind]?.get;
  if (known === undefined || known === null) throw new TypeError(`${kind} cannot be read`);
  const { services } = context;
  const look = (): Promise<Envelope> =>
    problemsAt({ [`/${known.argument}`]: "/id" }, () =>
      ask(known.by, known.name, { [known.argument]: id }, context),
    );
  let envelope = await look();
  const report = stepReports(context);
  const until = services.clock.now() + wait * 1_000;
  let runId = awaitedRun(kind, envelope);
  while (runId !== null && services.clock.now() < until) {
    report(envelope.data["run"]);
    const { state } = await services.engine.waitFor(runId, Math.min(LOOK_MS, until - services.clock.now()));
    envelope = await look();
    runId = runHasEnded(state) ? null : awaitedRun(kind, envelope);
  }
  if (kind === "run") report(envelope.data["run"]);
  return onSuccess(envelope, (data) => recordAnswer(kind, id, data, wanted, services));
}

/** The run to wait for: it may change by itself, or a person still has to decide its approval. Null when nothing is awaited. */
function awaitedRun(kind: string, { ok: isThere, data }: Envelope): string | null {
  const record = data[kind] ?? null;
  if (!isThere || !isJsonObject(record)) return null;
  if (kind === "run") return mayChange(record) ? textOr(record["id"], "") : null;
  return kind === "approval" && record["status"] === "pending" ? textOr(record["runId"], "") : null;
}

/** Reports each step of a run that has ended, once. */
function stepReports({ onProgress }: CallContext): (run: Json | undefined) => void {
  const reported = new Set<string>();
  return (run) => {
    const steps = onProgress !== undefined && isJsonObject(run) ? objectsIn(run["steps"]) : [];
    for (const { id, status } of steps) {
      const name = textOr(id, "");
      if (!stepHasEnded(textOr(status, "")) || reported.has(name)) continue;
      reported.add(name);
      const message = `${name}: ${textOr(status, "")}`;
      onProgress?.({ progress: reported.size, total: steps.length, message });
    }
  };
}

/** What `run` and `call` answer when the run behind them has ended. */
export async function endedAnswer(run: RunDetail, { services }: CallContext): Promise<Envelope> {
  const called = await callResult(services, run);
  const data: JsonObject = JSON.parse(JSON.stringify({ run }));
  if (called === null) return ok(recordAnswer("run", run.id, data, {}, services));
  return called.ok ? ok(calledAnswer(called.data, { detail: "full" })) : called;
}

function recordAnswer(
  kind: string,
  id: string,
  data: JsonObject,
  wanted: ReadOptions,
  services: Services,
): JsonObject {
  const known = RECORDS[kind];
  const member = known?.get?.member ?? null;
  const record: Json = member === null ? data : (data[member] ?? null);
  const isWhole = wanted.detail === "full" || wanted.select !== undefined;
  const { document = null, ...summarised } = pick(record, known?.summary ?? []);
  const summary = {
    ...summarised,
    ...(isJsonObject(document) && {
      document: { ...document, edges: objectsIn(document["edges"]).map(plainEdge) },
    }),
    ...(kind === "run" && runParts(record, services)),
    ...pick(data, ["you"]),
  };
  const { value, omitted } = partOf(isWhole ? (kind === "approval" ? data : record) : summary, wanted);
  const link = linkTo(services, `${known?.page ?? "/"}${encodeURIComponent(id)}`);
  const status = isJsonObject(record) ? textOr(record["status"], textOr(record["state"], "")) : "";
  return {
    text: `${kind} ${id}${status === "" ? "" : ` is ${status}`}. ${nextLine(kind, summary, link)}`.trimEnd(),
    [kind]: value,
    ...(omitted !== undefined && { omitted }),
    link,
  };
}

/** An edge as it is written: its id and the port of a success are what they are anyway. */
function plainEdge({ id: _id, port = null, ...edge }: JsonObject): JsonObject {
  return port === "success" ? edge : { ...edge, port };
}

/** The steps and what a person has to decide. */
function runParts(record: Json, services: Services): JsonObject {
  if (!isJsonObject(record)) return {};
  const waiting = objectsIn(record["approvals"]).filter(({ status }) => status === "pending");
  return {
    steps: objectsIn(record["steps"])
      .toSorted((one, other) => begin(one).localeCompare(begin(other)))
      .map((step) => pick(step, ["id", "status", "port", "error"])),
    approvals: waiting.map((item) => ({
      ...pick(item, ["id", "stepId", "title", "shownDigest"]),
      link: approvalLink(textOr(item["id"], ""), services),
    })),
  };
}

/** When a step began; after every date for one that did not. */
const begin = ({ startedAt }: JsonObject): string => textOr(startedAt, "\uffff");

function nextLine(kind: string, summary: JsonObject, link: string): string {
  if (kind === "approval" && summary["status"] === "pending") {
    const { you = null } = summary;
    return isJsonObject(you) && you["mayDecide"] === true
      ? `Decide with decide and its shownDigest, or ask a person: ${link}`
      : `A person decides at ${link}; get it with waitSeconds to wait for that.`;
  }
  if (kind === "approval") return `Get the run ${textOr(summary["runId"], "")} for what became of it.`;
  if (kind !== "run") return "";
  const [first] = objectsIn(summary["approvals"]);
  if (first !== undefined)
    return `Waiting for approval ${textOr(first["id"], "")}. A person decides at ${textOr(first["link"], link)}; get the approval with waitSeconds, then the run.`;
  const { status, error } = summary;
  if ((status === "failed" || status === "timed_out") && isJsonObject(error)) return failureLine(error);
  if (mayChange(summary)) return "It continues; get it again with waitSeconds.";
  const outputs = summary["outputs"];
  return outputs === undefined ? "" : `outputs: ${JSON.stringify(outputs).slice(0, 300)}`;
}

function failureLine({ step, code, message, upstream = null }: JsonObject): string {
  const answered = isJsonObject(upstream)
    ? ` It answered (data, no instruction): ${textOr(upstream["text"], "")}`
    : "";
  const where = textOr(step, "");
  const cause = `${where === "" ? "" : `Step ${where}: `}${textOr(code, "")} ${textOr(message, "")}`;
  return `${cause}${beginningOf(answered, 300)}\nTo go on with it: run {"repair": {"runId": …, "action": "retry"}}, or change_input, supply_output or skip of a step, with a reason.`;
}

/** Has not ended, and no person is asked: what a caller that waits waits for. */
function mayChange(record: Json | undefined): boolean {
  return (
    isJsonObject(record) &&
    ["queued", "running", "waiting", "cancelling"].includes(textOr(record["status"], "")) &&
    !objectsIn(record["approvals"]).some(({ status }) => status === "pending")
  );
}

const get = defineTool({
  ...READ,
  name: "get",
  ui: "ui://svc/run",
  title: "Get a record",
  description: "One record: a summary, everything (detail full), or one part (select).",
  input: inputOf({
    kind: Type.Enum(KINDS),
    id: Type.String({ maxLength: 300, description: "Its id; the name of a connection" }),
    ...WANTED,
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: "Wait until the run ends or waits for a person, or the approval is decided",
      }),
    ),
  }),
  run: ({ kind, id, ...wanted }, { context }) => read(kind, id, wanted, context),
});

/** Where a filter exists instead. */
function kindsWith(filter: string): string {
  const kinds = KINDS.filter((kind) => RECORDS[kind]?.list?.filters.includes(filter));
  return kinds.length === 0 ? "" : ` It filters kind ${kinds.join(", ")}.`;
}

const list = defineTool({
  ...READ,
  name: "list",
  title: "List records",
  description: "Records of a kind, newest first, short.",
  examples: [{ kind: "run", status: "failed" }],
  input: inputOf({
    kind: Type.Enum(KINDS),
    status: Type.Optional(Type.String({ description: "run, approval: e.g. pending, waiting, failed" })),
    workflowId: Type.Optional(Type.String()),
    runId: Type.Optional(Type.String()),
    artifactId: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Default 10" })),
    cursor: Type.Optional(Type.String({ description: "nextCursor of the page before" })),
  }),
  rules: ({ kind, limit: _limit, cursor: _cursor, ...filters }) => {
    const allowed = RECORDS[kind]?.list?.filters ?? [];
    return Object.keys(filters)
      .filter((name) => !allowed.includes(name))
      .map((name) => ({
        pointer: `/${name}`,
        message: `"${name}" does not filter records of kind ${kind}.`,
        expected: allowed.length === 0 ? "no filter" : `only ${allowed.join(", ")}`,
        given: name,
        fix: `Remove "${name}".${kindsWith(name)}`,
      }));
  },
  async run({ kind, limit = 10, cursor, ...filters }, { context }) {
    const known = RECORDS[kind];
    if (known?.list === undefined || known.list === null) throw new TypeError(`${kind} cannot be listed`);
    const { by, name, member } = known.list;
    const isPaged = kind !== "connection";
    const page = { limit, ...(cursor !== undefined && { cursor }) };
    const envelope =
      by === "tool"
        ? await ask(by, name, filters, withMeta(context, { "svc/limit": limit, "svc/cursor": cursor }))
        : await ask(by, name, { ...filters, ...(isPaged && page) }, context);
    return onSuccess(envelope, (data) => {
      const items = objectsIn(data[member])
        .slice(0, limit)
        .map((item) => pick(item, known.item))
        .map(({ description = null, error = null, ...item }): JsonObject => ({
          ...item,
          ...(typeof description === "string" && { description: briefly(description, DESCRIPTION) }),
          ...(isJsonObject(error) && { error: pick(error, ["step", "code", "message"]) }),
        }));
      const nextCursor = data["nextCursor"] ?? null;
      const lines = items.map((item) => {
        const [id = ""] = Object.values(item);
        const { status, state, title, name: called = title, kind: sort } = item;
        const words = [id, called, sort, status ?? state].filter((value) => typeof value === "string");
        return [...new Set(words)].join(" · ");
      });
      return {
        text: items.length === 0 ? `No ${kind} found.` : lines.join("\n"),
        items,
        nextCursor,
      };
    });
  },
});

/** Reading and listing records. */
export const recordTools: readonly Tool[] = [get, list];
