import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ask } from "../agent/support.ts";
import { asOperator } from "../people/support.ts";
import { at, textAt } from "../support/json.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask as restAs } from "../triggers/support.ts";
import { decide, ended, startShop, type Shop } from "./support.ts";

/* Whom the guard's rules and defaults hold for: programs, callers without credentials, agents that come at once. */

const REMOVE = { path: { id: "o1" } };
const CALL = "/api/svc/connections/shop/call/deleteOrder";

describe("callers of the guard", () => {
  let shop: Shop;
  let service: TestService;
  let ahead = 0;
  const guard = (changes: unknown) => asOperator(service, "PATCH", "/api/svc/guard", changes);
  const remove = async (key: string) =>
    (await restAs(service, "POST", CALL, { arguments: REMOVE }, key)).data;

  before(async () => {
    service = await startService({ clock: { now: () => Date.now() + ahead } });
    shop = await startShop(service);
  });
  after(async () => {
    await service.close();
    await shop.close();
  });

  it("a key or a token that destroys something elsewhere waits for a person, unless it is trusted or a rule allows it", async () => {
    const scopes = ["run", "write", "read-private", "approve"];
    const { data } = await asOperator(service, "POST", "/api/svc/keys", { name: "program", scopes });
    const token = await shop.owner.visitor.ask("POST", "/api/svc/tokens", {
      name: "script",
      scopes: ["run"],
    });
    assert.equal(token.status, 201, token.text);
    const before = shop.made();
    for (const program of [data.token, token.data.token]) {
      const held = await remove(program);
      assert.equal(held["status"], "approval_required", JSON.stringify(held));
      const rpc = { name: "shop:deleteOrder", arguments: REMOVE };
      const headers = { authorization: `Bearer ${program}` };
      const { envelope } = await service.rpc("tools/call", rpc, headers);
      assert.equal(at(envelope, "data", "status"), "approval_required");
    }
    assert.equal(shop.made(), before);
    const held = await remove(data.token);
    assert.equal((await decide(shop.approver, textAt(held, "approvalId"))).status, 200);
    assert.equal((await ended(service, textAt(held, "runId"))).status, "succeeded");
    assert.equal(shop.made(), before + 1);
    // People, trusted keys, and what a rule allows go on.
    const person = await shop.owner.visitor.ask("POST", CALL, { arguments: REMOVE });
    assert.equal(person.data["status"], 204, person.text);
    await guard({ trusted: [data.key.id] });
    assert.equal((await remove(data.token))["status"], 204);
    const rules = [{ id: "clean-up", when: 'tool == "shop:deleteOrder"', decision: "allow" }];
    await guard({ trusted: [], rules });
    assert.equal((await remove(data.token))["status"], 204);
    await guard({ rules: [] });
    // Who administers the service could change the guard.
    assert.equal((await remove(service.key))["status"], 204);
    assert.equal(shop.made(), before + 5);
    // Own tools go on as before.
    const saved = await service.call("save_artifact", { artifact: { title: "A note" } }, { key: true });
    const { id } = saved.envelope.data.artifact;
    const removed = await service.call("delete_artifact", { id }, { key: true });
    assert.equal(removed.envelope.ok, true, removed.text);
  });

  it("a workflow is no way around it for a key, and its approval counts as the workflow says", async () => {
    const before = shop.made();
    const gone = { id: "gone", type: "tool", tool: "shop:deleteOrder", with: REMOVE };
    const scopes = ["run", "write", "read-private", "approve"];
    const { data } = await asOperator(service, "POST", "/api/svc/keys", { name: "flows", scopes });
    const headers = { authorization: `Bearer ${data.token}` };
    const call = (name: string, args: object, _meta: object = {}) =>
      service.rpc("tools/call", { name, arguments: args, _meta }, headers);
    const run = async (nodes: readonly object[], edges: readonly object[], more: object = {}) => {
      const made = await call("create_workflow", { name: "gone", nodes, edges }, { "svc/document": more });
      const started = await call("run_workflow", { id: textAt(made.envelope, "data", "workflow", "id") });
      return at(started.envelope, "data", "run");
    };
    const open = await run([gone], [], { policy: { requireApproval: "none" } });
    const refused = await ended(service, textAt(open, "id"));
    assert.equal(refused.status, "failed");
    assert.match(refused.text, /needs the approval of a person/);
    assert.equal(shop.made(), before);
    const approval = { id: "ok", type: "approval", approval: { title: "Fine?", show: "an order" } };
    const asking = await run([approval, gone], [{ from: "ok", to: "gone", port: "approved" }]);
    await call("approve_step", { id: textAt(asking, "approvals", 0, "id") });
    assert.equal((await ended(service, textAt(asking, "id"))).status, "succeeded");
    assert.equal(shop.made(), before + 1);
  });

  it("rules and stops hold for callers without credentials, also for reads, and are noted once a minute", async () => {
    const read = () => service.call("get_trust_policy");
    const rule = (decision: string) => ({
      rules: [{ id: "closed", when: 'tool == "get_trust_policy" && caller.kind == "anonymous"', decision }],
    });
    assert.equal((await read()).envelope.ok, true);
    for (const changes of [rule("deny"), rule("ask"), { rules: [], stopped: ["anonymous"] }]) {
      await guard(changes);
      for (let count = 0; count < 2; count++)
        assert.equal((await read()).envelope.data.error.code, "blocked", JSON.stringify(changes));
    }
    await guard({ ...rule("dry-run"), stopped: [] });
    assert.equal((await read()).envelope.data.status, "dry_run");
    const noted = await asOperator(service, "GET", "/api/svc/guard/decisions?decision=deny");
    const tools = noted.data.decisions.filter(({ tool }) => tool === "get_trust_policy");
    assert.equal(tools.length, 2, noted.text);
    // A database that does not answer holds up no public read; what was read last holds.
    await guard(rule("deny"));
    Object.assign(service.app.services.store.read.guard, { latest: () => new Promise(() => undefined) });
    ahead += 5_000;
    assert.equal((await read()).envelope.data.error.code, "blocked");
    assert.equal((await service.call("get_health")).envelope.ok, true);
  });
});

