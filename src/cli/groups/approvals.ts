import type { Approval, OutputOf } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { APPROVAL_STATES, INBOXES } from "../../model/states.ts";
import { cell, jsonBlock, listResult, next, object, recordResult, resolveId, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption } from "../input.ts";
import type { Result } from "../output.ts";
import { agree, canAsk } from "../prompt.ts";

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
] as const;

/** Decisions that runs wait for. */
export const handlers: Handlers = {
  async "approvals list"(cli) {
    const { given } = cli;
    const run = given.option("run");
    const query = {
      status: given.choice("status", APPROVAL_STATES),
      inbox: given.choice("inbox", INBOXES),
      runId: run === undefined ? undefined : await resolveId(cli, run, "run"),
      limit: given.integer("limit", 1, 100),
      cursor: given.option("cursor"),
    };
    return listResult(cli, await cli.client().run("find_approvals", query), "approvals", [
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
      cli.output.note(headOf(approval));
    }
    await agree("Request changes?", cli.given.flag("yes"));
    const shownDigest = approval.shownDigest ?? "";
    return shown(await cli.client().run("request_approval_changes", { id, comment, shownDigest }));
  },
  "approvals claim": async (cli) => shown(await cli.client().run("claim_approval", { id: await idOf(cli) })),
  "approvals release": async (cli) =>
    shown(await cli.client().run("release_approval", { id: await idOf(cli) })),
  async "approvals delegate"(cli) {
    const to = required(cli, "to");
    return shown(await cli.client().run("delegate_approval", { id: await idOf(cli), to }));
  },
  async "approvals comment"(cli) {
    const body = required(cli, "body");
    return shown(await cli.client().run("comment_approval", { id: await idOf(cli), body }));
  },
  async "approvals reassign"(cli) {
    const approvers = required(cli, "approvers")
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
    const reason = required(cli, "reason");
    return shown(await cli.client().run("reassign_approval", { id: await idOf(cli), approvers, reason }));
  },
};

const idOf = (cli: Cli): Promise<string> => resolveId(cli, cli.given.argument("id"), "approval");
const pageOf = (cli: Cli, id: string): string => `${cli.url()}/approvals?id=${encodeURIComponent(id)}`;
const titleOf = ({ title }: Approval): string => (typeof title === "string" ? title : "");
const headOf = (approval: Approval): string =>
  `${titleOf(approval)}\n${JSON.stringify(approval.shown, null, 2)}`;

async function look(cli: Cli, id: string): Promise<Approval> {
  return (await cli.client().run("get_approval", { id })).data.approval;
}

function shown(envelope: Envelope<OutputOf<"get_approval">>): Result {
  return recordResult(envelope, envelope.data.approval, SHOWN);
}

/** A passkey is in a browser or on a phone: a terminal cannot use it. */
function checkNoPasskey(cli: Cli, { id, stepUp, status }: Approval): void {
  if (!stepUp || status !== "pending") return;
  throw new Failure("refused", "This approval is decided with a passkey, which needs a browser.", {
    next: `Sign in and decide: ${pageOf(cli, id)}`,
  });
}

function required(cli: Cli, name: string): string {
  const value = cli.given.option(name);
  if (value !== undefined && value.trim() !== "") return value;
  throw new Failure("usage", `--${name} is missing.`, { next: `Add --${name} '…'.` });
}

async function show(cli: Cli): Promise<Result> {
  const id = await idOf(cli);
  const envelope = await cli.client().run("get_approval", { id });
  const { approval } = envelope.data;
  const pending = approval.status === "pending";
  return recordResult(envelope, approval, SHOWN, [
    { kind: "text", text: "\nWhat is to be decided:" },
    jsonBlock(approval.shown),
    ...(pending && approval.stepUp
      ? [next(`Sign in and decide with a passkey: ${pageOf(cli, id)}`)]
      : pending
        ? [next(`suitectl approvals approve ${id}`, `suitectl approvals reject ${id} --reason '…'`)]
        : []),
  ]);
}

async function decide(cli: Cli, tool: "approve_step" | "reject_step"): Promise<Result> {
  const { given } = cli;
  const reason = given.option("reason");
  if (tool === "reject_step" && reason === undefined) {
    throw new Failure("usage", "A rejection needs a reason.", { next: "Add --reason '…'." });
  }
  const id = await resolveId(cli, given.argument("id"), "approval");
  const approval = await look(cli, id);
  checkNoPasskey(cli, approval);
  if (!given.flag("yes") && canAsk()) {
    cli.output.note(headOf(approval));
  }
  const values = tool === "approve_step" ? await valuesFor(cli, approval) : undefined;
  await agree(tool === "approve_step" ? "Approve this?" : "Reject this?", given.flag("yes"));
  const envelope = await cli.client().call(
    tool,
    { id, ...(reason !== undefined && { reason }) },
    {
      // Bound to what was read just now: if it changed meanwhile, the decision is refused.
      ...(approval.shownDigest !== undefined && { "svc/shownDigest": approval.shownDigest }),
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

async function valuesFor(cli: Cli, approval: Approval): Promise<JsonObject | undefined> {
  const given = cli.given.option("values");
  if (given !== undefined) return jsonOption(given, "--values");
  const schema = approval.form ?? null;
  if (schema === null) return undefined;
  if (!canAsk() || cli.given.flag("yes")) return undefined;
  const { fillSchema } = await import("../form/fill-schema.ts");
  return fillSchema(cli, schema, titleOf(approval));
}
