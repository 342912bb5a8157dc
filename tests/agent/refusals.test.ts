import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newClient, signInClient } from "../oauth/support.ts";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask, firstOf, modern } from "./support.ts";

/* Refusals that a client gets where a person has to decide: the reason, and the link where that person does it. */

let service: TestService;
let owner: Member;
let host = "";
let reader = "";
const SCOPES = ["run", "write", "read-private", "approve"];
const ANYBODY = {};

before(async () => {
  service = await startService();
  owner = await makeOwner(service);
  await addMember(service, owner, "approver");
  const tokenFor = async (scopes: string[]): Promise<string> =>
    (await signInClient(service, owner, await newClient(service), { scopes })).access_token;
  host = await tokenFor(SCOPES);
  reader = await tokenFor(["read-private"]);
});
after(() => service.close());

/** A run of the host's that waits for an approval of this kind. */
async function waiting(approval: object) {
  const { data, text } = await ask(
    service,
    "write_workflow",
    {
      name: `Asks ${JSON.stringify(approval)}`,
      nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?", ...approval } }],
      edges: [],
      publish: true,
    },
    host,
  );
  assert.equal(data.valid, true, text);
  const run = await ask(service, "run", { workflow: data.id, waitSeconds: 20 }, host);
  assert.equal(run.data.run.approvals.length, 1, run.text);
  const { id, shownDigest } = firstOf(run.data.run.approvals);
  return { workflow: data.id, id, shownDigest };
}
type Waiting = Awaited<ReturnType<typeof waiting>>;
const decide = ({ id, shownDigest }: Waiting) => ({ approval: id, verdict: "approved", shownDigest });
const approvalPage = ({ id }: Waiting): string => `/approvals?id=${id}`;

const REFUSALS: readonly {
  readonly why: string;
  readonly approval: object;
  readonly tool: string;
  readonly args: (found: Waiting) => object;
  readonly reason: RegExp;
  readonly page: (found: Waiting) => string;
  readonly as?: () => string;
}[] = [
  {
    why: "four eyes",
    approval: { fourEyes: true },
    tool: "decide",
    args: decide,
    reason: /four eyes|second person|another person/i,
    page: approvalPage,
  },
  {
    why: "other people are named",
    approval: { approvers: ["person:approver@example.com"] },
    tool: "decide",
    args: decide,
    reason: /among those who may decide/,
    page: approvalPage,
  },
  {
    why: "a passkey is needed",
    approval: { stepUp: true },
    tool: "decide",
    args: decide,
    reason: /passkey/,
    page: approvalPage,
  },
  {
    why: "a passkey is needed, by a tool of the fixed interface",
    approval: { stepUp: true },
    tool: "call",
    args: ({ id }) => ({ name: "approve_step", arguments: { id } }),
    reason: /passkey/,
    page: approvalPage,
  },
  {
    why: "the client lacks the scope to approve",
    approval: ANYBODY,
    tool: "decide",
    args: decide,
    reason: /scope "approve"/,
    page: approvalPage,
    as: () => reader,
  },
  {
    why: "the client lacks the scope to run",
    approval: ANYBODY,
    tool: "run",
    args: ({ workflow }) => ({ workflow }),
    reason: /scope "run"/,
    page: ({ workflow }) => `/workflows/${workflow}`,
    as: () => reader,
  },
  {
    why: "the client lacks the scope to write",
    approval: ANYBODY,
    tool: "call",
    args: () => ({ name: "save_artifact", arguments: { artifact: { title: "x" } } }),
    reason: /scope "write"/,
    page: () => "/tools/save_artifact",
    as: () => reader,
  },
];

describe("a refusal at /mcp is a result with its reason and the page where a person decides", () => {
  for (const { why, approval, tool, args, reason, page, as = () => host } of REFUSALS) {
    it(why, async () => {
      const found = await waiting(approval);
      const link = `${service.url}${page(found)}`;
      const legacy = await ask(service, tool, args(found), as());
      assert.equal(legacy.status, 200, legacy.text);
      const { result, error } = await modern(service, as(), "tools/call", {
        name: tool,
        arguments: args(found),
      });
      assert.equal(error, undefined, JSON.stringify(error));
      for (const { isError, text } of [
        legacy,
        { isError: result.isError, text: firstOf(result.content).text },
      ]) {
        assert.equal(isError, true);
        assert.match(text, reason);
        assert.ok(text.includes(link), text);
      }
    });
  }
});
