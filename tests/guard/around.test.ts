import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { ask } from "../agent/support.ts";
import { SUITECTL } from "../cli/support.ts";
import { rest } from "../connections/rest.ts";
import { asOperator } from "../people/support.ts";
import { ask as restAs } from "../triggers/support.ts";
import type { TestService } from "../support/service.ts";
import { decide, ended, HOSTILE, ORDER, startShop, type Shop } from "./support.ts";

/* Ways around the guard that an agent could think of. Each ends with the number of calls that reached the shop. */

let shop: Shop;
let service: TestService;

before(async () => {
  shop = await startShop();
  ({ service } = shop);
});
after(() => shop.close());

const approval = (more: object = {}): object => ({
  id: "ok",
  type: "approval",
  approval: { title: "Fine?", show: "a list", ...more },
});
const order = (id: string, item: unknown = "tea"): object => ({
  id,
  type: "tool",
  tool: "shop:createOrder",
  with: { body: { item } },
});
const behind = (to: string): object => ({ from: "ok", to, port: "approved" });

/** Writes a workflow as the agent; a client that the owner signed in by default. */
async function written(
  nodes: readonly object[],
  edges: readonly object[],
  key = shop.client,
): Promise<string> {
  const answer = await ask(service, "write_workflow", { name: "around", nodes, edges, publish: true }, key);
  assert.equal(answer.data.valid, true, answer.text);
  return answer.data.id;
}

/** Runs it, has the owner approve it, and says how it ended. */
async function approved(workflow: string, key = shop.client): Promise<string> {
  const run = await ask(service, "run", { workflow, waitSeconds: 20 }, key);
  const [asked] = run.data.run.approvals;
  const decided = await decide(shop.owner, asked.id);
  assert.equal(decided.status, 200, decided.text);
  return (await ended(service, run.data.run.id)).status;
}

function suitectl(...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, SUITE_URL: service.url, SUITE_API_KEY: shop.agentKey };
    const child = spawn(process.execPath, [SUITECTL, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => (text += part));
    child.once("close", () => resolve(text));
  });
}

