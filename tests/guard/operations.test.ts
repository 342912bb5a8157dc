import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ask, firstOf } from "../agent/support.ts";
import { asOperator } from "../people/support.ts";
import { ask as restAs } from "../triggers/support.ts";
import { decide, ended, ORDER, startShop, type Shop } from "./support.ts";

/* Ways that are no calls of a tool: operations of REST, dry runs, decisions of other programs, values of other types. */

let shop: Shop;
const guard = (changes: unknown) => asOperator(shop.service, "PATCH", "/api/svc/guard", changes);
const requests = (): number => shop.api.seen.length;

before(async () => {
  shop = await startShop();
  await guard({ agents: [shop.agentId] });
});
after(() => shop.close());

/** Writes a workflow at /mcp and publishes it. */
async function written(nodes: readonly object[], edges: readonly object[] = []): Promise<string> {
  const graph = { name: "a way", nodes, edges, publish: true };
  const { data, text } = await ask(shop.service, "write_workflow", graph, shop.client);
  assert.equal(data.valid, true, text);
  return data.id;
}

const HEALTH = { id: "health", type: "tool", tool: "get_health" };

describe("the guard", () => {
  it("takes no decision of a key for that of a person", async () => {
    const { service } = shop;
    const before = shop.made();
    const order = { id: "order", type: "tool", tool: ORDER.name, with: ORDER.arguments };
    const workflow = await written(
      [{ id: "ok", type: "approval", approval: { title: "Order?" } }, order],
      [{ from: "ok", to: "order", port: "approved" }],
    );
    for (const key of [shop.agentKey, service.key]) {
      const { data } = await ask(service, "run", { workflow, waitSeconds: 20 }, shop.client);
      const { id: approval, shownDigest } = firstOf(data.run.approvals);
      const verdict = { approval, verdict: "approved", shownDigest };
      assert.equal((await ask(service, "decide", verdict, key)).isError, false);
      const { status, text } = await ended(service, data.run.id);
      assert.equal(status, "failed");
      assert.match(text, /needs the approval of a person/);
    }
    assert.equal(shop.made(), before);
  });

  it("applies a rule whatever its name is", async () => {
    await guard({ rules: [{ id: "default-run", when: 'tool == "run_workflow"', decision: "deny" }] });
    const workflow = await written([HEALTH]);
    const run = await ask(shop.service, "run", { workflow }, shop.client);
    assert.equal(run.data.error.code, "blocked", run.text);
    await guard({ rules: [] });
  });

  it("applies rules about runs and decisions to the operations that do the same", async () => {
    const { service } = shop;
    const rules = [
      { id: "no-runs", when: 'tool == "run_workflow" && agent', decision: "deny" },
      { id: "no-decisions", when: 'tool in ["approve_step", "reject_step"] && agent', decision: "deny" },
    ];
    await guard({ rules });
    const path = `/api/svc/workflows/${await written([HEALTH])}/runs` as const;
    const run = await restAs(service, "POST", path, {}, shop.agentKey);
    assert.equal(run.status, 403, JSON.stringify(run));
    assert.equal((await shop.owner.visitor.ask("POST", path, {})).status, 202);
    const held = await ask(service, "call", ORDER, shop.client);
    const { approvalId: approval } = held.data;
    for (const verdict of ["approved", "rejected"]) {
      const decided = await ask(
        service,
        "decide",
        { approval, verdict, shownDigest: "sha256:0", reason: "No." },
        shop.agentKey,
      );
      assert.equal(decided.data.error.details?.["rule"], "no-decisions", decided.text);
    }
    await guard({ rules: [] });
    assert.equal((await decide(shop.owner, approval, "rejected")).status, 200);
  });

  it("applies rules and stops to what a dry run reads, and to the test of a connection", async () => {
    const { service } = shop;
    const id = await written([{ id: "read", type: "tool", tool: "shop:listOrders" }]);
    const rules = [{ id: "no-orders", when: 'tool == "shop:listOrders"', decision: "deny" }];
    for (const change of [{ rules }, { stopped: ["shop"] }]) {
      await guard(change);
      const before = requests();
      const dry = await ask(service, "try_workflow", { id, detail: "full" }, shop.client);
      assert.match(JSON.stringify(dry.data), /answered blocked/);
      assert.equal(requests(), before);
      await guard({ rules: [], stopped: [] });
    }
    await guard({ stopped: ["shop"] });
    const before = requests();
    const tested = await restAs(service, "POST", "/api/svc/connections/shop/test", {}, shop.agentKey);
    assert.equal(tested.status, 403, JSON.stringify(tested));
    assert.equal(requests(), before);
    await guard({ stopped: [] });
  });

  it("does not let a value of another type by, nor apply a rule about what is not there", async () => {
    const { service } = shop;
    const deny = { id: "big", when: "args.query.customer > 5.0", decision: "deny" };
    await guard({ rules: [deny] });
    const text = await ask(
      service,
      "call",
      { name: "shop:listOrders", arguments: { query: { customer: "9" } } },
      shop.client,
    );
    assert.equal(text.data.error?.code, "blocked", text.text);
    assert.equal((await ask(service, "call", { name: "shop:listOrders" }, shop.client)).isError, false);
    // It is no way to be allowed either.
    await guard({ rules: [{ id: "small", when: "args.body.item < 5.0", decision: "allow" }] });
    const order = await ask(service, "call", ORDER, shop.client);
    assert.equal(order.data.status, "approval_required", order.text);
    await guard({ rules: [] });
  });

  it("counts a person's limit over the tokens of that person", async () => {
    const { service, owner } = shop;
    await guard({ limits: [{ caller: owner.id, tool: ORDER.name, perDay: 2 }] });
    const call = "/api/svc/connections/shop/call/createOrder";
    const statuses: number[] = [];
    for (const name of ["one", "two", "three"]) {
      const { data } = await owner.visitor.ask("POST", "/api/svc/tokens", { name, scopes: ["run"] });
      statuses.push((await restAs(service, "POST", call, { arguments: ORDER.arguments }, data.token)).status);
    }
    assert.deepEqual(statuses, [200, 200, 429]);
    await guard({ limits: [] });
  });

  it("makes an approved call once, also when its answer was a refusal", async () => {
    const { service, approver, client, owner } = shop;
    const before = requests();
    const gone = { name: "shop:deleteOrder", arguments: { path: { id: "o2" } } };
    const held = await ask(service, "call", gone, client);
    const { approvalId, runId } = held.data;
    await decide(approver, approvalId);
    assert.equal((await ended(service, runId)).status, "failed");
    for (const action of ["retry", "rerun"]) {
      const repair = { runId, action, ...(action === "rerun" && { stepId: "call" }) };
      const again = await ask(service, "run", { repair }, client);
      assert.match(again.text, /is called once/);
    }
    const retry = `/api/svc/runs/${runId}/retry` as const;
    assert.equal((await restAs(service, "POST", retry, {}, client)).status, 409);
    assert.equal(requests(), before + 1);
    // A person who does it takes it over.
    assert.equal((await owner.visitor.ask("POST", retry)).status, 202);
    await ended(service, runId);
    assert.equal(requests(), before + 2);
  });
});