describe("agents that come at once", () => {
  const STORES: readonly [store: string, url: () => Promise<string | undefined>, replicas: number][] = [
    ["SQLite", () => Promise.resolve(undefined), 1],
    ["PostgreSQL", async () => (await testPostgres()).createDatabase(), 2],
  ];
  for (const [store, open, replicas] of STORES) {
    it(`are all noted, and no other change is lost: ${store}`, async () => {
      const databaseUrl = await open();
      const settings = databaseUrl === undefined ? {} : { databaseUrl };
      const services: TestService[] = [];
      while (services.length < replicas) services.push(await startService({ settings }));
      const [first] = services;
      assert.ok(first);
      try {
        const scopes = ["run", "write"];
        const keys = await Promise.all(
          Array.from({ length: 8 }, async (_, index) => {
            const key = { name: `agent ${index}`, scopes };
            return (await asOperator(first, "POST", "/api/svc/keys", key)).data;
          }),
        );
        const [stopped] = await Promise.all([
          asOperator(first, "PATCH", "/api/svc/guard", { stopped: ["elsewhere"] }),
          ...keys.map(async ({ token }, index) => {
            const replica = services[index % replicas] ?? first;
            const made = await ask(replica, "write_workflow", { name: `by ${index}`, nodes: [] }, token);
            assert.equal(made.isError, false, made.text);
          }),
        ]);
        const { data } = await asOperator(first, "GET", "/api/svc/guard");
        const ids = keys.map(({ key }) => key.id);
        assert.equal(data.guard.agents.length, ids.length);
        assert.deepEqual(new Set(data.guard.agents), new Set(ids));
        if (stopped.status === 200) assert.deepEqual(data.guard.stopped, ["elsewhere"]);
        else assert.equal(stopped.status, 409, stopped.text);
      } finally {
        for (const service of services) await service.close();
      }
    });
  }
});