describe("ways around the guard", () => {
  it("the workflow of a guarded call is in no list and cannot be changed", async () => {
    const held = await ask(service, "call", ORDER, shop.agentKey);
    const { data } = await asOperator(service, "GET", `/api/svc/runs/${held.data.runId}`);
    const { workflowId } = data.run;
    const headers = { authorization: `Bearer ${shop.agentKey}` };
    for (const [name, args] of [
      ["update_workflow", { id: workflowId, nodes: [], edges: [] }],
      ["publish_workflow", { id: workflowId }],
      ["archive_workflow", { id: workflowId }],
      ["delete_workflow", { id: workflowId }],
    ] as const) {
      const { text } = await service.rpc("tools/call", { name, arguments: args }, headers);
      assert.doesNotMatch(text, /"ok":true/, name);
    }
    for (const key of [shop.agentKey, service.key]) {
      const { text } = await service.rpc(
        "tools/call",
        { name: "list_workflows", arguments: { limit: 100 } },
        { authorization: `Bearer ${key}` },
      );
      assert.equal(text.includes(workflowId), false);
    }
    const before = shop.made();
    assert.equal((await decide(shop.approver, held.data.approvalId)).status, 200);
    assert.equal((await ended(service, held.data.runId)).status, "succeeded");
    assert.equal(shop.made(), before + 1);
    // What ran does not run again.
    const again = await asOperator(service, "POST", `/api/svc/runs/${held.data.runId}/retry`);
    assert.notEqual(again.status, 200, again.text);
    assert.equal(shop.made(), before + 1);
  });

  it("a repeated call with the same key waits for one approval and is made once", async () => {
    const before = shop.made();
    const meta = { "svc/idempotencyKey": "order-1" };
    const headers = { authorization: `Bearer ${shop.agentKey}` };
    const answers = [];
    for (let count = 0; count < 2; count++)
      answers.push(
        (
          await service.rpc(
            "tools/call",
            { name: ORDER.name, arguments: ORDER.arguments, _meta: meta },
            headers,
          )
        ).envelope.data,
      );
    const [first, second] = answers;
    assert.equal(first.runId, second.runId);
    await decide(shop.approver, first.approvalId);
    await ended(service, first.runId);
    assert.equal(shop.made(), before + 1);
  });

  it("an approval opens its own step with the arguments that were shown, not the same tool elsewhere", async () => {
    const before = shop.made();
    const workflow = await written(
      [
        approval(),
        order("shown"),
        { id: "wait", type: "wait", wait: { ms: 1_500 } },
        order("hidden", "gold"),
      ],
      [behind("shown"), { from: "wait", to: "hidden" }],
    );
    assert.equal(await approved(workflow), "failed");
    assert.equal(shop.made(), before + 1);
    assert.match(String(shop.api.seen.at(-1)?.body), /tea/);
  });

  it("an approval opens the items of a map and the steps of a subworkflow that it showed", async () => {
    const before = shop.made();
    const items = ["green", "black"];
    const each = { tool: "shop:createOrder", with: { body: { item: { $ref: "item" } } } };
    const mapped = await written(
      [approval(), { id: "all", type: "map", map: { items, maxItems: 5, body: each } }],
      [behind("all")],
    );
    assert.equal(await approved(mapped), "succeeded");
    assert.equal(shop.made(), before + 2);
    const inner = await written([order("order")], []);
    const sub = { id: "sub", type: "subworkflow", subworkflow: { workflowId: inner } };
    assert.equal(await approved(await written([approval(), sub], [behind("sub")])), "succeeded");
    assert.equal(shop.made(), before + 3);
  });

  it("four eyes hold in the agent's own workflow, whatever that says", async () => {
    const before = shop.made();
    const remove = { id: "gone", type: "tool", tool: "shop:deleteOrder", with: { path: { id: "o1" } } };
    const workflow = await written([approval({ fourEyes: false }), remove], [behind("gone")]);
    assert.equal(await approved(workflow), "failed");
    assert.equal(shop.made(), before);
  });

  it("a rule about a caller holds for the workflows that the caller starts", async () => {
    const before = shop.made();
    const rules = [
      { id: "no-clients", when: 'caller.kind == "oauth" && server == "shop"', decision: "deny" },
    ];
    await asOperator(service, "PATCH", "/api/svc/guard", { rules });
    const workflow = await written([approval(), order("order")], [behind("order")]);
    assert.equal(await approved(workflow), "failed");
    await asOperator(service, "PATCH", "/api/svc/guard", { rules: [] });
    assert.equal(shop.made(), before);
  });

  it("a webhook, a form and suitectl lead to the same decision", async () => {
    const before = shop.made();
    const workflow = await written([order("order")], [], shop.agentKey);
    for (const more of [
      { kind: "webhook", verifier: "token" },
      { kind: "form", slug: "order-tea" },
    ]) {
      const made = await restAs(
        service,
        "POST",
        "/api/svc/triggers",
        { workflowId: workflow, ...more },
        shop.agentKey,
      );
      assert.equal(made.status, 201, JSON.stringify(made.data));
      const { trigger, secret } = made.data;
      const fired =
        more.kind === "form"
          ? await restAs(
              service,
              "POST",
              `/api/svc/triggers/${trigger.id}/fire`,
              { payload: {} },
              shop.agentKey,
            )
          : await restAs(service, "POST", `/hooks/${trigger.id}`, {}, secret);
      const runId = fired.data.runId ?? fired.data.firing?.runId;
      assert.ok(runId, JSON.stringify(fired.data));
      assert.equal((await ended(service, runId)).status, "failed");
    }
    const said = await suitectl("call", "shop:createOrder", "--args", '{"body":{"item":"tea"}}');
    assert.match(said, /a person decides first/);
    assert.equal(shop.made(), before);
  });

  it("a name of before a rename is no way around a rule, and a rename while a call waits ends it", async () => {
    const before = shop.made();
    const held = await ask(service, "call", ORDER, shop.agentKey);
    const rules = [{ id: "no-making", when: 'tool == "shop:makeOrder"', decision: "deny" }];
    await asOperator(service, "PATCH", "/api/svc/guard", { rules });
    const renamed = await rest(service, "PATCH", "/shop/definitions/createOrder", { name: "makeOrder" });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    const old = await ask(service, "call", ORDER, shop.agentKey);
    assert.equal(old.data.error.code, "blocked", old.text);
    await asOperator(service, "PATCH", "/api/svc/guard", { rules: [] });
    assert.equal((await decide(shop.approver, held.data.approvalId)).status, 200);
    assert.equal((await ended(service, held.data.runId)).status, "failed");
    await rest(service, "PATCH", "/shop/definitions/makeOrder", { name: null });
    assert.equal(shop.made(), before);
  });

  it("what a tool answers is data: an instruction or an expression in it changes nothing", async () => {
    const before = shop.made();
    const workflow = await written(
      [
        { id: "read", type: "tool", tool: "shop:listOrders" },
        approval(),
        order("order", { $expr: "steps.read.outputs.data.body.note" }),
      ],
      [{ from: "read", to: "ok" }, behind("order")],
    );
    const run = await ask(service, "run", { workflow, waitSeconds: 20 }, shop.client);
    const [asked] = run.data.run.approvals;
    const shown = await shop.owner.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
    assert.match(JSON.stringify(shown.data.approval.shown.calls), /Ignore the rules/);
    assert.equal(shop.made(), before);
    await decide(shop.owner, asked.id);
    assert.equal((await ended(service, run.data.run.id)).status, "succeeded");
    assert.deepEqual(JSON.parse(String(shop.api.seen.at(-1)?.body)), { item: HOSTILE });
    assert.equal(shop.made(), before + 1);
  });
});
