import { claim, comment, delegate, reassign, release } from "../approvals/actions.ts";
import { stepUpOptions } from "../approvals/step-up.ts";
import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import { VERDICTS, type Verdict } from "../ports/approvals.ts";
import { requireScope, type Scope } from "../ports/caller.ts";
import type { Decision } from "../ports/engine.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import { APPROVER } from "../workflows/schema.ts";
import { approvalDetail } from "./approval-detail.ts";
import { seenApproval } from "./sight.ts";

const APPROVALS = "/api/svc/approvals";
const MAX_TEXT = 4_000;
const text: JsonObject = { type: "string" };
const verdict: JsonObject = { type: "string", enum: [...VERDICTS] };
const assertion: JsonObject = {
  type: "object",
  description: "The browser's answer to the options of POST /api/svc/approvals/{id}/step-up.",
};

interface ActionRoute {
  readonly name: string;
  readonly summary: string;
  readonly scope: Scope;
  /** Members of the body, all of them required but those in `optional`. */
  readonly members: Readonly<Record<string, JsonObject>>;
  readonly optional?: readonly string[];
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
    name: "decide",
    scope: "approve",
    summary:
      "Decides an approval {verdict, shownDigest, reason, values, assertion}; the assertion is needed where the approval says stepUp.",
    members: { verdict, shownDigest: text, reason: text, values: { type: "object" }, assertion },
    optional: ["reason", "values", "assertion"],
    act: ({ context: { services, caller } }, id, body) =>
      services.engine.decide({
        ...decisionIn(body),
        approvalId: id,
        assertion: objectIn(body, "assertion"),
        caller,
      }),
  },
  {
    name: "request-changes",
    scope: "approve",
    summary:
      "Requests changes {comment, shownDigest, assertion}: the run takes the port `changes` of the step.",
    members: { comment: text, shownDigest: text, assertion },
    optional: ["assertion"],
    act: ({ context: { services, caller } }, id, body) =>
      services.engine.decide({
        approvalId: id,
        verdict: "changes_requested",
        reason: textIn(body, "comment", MAX_TEXT),
        values: null,
        shownDigest: textIn(body, "shownDigest", 100),
        assertion: objectIn(body, "assertion"),
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

/** What a browser asks a passkey to sign, before a decision that needs one. */
const stepUpRoute: HttpRoute = {
  method: "POST",
  path: `${APPROVALS}/{id}/step-up`,
  summary:
    "What the browser needs to sign a decision {verdict, shownDigest, reason, values} with a passkey; send the answer as assertion with the same decision, within five minutes.",
  access: "person",
  body: {
    type: "object",
    required: ["verdict", "shownDigest"],
    properties: { verdict, shownDigest: text, reason: text, values: { type: "object" } },
  },
  async handle({ params, body, context: { services, caller } }) {
    const given = isObject(body) ? body : {};
    await seenApproval(services, params["id"] ?? "", caller);
    const publicKey = await stepUpOptions(services, {
      ...decisionIn(given),
      approvalId: params["id"] ?? "",
      caller,
    });
    return { status: 200, body: ok({ publicKey }) };
  },
};

/** The paths of those actions. */
export const approvalActionRoutes: readonly HttpRoute[] = [stepUpRoute, ...ACTIONS.map(routeOf)];

function routeOf(action: ActionRoute): HttpRoute {
  const { members, scope, optional = [] } = action;
  const required = Object.keys(members).filter((member) => !optional.includes(member));
  return {
    method: "POST",
    path: `${APPROVALS}/{id}/${action.name}`,
    summary: action.summary,
    access: "key",
    ...(Object.keys(members).length === 0
      ? { bodyOptional: true }
      : { body: { type: "object", required, properties: members } }),
    async handle(request) {
      requireScope(request.context.caller, scope);
      const id = request.params["id"] ?? "";
      const body = isObject(request.body) ? request.body : {};
      const unknown = Object.keys(body).find((member) => !Object.hasOwn(members, member));
      if (unknown !== undefined)
        throw wrong(unknown.slice(0, 60), "is not known", Object.keys(members).join(", "));
      const { services, caller } = request.context;
      await seenApproval(services, id, caller);
      await action.act(request, id, body);
      return { status: 200, body: ok(await approvalDetail(services, id, caller)) };
    },
  };
}

/** What is decided, which a passkey signs where the approval asks for one. */
function decisionIn(
  body: Readonly<Record<string, unknown>>,
): Pick<Decision, "verdict" | "reason" | "values"> & { readonly shownDigest: string } {
  return {
    verdict: verdictIn(body),
    reason: body["reason"] === undefined ? null : textIn(body, "reason", MAX_TEXT),
    values: objectIn(body, "values"),
    shownDigest: textIn(body, "shownDigest", 100),
  };
}

function verdictIn(body: Readonly<Record<string, unknown>>): Verdict {
  const found = VERDICTS.find((known) => known === body["verdict"]);
  if (found !== undefined) return found;
  throw wrong("verdict", "is not a verdict", `one of ${VERDICTS.join(", ")}`);
}

function objectIn(body: Readonly<Record<string, unknown>>, member: string): JsonObject | null {
  const value = body[member];
  if (value === undefined || value === null) return null;
  if (isJsonObject(value)) return value;
  throw wrong(member, "is not an object", "an object");
}

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
