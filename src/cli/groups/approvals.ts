import { isObject, type JsonObject } from "../../kernel/json.ts";
import { cell, jsonBlock, listResult, next, object, recordResult, resolveId, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree, canAsk } from "../prompt.ts";

const APPROVALS = "/api/svc/approvals";
const SHOWN = [
  "id",
  "status",
  "title",
  "runId",
  "stepId",
  "createdAt",
  "expiresAt",
  "approvers",
  "stepUp",
  "claimedBy",
  "decidedAt",
  "decidedBy",
  "reason",
];

/** Decisions that runs wait for. */
export const handlers: Handlers = {
  async "approvals list"(cli) {
    const { given } = cli;
    const run = given.option("run");
    const query = {
      status: given.option("status"),
      inbox: given.option("inbox"),
      runId: run === undefined ? undefined : await resolveId(cli, run, "run"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().get(APPROVALS, query), "approvals", [
      ["ID", "id"],
      ["STATUS", "status"],
      ["TITLE", "title"],
      ["RUN", "runId"],
      ["STEP", "stepId"],
      ["EXPIRES", "expiresAt"],
      ["PASSKEY", "stepUp"],
    ]);
  },
  "approvals show": show,
  "approvals approve": (cli) => decide(cli, "approve_step"),
  "approvals reject": (cli) => decide(cli, "reject_step"),
  async "approvals request-changes"(cli) {
    const comment = required(cli, "comment");
    const id = await idOf(cli);
    const approval = await look(cli, id);
    checkNoPasskey(cli, approval);
    if (canAsk()) {
      cli.output.note(`${text(approval["title"])}\n${JSON.stringify(approval["shown"] ?? null, null, 2)}`);
    }
    await agree("Request changes?", cli.given.flag("yes"));
    return act(cli, id, "request-changes", { comment, shownDigest: text(approval["shownDigest"]) });
  },
  "approvals claim": async (cli) => act(cli, await idOf(cli), "claim", {}),
  "approvals release": async (cli) => act(cli, await idOf(cli), "release", {}),
  async "approvals delegate"(cli) {
    const to = required(cli, "to");
    return act(cli, await idOf(cli), "delegate", { to });
  },
  async "approvals comment"(cli) {
    const body = required(cli, "body");
    return act(cli, await idOf(cli), "comment", { body });
  },
  async "approvals reassign"(cli) {
    const approvers = required(cli, "approvers")
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const reason = required(cli, "reason");
    return act(cli, await idOf(cli), "reassign", { approvers, reason });
  },
};

const idOf = (cli: Cli): Promise<string> => resolveId(cli, cli.given.argument("id"), "approval");
const pageOf = (cli: Cli, id: string): string => `${cli.url()}/approvals?id=${encodeURIComponent(id)}`;
const pathOf = (id: string): string => `${APPROVALS}/${encodeURIComponent(id)}`;

async function look(cli: Cli, id: string): Promise<JsonObject> {
  return object((await cli.client().get(pathOf(id))).data["approval"]);
}

async function act(cli: Cli, id: string, action: string, body: JsonObject): Promise<Result> {
  const envelope = await cli.client().post(`${pathOf(id)}/${action}`, body);
  return recordResult(envelope, object(envelope.data["approval"]), SHOWN, []);
}

/** A passkey is in a browser or on a phone: a terminal cannot use it. */
function checkNoPasskey(cli: Cli, approval: JsonObject): void {
  if (approval["stepUp"] !== true || approval["status"] !== "pending") return;
  throw new Failure("refused", "This approval is decided with a passkey, which needs a browser.", {
    next: `Sign in and decide: ${pageOf(cli, text(approval["id"]))}`,
  });
}

function required(cli: Cli, name: string): string {
  const value = cli.given.option(name);
  if (value !== undefined && value.trim() !== "") return value;
  throw new Failure("usage", `--${name} is missing.`, { next: `Add --${name} '…'.` });
}

async function show(cli: Cli): Promise<Result> {
  const id = await resolveId(cli, cli.given.argument("id"), "approval");
  const envelope = await cli.client().get(`${APPROVALS}/${encodeURIComponent(id)}`);
  const approval = object(envelope.data["approval"]);
  const pending = approval["status"] === "pending";
  return recordResult(envelope, approval, SHOWN, [
    ...shownBlocks(approval),
    ...(pending && approval["stepUp"] === true
      ? [next(`Sign in and decide with a passkey: ${pageOf(cli, id)}`)]
      : pending
        ? [next(`suitectl approvals approve ${id}`, `suitectl approvals reject ${id} --reason '…'`)]
        : []),
  ]);
}

function shownBlocks(approval: JsonObject): readonly Block[] {
  return [{ kind: "text", text: "\nWhat is to be decided:" }, jsonBlock(approval["shown"])];
}

async function decide(cli: Cli, tool: "approve_step" | "reject_step"): Promise<Result> {
  const { given } = cli;
  const reason = given.option("reason");
  if (tool === "reject_step" && reason === undefined) {
    throw new Failure("usage", "A rejection needs a reason.", { next: "Add --reason '…'." });
  }
  const id = await resolveId(cli, given.argument("id"), "approval");
  const { data } = await cli.client().get(`${APPROVALS}/${encodeURIComponent(id)}`);
  const approval = object(data["approval"]);
  checkNoPasskey(cli, approval);
  if (!given.flag("yes") && canAsk()) {
    cli.output.note(`${text(approval["title"])}\n${JSON.stringify(approval["shown"] ?? null, null, 2)}`);
  }
  const values = tool === "approve_step" ? await valuesFor(cli, approval) : undefined;
  await agree(tool === "approve_step" ? "Approve this?" : "Reject this?", given.flag("yes"));
  const envelope = await cli.client().call(
    tool,
    { id, ...(reason !== undefined && { reason }) },
    {
      // Bound to what was read just now: if it changed meanwhile, the decision is refused.
      ...(typeof approval["shownDigest"] === "string" && { "svc/shownDigest": approval["shownDigest"] }),
      ...(values && { "svc/values": values }),
    },
  );
  const run = object(envelope.data["run"]);
  return recordResult(
    envelope,
    object(envelope.data["approval"]),
    [...SHOWN, ["run is", cell(run["status"])]],
    [next(`suitectl runs watch ${text(run["id"])}`)],
  );
}

async function valuesFor(cli: Cli, approval: JsonObject): Promise<JsonObject | undefined> {
  const given = cli.given.option("values");
  if (given !== undefined) return jsonOption(given, "--values");
  const schema = approval["form"];
  if (!isObject(schema)) return undefined;
  if (!canAsk() || cli.given.flag("yes")) return undefined;
  const { fillSchema } = await import("../form/fill-schema.ts");
  return fillSchema(cli, object(schema), text(approval["title"]));
}
