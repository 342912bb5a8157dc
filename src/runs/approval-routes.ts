import { claim, comment, delegate, reassign, release } from "../approvals/actions.ts";
import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { requireScope, type Scope } from "../ports/caller.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import { APPROVER } from "../workflows/schema.ts";
import { approvalDetail } from "./approval-detail.ts";

const APPROVALS = "/api/svc/approvals";
const MAX_TEXT = 4_000;
const text: JsonObject = { type: "string" };

interface ActionRoute {
  readonly name: string;
  readonly summary: string;
  readonly scope: Scope;
  /** Members of the body, all of them required. */
  readonly members: Readonly<Record<string, JsonObject>>;
  act(request: HttpRequest, id: string, body: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** What people do with a waiting approval. Answers with the approval as `GET /api/svc/approvals/{id}` does. */
const ACTIONS: readonly ActionRoute[] = [
  {
    name: "claim",
    scope: "approve",
    summary: "Claims an approval: others do not decide it until it is released.",
    members: {},
    act: ({ context: { services, caller } }, id) => claim(services, id, caller),
  },
  {
    name: "release",
    scope: "approve",
    summary: "Gives a claim up; an admin may do that for another person.",
    members: {},
    act: ({ context: { services, caller } }, id) => release(services, id, caller),
  },
  {
    name: "delegate",
    scope: "approve",
    summary: "Lets another person {to: id or e-mail address} decide in your place; yourself takes it back.",
    members: { to: text },
    act: ({ context: { services, caller } }, id, body) =>
      delegate(services, id, textIn(body, "to", 300), caller),
  },
  {
    name: "comment",
    scope: "read-private",
    summary: "Writes a comment {body} on a waiting approval.",
    members: { body: text },
    act: ({ context: { services, caller } }, id, body) =>
      comment(services, id, textIn(body, "body", MAX_TEXT), caller),
  },
  {
    name: "request-changes",
    scope: "approve",
    summary: "Requests changes {comment, shownDigest}: the run takes the port `changes` of the step.",
    members: { comment: text, shownDigest: text },
    act: ({ context: { services, caller } }, id, body) =>
      services.engine.decide({
        approvalId: id,
        verdict: "changes_requested",
        reason: textIn(body, "comment", MAX_TEXT),
        values: null,
        shownDigest: textIn(body, "shownDigest", 100),
        caller,
      }),
  },
  {
    name: "reassign",
    scope: "admin",
    summary: "An admin says anew who may decide {approvers: people, groups and roles, reason}.",
    members: { approvers: { type: "array", minItems: 1, maxItems: 100, items: text }, reason: text },
    act: ({ context: { services, caller } }, id, body) =>
      reassign(services, id, peopleIn(body), textIn(body, "reason", MAX_TEXT), caller),
  },
];

/** The paths of those actions. */
export const approvalActionRoutes: readonly HttpRoute[] = ACTIONS.map((action): HttpRoute => ({
  method: "POST",
  path: `${APPROVALS}/{id}/${action.name}`,
  summary: action.summary,
  access: "key",
  ...(Object.keys(action.members).length === 0
    ? { bodyOptional: true }
    : { body: { type: "object", required: Object.keys(action.members), properties: action.members } }),
  async handle(request) {
    const { members, scope } = action;
    requireScope(request.context.caller, scope);
    const id = request.params["id"] ?? "";
    const body = isObject(request.body) ? request.body : {};
    const unknown = Object.keys(body).find((member) => !Object.hasOwn(members, member));
    if (unknown !== undefined)
      throw wrong(unknown.slice(0, 60), "is not known", Object.keys(members).join(", "));
    await action.act(request, id, body);
    const { services, caller } = request.context;
    return { status: 200, body: ok(await approvalDetail(services, id, caller)) };
  },
}));

function textIn(body: Readonly<Record<string, unknown>>, member: string, most: number): string {
  const value = body[member];
  const given = typeof value === "string" ? value.trim() : "";
  if (given !== "" && given.length <= most && given.isWellFormed() && !given.includes("\u0000")) return given;
  throw wrong(member, "is not a usable text", `a text of 1 to ${most} characters`);
}

/** Keys are named by workflows only: an admin's key could otherwise name itself. */
function peopleIn(body: Readonly<Record<string, unknown>>): readonly string[] {
  const value = body["approvers"];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const named = entries.filter(
    (entry) =>
      typeof entry === "string" && entry.includes(":") && entry.length <= 300 && APPROVER.test(entry),
  );
  if (named.length > 0 && named.length === entries.length && named.length <= 100) return named.map(String);
  throw wrong(
    "approvers",
    "does not list people",
    "1 to 100 of person:…, group:…, role:owner, role:admin, role:approver",
  );
}

function wrong(member: string, what: string, expected: string): AppError {
  return new AppError("invalid_input", `"${member}" ${what}.`, {
    problems: [{ pointer: `/${member}`, message: what, expected, fix: `Give ${expected}.` }],
  });
}
