import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ask, firstOf } from "../agent/support.ts";
import { asOperator } from "../people/support.ts";
import { at, foundAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask as restAs, history, until } from "../triggers/support.ts";
import { decide, ended, ORDER, startShop, type Shop } from "./support.ts";

/* An approval is for one call with its arguments, once: changed arguments, repeated requests, decisions at once. */

let shop: Shop;
let service: TestService;

before(async () => {
  service = await startService();
  shop = await startShop(service);
});
after(async () => {
  await service.close();
  await shop.close();
});

describe("an approval is for one call, once", () => {
  it("does not open the step after its arguments were changed by a repair", async () => {
    const before = shop.made();
    const nodes = [
      { id: "ok", type: "approval", approval: { title: "Fine?", show: "a list" } },
      { id: "order", type: "tool", tool: ORDER.name, with: ORDER.arguments },
    ];
    const edges = [{ from: "ok", to: "order", port: "approved" }];
    const { data } = await ask(service, "write_workflow", { name: "changed", nodes, edges }, shop.client);
    const run = (await ask(service, "run", { workflow: data.id, waitSeconds: 20 }, shop.client)).data.run;
    // It was approved, and fails before it is sent.
    await asOperator(service, "PATCH", "/api/svc/guard", { stopped: ["shop"] });
    const asked = firstOf(run.approvals);
    assert.equal((await decide(shop.owner, asked.id)).status, 200);
    assert.equal((await ended(service, run.id)).status, "failed");
    await asOperator(service, "PATCH", "/api/svc/guard", { stopped: [] });
    const input = { body: { item: "gold" } };
    const change = { action: "change_input", stepId: "order", input, reason: "again" };
    const repaired = await restAs(service, "POST", `/api/svc/runs/${run.id}/repair`, change, shop.client);
    assert.equal(repaired.status, 202, JSON.stringify(repaired.data));
    // A person is asked again, about what would be sent now.
    const { approvals } = await until(
      async () => (await asOperator(service, "GET", `/api/svc/runs/${run.id}`)).data.run,
      ({ status }) => status === "waiting",
    );
    const again = firstOf((approvals ?? []).filter(({ status }) => status === "pending"));
    assert.notEqual(again.id, asked.id);
    const shown = await shop.owner.visitor.ask("GET", `/api/svc/approvals/${again.id}`);
    assert.match(JSON.stringify(shown.data.approval.shown.calls), /gold/);
    assert.equal(shop.made(), before);
    await decide(shop.owner, again.id, "rejected");
    await ended(service, run.id);
    assert.equal(shop.made(), before);
  });

  it("is not found again with its key and other arguments", async () => {
    const before = shop.made();
    const headers = { authorization: `Bearer ${shop.client}` };
    const call = async (item: string) => {
      const params = {
        name: ORDER.name,
        arguments: { body: { item } },
        _meta: { "svc/idempotencyKey": "one" },
      };
      return (await service.rpc("tools/call", params, headers)).envelope;
    };
    const held = await call("tea");
    assert.equal((await decide(shop.approver, textAt(held, "data", "approvalId"))).status, 200);
    assert.equal((await ended(service, textAt(held, "data", "runId"))).status, "succeeded");
    const other = await call("gold");
    assert.equal(foundAt(other, "data", "error", "code"), "conflict", JSON.stringify(other));
    // The same call again is the one that was made.
    assert.equal(at(await call("tea"), "ok"), true);
    assert.equal(shop.made(), before + 1);
  });

  it("is decided once where approval and rejection race", async () => {
    for (let round = 0; round < 4; round++) {
      const before = shop.made();
      const held = (await ask(service, "call", ORDER, shop.client)).data;
      const answers = await Promise.all([
        decide(shop.approver, held.approvalId, round % 2 === 0 ? "approved" : "rejected"),
        decide(shop.owner, held.approvalId, round % 2 === 0 ? "rejected" : "approved"),
      ]);
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      assert.ok(winner !== undefined && others.length === 0);
      await ended(service, held.runId);
      const approval = await shop.owner.visitor.ask("GET", `/api/svc/approvals/${held.approvalId}`);
      const isApproved = approval.data.approval.status === "approved";
      assert.equal(shop.made(), before + (isApproved ? 1 : 0), approval.text);
    }
  });

  it("is not replaced by a form page that a stranger sends", async () => {
    const before = shop.made();
    const inputs = { type: "object", properties: { item: { type: "string" } }, required: ["item"] };
    const written = await ask(
      service,
      "write_workflow",
      {
        name: "form",
        inputs,
        nodes: [
          { id: "order", type: "tool", tool: ORDER.name, with: { body: { item: { $ref: "inputs.item" } } } },
        ],
        publish: true,
      },
      shop.client,
    );
    const form = { workflowId: written.data.id, kind: "form", slug: "order-here" };
    const made = await restAs(service, "POST", "/api/svc/triggers", form, shop.client);
    assert.equal(made.status, 201, JSON.stringify(made.data));
    const sent = await service.fetch("/f/order-here", {
      method: "POST",
      body: new URLSearchParams({ item: "tea" }),
    });
    assert.equal(sent.status, 200);
    const [firing] = await until(
      () => history(service, made.data.trigger.id),
      ([first]) => first?.runId != null,
    );
    const run = await ended(service, firing?.runId ?? "");
    assert.equal(run.status, "failed");
    assert.match(run.text, /needs the approval of a person/);
    assert.equal(shop.made(), before);
  });
});
