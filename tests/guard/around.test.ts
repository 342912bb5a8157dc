import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { ask, firstOf } from "../agent/support.ts";
import { parsedJson, type Json } from "../../src/kernel/json.ts";
import { SUITECTL } from "../cli/support.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { asOperator } from "../people/support.ts";
import { textAt } from "../support/json.ts";
import { ask as restAs } from "../triggers/support.ts";
import { startService, type TestService } from "../support/service.ts";
import { decide, ended, HOSTILE, ORDER, startShop, type Shop } from "./support.ts";

/* Ways around the guard that an agent could think of. Each ends with the number of calls that reached the shop. */

let shop: Shop;
let service: TestService;
/** A sibling that takes every packet. */
let docs: ApiServer;

before(async () => {
  docs = await startApiServer({
    "POST /api/docs/receive-handoff": ({ body }, response) => {
      const data = { id: JSON.parse(String(body)).id, status: "accepted" };
      response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ ok: true, data }));
    },
  });
  const siblings = { docs: { url: docs.url, key: "a-key-of-docs" } };
  service = await startService({ settings: { siblings, trustedHosts: ["127.0.0.1"] } });
  shop = await startShop(service);
  await asOperator(service, "PATCH", "/api/svc/guard", { agents: [shop.agentId] });
});
after(async () => {
  await service.close();
  await shop.close();
  await docs.close();
});

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
  const decided = await decide(shop.owner, firstOf(run.data.run.approvals).id);
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

/** Sends a message to a webhook, and gives the run that it starts. */
async function sent(path: string, message: object, secret: string | null): Promise<string> {
  const answer = await service.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
    body: JSON.stringify(message),
  });
  return textAt(parsedJson(await answer.text()), "data", "runId");
}

/** A workflow that the owner published in the web app; it orders what it is given. */
async function ownersWorkflow(
  nodes: readonly object[] = [order("order", { $ref: "inputs.item" })],
): Promise<string> {
  const inputs = { type: "object", properties: { item: { type: "string", default: "tea" } } };
  const { visitor } = shop.owner;
  const made = await visitor.call("create_workflow", { name: "own", nodes }, { "svc/document": { inputs } });
  const { id } = made.data.data.workflow;
  const published = await visitor.ask("POST", `/api/svc/workflows/${id}/publish`);
  assert.equal(published.status, 200, published.text);
  return id;
}

