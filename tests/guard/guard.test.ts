import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ask, firstOf } from "../agent/support.ts";
import type { ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { asOperator, type Member } from "../people/support.ts";
import { at } from "../support/json.ts";
import type { TestService } from "../support/service.ts";
import { decide, ended, ORDER, startShop, type Shop } from "./support.ts";

let shop: Shop;
let service: TestService;
let api: ApiServer;
let owner: Member;
let approver: Member;
let agentKey = "";
let agentId = "";
let client = "";

const guard = (changes: unknown) => asOperator(service, "PATCH", "/api/svc/guard", changes);
const made = (): number => shop.made();

before(async () => {
  shop = await startShop();
  ({ service, api, owner, approver, agentKey, agentId, client } = shop);
});
after(() => shop.close());

describe("guard", () => {
  it("lets reads go on and asks about writes of agents; an approved call is made once, with those arguments", async () => {
    const read = await ask(service, "call", { name: "shop:listOrders" }, agentKey);
    assert.equal(read.isError, false, read.text);
    const before = made();
    const held = await ask(service, "call", ORDER, agentKey);
    assert.equal(held.data.status, "approval_required", held.text);
    assert.match(held.text, /\/approvals\?id=/);
    assert.equal(made(), before);
    const decided = await decide(approver, held.data.approvalId);
    assert.equal(decided.status, 200, decided.text);
    const run = await ended(service, held.data.runId);
    assert.equal(run.status, "succeeded", run.text);
    assert.equal(made(), before + 1);
    assert.deepEqual(JSON.parse(String(api.seen.at(-1)?.body)), ORDER.arguments.body);
    const again = await decide(approver, held.data.approvalId);
    assert.equal(again.status, 409);
    assert.equal(made(), before + 1);
  });

  it("never makes a rejected call, and of two decisions at once one counts", async () => {
    const before = made();
    const rejected = await ask(service, "call", ORDER, agentKey);
    await decide(approver, rejected.data.approvalId, "rejected");
    await ended(service, rejected.data.runId);
    assert.equal(made(), before);
    const raced = await ask(service, "call", ORDER, agentKey);
    const answers = await Promise.all([
      decide(approver, raced.data.approvalId),
      decide(owner, raced.data.approvalId),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409],
    );
    await ended(service, raced.data.runId);
    assert.equal(made(), before + 1);
  });

  it("asks nobody about a call whose arguments are wrong", async () => {
    const wrong = await ask(service, "call", { name: "shop:createOrder", arguments: { body: {} } }, agentKey);
    assert.equal(wrong.data.error.code, "invalid_arguments", wrong.text);
    const { expected, given, fix } = firstOf(wrong.data.error.problems);
    assert.deepEqual([expected, given, fix], ["a string", "nothing", 'Add "item": a string.']);
    // Whether or not the guard looks first, a misplaced or mistyped argument is answered with its place and name.
    for (const [args, expected] of [
      [{ item: "tea" }, 'Move "item" to /body/item.'],
      [{ body: { itm: "tea" } }, 'Rename "itm" to "item".'],
    ] as const) {
      const asAgent = await ask(service, "call", { name: ORDER.name, arguments: args }, agentKey);
      const direct = await rest(service, "POST", "/shop/call/createOrder", { arguments: args });
      for (const { error } of [asAgent.data, direct.body.data])
        assert.ok(
          error.problems.some(({ fix: named }) => named === expected),
          expected,
        );
    }
    const missing = await ask(service, "get", { kind: "run", id: "workflow_01" }, agentKey);
    assert.match(missing.data.error.nextAction, /get \{"kind": "workflow"\}.*list \{"kind": "run"\}/);
  });

  it("binds values as data: an expression in an argument stays a text", async () => {
    const item = { $expr: "inputs.caller" };
    const held = await ask(
      service,
      "call",
      { name: "shop:createOrder", arguments: { body: { item: JSON.stringify(item) } } },
      agentKey,
    );
    await decide(approver, held.data.approvalId);
    await ended(service, held.data.runId);
    assert.deepEqual(JSON.parse(String(api.seen.at(-1)?.body)), { item: JSON.stringify(item) });
  });

  it("asks four eyes about destructive calls: the person behind the client may not decide", async () => {
    const before = made();
    const held = await ask(
      service,
      "call",
      { name: "shop:deleteOrder", arguments: { path: { id: "o1" } } },
      client,
    );
    assert.equal(held.data.status, "approval_required", held.text);
    const own = await decide(owner, held.data.approvalId);
    assert.equal(own.status, 403, own.text);
    await decide(approver, held.data.approvalId);
    const run = await ended(service, held.data.runId);
    assert.equal(run.status, "succeeded", run.text);
    assert.equal(made(), before + 1);
  });

  it("has the person behind a client decide about its calls in the web app, not the client", async () => {
    const before = made();
    const { access_token: own } = await signInClient(service, owner, await newClient(service), {
      scopes: ["run", "write", "read-private", "approve"],
    });
    const held = await ask(service, "call", ORDER, own);
    const { approvalId, runId } = held.data;
    const { data } = await ask(service, "get", { kind: "approval", id: approvalId }, own);
    assert.equal(data.approval.you.mayDecide, false);
    const { shownDigest } = data.approval;
    const refused = await ask(
      service,
      "decide",
      { approval: approvalId, verdict: "approved", shownDigest },
      own,
    );
    assert.equal(refused.isError, true, refused.text);
    assert.match(refused.text, /does not approve the calls of the person it acts for/);
    assert.ok(refused.text.includes(`/approvals?id=${approvalId}`), refused.text);
    assert.equal((await decide(owner, approvalId)).status, 200);
    assert.equal((await ended(service, runId)).status, "succeeded");
    assert.equal(made(), before + 1);
  });

  it("has no way around: other tools, REST, a workflow, a subworkflow, its own approval", async () => {
    const before = made();
    for (const credential of [client, agentKey]) {
      const headers = { authorization: `Bearer ${credential}` };
      const rpc = async (name: string, args: unknown) =>
        at((await service.rpc("tools/call", { name, arguments: args }, headers)).envelope, "data", "status");
      assert.equal(await rpc("execute_mcp_tool", ORDER), "approval_required");
      assert.equal(await rpc("shop:createOrder", ORDER.arguments), "approval_required");
      const called = await rest({ ...service, key: credential }, "POST", "/shop/call/createOrder", {
        arguments: ORDER.arguments,
      });
      assert.equal(called.body.data["status"], "approval_required");
      const step = { id: "order", type: "tool", tool: "shop:createOrder", with: ORDER.arguments };
      const inner = await ask(
        service,
        "write_workflow",
        { name: "inner", nodes: [step], publish: true },
        credential,
      );
      assert.equal(inner.data.valid, true, inner.text);
      const outer = await ask(
        service,
        "write_workflow",
        {
          name: "outer",
          nodes: [{ id: "sub", type: "subworkflow", subworkflow: { workflowId: inner.data.id } }],
        },
        credential,
      );
      for (const { data: written } of [inner, outer]) {
        const run = await ask(service, "run", { workflow: written.id, waitSeconds: 20 }, credential);
        assert.equal(run.data.run.status, "failed", run.text);
      }
    }
    // An agent that may approve does not approve for itself.
    const selfMade = await ask(
      service,
      "write_workflow",
      {
        name: "self",
        nodes: [
          { id: "ok", type: "approval", approval: { title: "Fine?", show: "nothing" } },
          { id: "order", type: "tool", tool: "shop:createOrder", with: ORDER.arguments },
        ],
        edges: [{ from: "ok", to: "order", port: "approved" }],
      },
      agentKey,
    );
    const run = await ask(service, "run", { workflow: selfMade.data.id, waitSeconds: 20 }, agentKey);
    const own = firstOf(run.data.run.approvals);
    const decided = await ask(
      service,
      "decide",
      { approval: own.id, verdict: "approved", shownDigest: own.shownDigest },
      agentKey,
    );
    assert.equal(decided.isError, false, decided.text);
    const ownRun = await ended(service, run.data.run.id);
    assert.equal(ownRun.status, "failed");
    assert.match(ownRun.text, /a program, which counts for nobody here, decided the approval/);
    assert.equal(made(), before);
    const held = await ask(service, "call", ORDER, agentKey);
    const approval = await ask(service, "get", { kind: "approval", id: held.data.approvalId }, agentKey);
    const refused = await ask(
      service,
      "decide",
      {
        approval: held.data.approvalId,
        verdict: "approved",
        shownDigest: approval.data.approval.shownDigest,
      },
      agentKey,
    );
    assert.equal(refused.isError, true, refused.text);
    assert.equal(made(), before);
  });

  it("a person's approval opens the calls that it showed, and no others of the run", async () => {
    const order = (id: string): object => ({
      id,
      type: "tool",
      tool: "shop:createOrder",
      with: ORDER.arguments,
    });
    const approval = { id: "ok", type: "approval", approval: { title: "Fine?", show: "a list" } };
    const list = { id: "list", type: "tool", tool: "shop:listOrders" };
    const runWith = async (nodes: readonly object[], edges: readonly object[]): Promise<string> => {
      const written = await ask(service, "write_workflow", { name: "shown", nodes, edges }, agentKey);
      assert.equal(written.data.valid, true, written.text);
      const run = await ask(service, "run", { workflow: written.data.id, waitSeconds: 20 }, agentKey);
      assert.equal((await decide(owner, firstOf(run.data.run.approvals).id)).status, 200);
      return (await ended(service, run.data.run.id)).status;
    };
    const before = made();
    // The order stands beside the approval, not behind it.
    const beside = { id: "wait", type: "wait", wait: { ms: 1_500 } };
    const status = await runWith(
      [approval, list, beside, order("order")],
      [
        { from: "ok", to: "list", port: "approved" },
        { from: "wait", to: "order" },
      ],
    );
    assert.equal(status, "failed");
    assert.equal(made(), before);
    const behind = await runWith([approval, order("order")], [{ from: "ok", to: "order", port: "approved" }]);
    assert.equal(behind, "succeeded");
    assert.equal(made(), before + 1);
  });

  it("does not ask people in the web app, nor keys that are no agents", async () => {
    const person = await owner.visitor.ask("POST", "/api/svc/connections/shop/call/createOrder", {
      arguments: ORDER.arguments,
    });
    assert.equal(person.data["status"], 201, person.text);
    const direct = await rest(service, "POST", "/shop/call/createOrder", { arguments: ORDER.arguments });
    assert.equal(direct.body.data["status"], 201);
  });

  it("rules come first: deny, ask, dry-run and allow, for every caller and with the arguments", async () => {
    const bad = await guard({ rules: [{ id: "x", when: "tool ==", decision: "deny" }] });
    assert.equal(bad.status, 400);
    const set = await guard({
      rules: [
        { id: "no-gold", when: 'server == "shop" && args.body.item == "gold"', decision: "deny" },
        { id: "dry", when: 'args.body.item == "paper"', decision: "dry-run" },
        { id: "small", when: 'tool == "shop:createOrder" && args.body.quantity < 2.0', decision: "allow" },
      ],
    });
    assert.equal(set.status, 200, set.text);
    const order = (item: string, quantity: number) => ({ arguments: { body: { item, quantity } } });
    const before = made();
    const denied = await rest(service, "POST", "/shop/call/createOrder", order("gold", 1));
    assert.equal(denied.body.data.error.code, "blocked", JSON.stringify(denied.body));
    const dry = await rest(service, "POST", "/shop/call/createOrder", order("paper", 1));
    assert.equal(dry.body.data["status"], "dry_run");
    assert.equal(made(), before);
    const small = await ask(service, "call", { name: "shop:createOrder", ...order("tea", 1) }, agentKey);
    assert.equal(small.isError, false, small.text);
    assert.equal(made(), before + 1);
    await guard({ rules: [] });
  });

  it("simulates rules against past calls", async () => {
    const { data } = await asOperator(service, "POST", "/api/svc/guard/simulate", {
      agent: true,
      rules: [{ id: "none", when: 'effect == "destructive"', decision: "deny" }],
    });
    assert.ok(data.simulation.counts.deny >= 1 && data.simulation.counts.ask >= 1, JSON.stringify(data));
    assert.match(firstOf(data.simulation.changed).tool, /^shop:/);
  });

  it("stops a connection or a caller at once, limits calls, and records a bypass", async () => {
    await guard({ stopped: ["shop"] });
    const stopped = await rest(service, "POST", "/shop/call/listOrders", { arguments: {} });
    assert.equal(stopped.body.data.error.code, "blocked");
    const resource = await rest(service, "POST", "/shop/resource", { uri: "orders://all" });
    assert.equal(resource.body.data.error.code, "blocked", JSON.stringify(resource.body));
    assert.match(resource.body.data.error.message, /stopped by an admin/);
    await guard({ stopped: [agentId] });
    const agent = await ask(service, "call", { name: "get_health" }, agentKey);
    assert.equal(agent.data.error.code, "blocked", agent.text);
    await guard({ stopped: [], limits: [{ tool: "shop:createOrder", perMinute: 1 }] });
    const calls = [];
    for (let count = 0; count < 2; count++)
      calls.push(
        (await rest(service, "POST", "/shop/call/createOrder", { arguments: ORDER.arguments })).status,
      );
    assert.deepEqual(calls, [200, 429]);
    await guard({ limits: [] });
    const bypass = { minutes: 5, reason: "test" };
    await asOperator(service, "POST", "/api/svc/guard/bypass", bypass);
    const passed = await ask(service, "call", ORDER, agentKey);
    assert.equal(passed.isError, false, passed.text);
    await asOperator(service, "POST", "/api/svc/guard/bypass", { ...bypass, minutes: 0 });
    const { text } = await asOperator(service, "GET", "/api/svc/audit?limit=100");
    for (const action of ["guard.asked", "guard.denied", "guard.dry_run", "guard.bypassed", "guard.changed"])
      assert.ok(text.includes(action), action);
  });
});