describe("ways around the guard", () => {
  it("the workflow of a guarded call is in no list and cannot be changed", async () => {
    const held = await ask(service, "call", ORDER, shop.agentKey);
    const { data } = await asOperator(service, "GET", `/api/svc/runs/${held.data.runId}`);
    const { workflowId } = data.run;
    assert.ok(workflowId !== null);
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
    const answers: Json[] = [];
    for (let count = 0; count < 2; count++)
      answers.push(
        (
          await service.rpc(
            "tools/call",
            { name: ORDER.name, arguments: ORDER.arguments, _meta: meta },
            headers,
          )
        ).envelope,
      );
    const [first, second] = answers;
    const runId = textAt(first, "data", "runId");
    assert.equal(textAt(second, "data", "runId"), runId);
    await decide(shop.approver, textAt(first, "data", "approvalId"));
    await ended(service, runId);
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
      const fire = `/api/svc/triggers/${trigger.id}/fire` as const;
      const runId =
        more.kind === "form"
          ? (await restAs(service, "POST", fire, { payload: {} }, shop.agentKey)).data.firing.runId
          : await sent(`/hooks/${trigger.id}`, {}, secret);
      assert.ok(runId);
      assert.equal((await ended(service, runId)).status, "failed");
    }
    const printed = await suitectl("call", "shop:createOrder", "--args", '{"body":{"item":"tea"}}');
    assert.match(printed, /a person decides first/);
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
    const asked = firstOf(run.data.run.approvals);
    const shown = await shop.owner.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
    assert.match(JSON.stringify(shown.data.approval.shown.calls), /Ignore the rules/);
    assert.equal(shop.made(), before);
    await decide(shop.owner, asked.id);
    assert.equal((await ended(service, run.data.run.id)).status, "succeeded");
    assert.deepEqual(JSON.parse(String(shop.api.seen.at(-1)?.body)), { item: HOSTILE });
    assert.equal(shop.made(), before + 1);
  });

  it("a handoff is asked about, refused and stopped like a call, and an approval shows it", async () => {
    const scopes = ["run", "read-private", "write", "handoff"];
    const signedIn = await signInClient(service, shop.owner, await newClient(service), { scopes });
    const client = signedIn.access_token;
    const handoff = {
      id: "report",
      type: "handoff",
      handoff: { target: "docs", capability: "report", payload: { title: "Q1" } },
    };
    const open = await written([handoff], [], client);
    const runOf = async (workflow: string, key?: string) =>
      (await ask(service, "run", { workflow, waitSeconds: 20 }, key)).data.run;
    const refused = await runOf(open, client);
    assert.equal(refused.status, "failed");
    assert.match(JSON.stringify(refused), /needs the approval of a person/);
    assert.equal(docs.seen.length, 0);
    const asking = await written([approval(), handoff], [behind("report")], client);
    const { id, approvals } = await runOf(asking, client);
    const shown = await shop.owner.visitor.ask("GET", `/api/svc/approvals/${firstOf(approvals).id}`);
    assert.match(JSON.stringify(shown.data.approval.shown.calls), /"handoff":"docs\/report".*"title":"Q1"/);
    await decide(shop.owner, firstOf(approvals).id);
    assert.equal((await ended(service, id)).status, "succeeded");
    assert.equal(docs.seen.length, 1);
    const own = await service.call("create_workflow", { name: "own", nodes: [handoff] }, { key: true });
    const ownId = own.envelope.data.workflow.id;
    for (const change of [
      { rules: [{ id: "no-reports", when: 'tool.startsWith("handoff:docs/")', decision: "deny" }] },
      { stopped: ["docs"] },
    ]) {
      await asOperator(service, "PATCH", "/api/svc/guard", change);
      const run = await service.call("run_workflow", { id: ownId }, { key: true });
      assert.equal((await ended(service, run.envelope.data.run.id)).status, "failed");
      await asOperator(service, "PATCH", "/api/svc/guard", { rules: [], stopped: [] });
    }
    assert.equal(docs.seen.length, 1);
  });

  it("a run of a person's trigger that an agent starts by hand is the agent's", async () => {
    const before = shop.made();
    const made = await shop.owner.visitor.ask("POST", "/api/svc/triggers", {
      workflowId: await ownersWorkflow(),
      kind: "webhook",
      verifier: "token",
    });
    assert.equal(made.status, 201, made.text);
    const fire = `/api/svc/triggers/${made.data.trigger.id}/fire` as const;
    for (const key of [shop.client, shop.agentKey]) {
      const fired = await restAs(service, "POST", fire, { payload: { item: "gold" } }, key);
      assert.equal((await ended(service, fired.data.firing.runId ?? "")).status, "failed");
    }
    assert.equal(shop.made(), before);
    const byOwner = await shop.owner.visitor.ask("POST", fire, { payload: { item: "tea" } });
    assert.equal((await ended(service, byOwner.data.firing.runId ?? "")).status, "succeeded");
    assert.equal(shop.made(), before + 1);
  });

  it("an agent does not queue dates of a person's schedule again, which would run as the person", async () => {
    const before = shop.made();
    const made = await shop.owner.visitor.ask("POST", "/api/svc/triggers", {
      workflowId: await ownersWorkflow(),
      kind: "schedule",
      cron: "0 0 1 1 *",
      inputs: { item: "gold" },
    });
    assert.equal(made.status, 201, made.text);
    const range = { from: "2020-01-01T00:00:00Z", until: "2020-02-01T00:00:00Z" };
    const backfill = `/api/svc/triggers/${made.data.trigger.id}/backfill` as const;
    for (const key of [shop.client, shop.agentKey]) {
      const refused = await restAs(service, "POST", backfill, range, key);
      assert.equal(refused.status, 403, JSON.stringify(refused));
    }
    assert.equal(shop.made(), before);
    const empty = { from: "2020-02-01T00:00:00Z", until: "2020-03-01T00:00:00Z" };
    assert.equal((await shop.owner.visitor.ask("POST", backfill, empty)).status, 202);
  });

  it("a version that an agent published, and a draft that it changed, run as the agent's", async () => {
    const before = shop.made();
    const workflowId = await ownersWorkflow();
    const webhook = { workflowId, kind: "webhook", verifier: "token" };
    const { data } = await shop.owner.visitor.ask("POST", "/api/svc/triggers", webhook);
    let count = 0;
    const fired = async (): Promise<string> => {
      const message = { item: "tea", count: count++ };
      const runId = await sent(`/hooks/${data.trigger.id}`, message, data.secret);
      return (await ended(service, runId)).status;
    };
    assert.equal(await fired(), "succeeded");
    const change = { id: workflowId, nodes: [order("order", "gold")], edges: [] };
    const changed = await ask(service, "write_workflow", { ...change, publish: true }, shop.client);
    assert.equal(changed.data.valid, true, changed.text);
    assert.equal(await fired(), "failed");
    // A workflow of the person's own that runs it lends it nothing.
    const outer = [{ id: "sub", type: "subworkflow", subworkflow: { workflowId } }];
    const runs = (id: string) => `/api/svc/workflows/${id}/runs` as const;
    const wrapped = await shop.owner.visitor.ask("POST", runs(await ownersWorkflow(outer)), {});
    assert.equal((await ended(service, wrapped.data.run.id)).status, "failed", wrapped.text);
    assert.equal(shop.made(), before + 1);
    // Published by a person, it is that person's again, and the agent's change of the draft does not run.
    const publish = `/api/svc/workflows/${workflowId}/publish` as const;
    const vouched = await shop.owner.visitor.ask("POST", publish);
    assert.equal(vouched.data.version.version, 3, vouched.text);
    await ask(service, "write_workflow", { ...change, nodes: [order("order", "silver")] }, shop.client);
    assert.equal(await fired(), "succeeded");
    assert.equal(shop.made(), before + 2);
    const draft = await shop.owner.visitor.ask("POST", runs(workflowId), { version: "draft" });
    assert.equal((await ended(service, draft.data.run.id)).status, "failed", draft.text);
    assert.equal(shop.made(), before + 2);
  });
});
