import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listOf } from "../../src/kernel/json.ts";
import { startService, type TestService } from "../support/service.ts";

const key = { key: true };

describe("agent policy with storage", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  test("a change is a stored revision with its event and its provenance, and is served everywhere", async () => {
    const before_ = (await service.call("get_agent_policy")).envelope.data;
    assert.deepEqual([before_.revision, before_.source], [0, "built-in"]);
    const saved = await service.call(
      "update_agent_policy",
      { policy: { summary: "Ask first.", robotsDisallow: ["/api/", "/private/"] } },
      key,
    );
    assert.equal(saved.envelope.ok, true, saved.text);
    assert.equal(saved.envelope.data.revision, 1);
    assert.deepEqual(saved.envelope.data.changed, ["summary", "robotsDisallow"]);

    const now = (await service.call("get_agent_policy")).envelope.data;
    assert.deepEqual([now.revision, now.source, now.summary], [1, "stored", "Ask first."]);
    assert.equal(now.digest, saved.envelope.data.digest);
    assert.match(await (await service.fetch("/robots.txt")).text(), /^Disallow: \/private\/$/m);

    const events = await service.app.services.store.read.events.after(0, 1000);
    const event = events.find(({ type }) => type === "svc.policy.updated");
    assert.equal(event?.data["revision"], 1);
    const { provenanceId } = saved.envelope.data;
    assert.ok(provenanceId !== null);
    const record = await service.app.services.store.read.provenance.get(provenanceId);
    assert.equal(record?.kind, "agent_policy");
    const verified = await service.call("verify_svc_provenance", { recordId: provenanceId });
    assert.equal(verified.envelope.ok, true, verified.text);
  });

  test("a refresh stores what it checked, keeps added platforms, and grants nothing", async () => {
    const added = {
      id: "our-bot",
      name: "Our bot",
      kind: "http-client",
      access: "public-safe",
      grants: ["reads templates"],
      statements: [],
    };
    const { platforms } = (await service.call("list_agent_platforms")).envelope.data;
    const plain = platforms.map(
      ({ verifiedStatements: _v, unverifiedStatements: _u, ...rest }: Record<string, unknown>) => rest,
    );
    const update = await service.call(
      "update_agent_policy",
      { policy: { platforms: [...plain, added] } },
      key,
    );
    assert.equal(update.envelope.ok, true, update.text);
    const refreshed = await service.call("refresh_agent_platform_registry", {}, key);
    assert.equal(refreshed.envelope.ok, true, refreshed.text);
    assert.ok(
      refreshed.envelope.data.evidence?.checks.every(({ holds }) => holds),
      refreshed.text,
    );
    const after_ = (await service.call("get_agent_platform", { id: "our-bot" })).envelope.data;
    assert.equal(after_.platform.access, "public-safe");
    const client = (await service.call("get_agent_platform", { id: "mcp-client" })).envelope.data.platform;
    assert.ok(
      client.statements.some(
        (statement: { evidence: string; verified: boolean }) =>
          statement.evidence === "checked-in-process" && statement.verified,
      ),
    );
    assert.ok(client.unverifiedStatements > 0, "what nobody checked stays unverified");
    assert.doesNotMatch(
      JSON.stringify((await service.call("list_agent_platforms")).envelope),
      /bot\/\d|mozilla/i,
    );
  });

  test("a change that weakens the boundary is refused with pointers, and nothing is stored", async () => {
    const revision = (await service.call("get_agent_policy")).envelope.data.revision;
    const refused = await service.call(
      "update_agent_policy",
      { policy: { boundary: { publicTools: ["run_workflow"] }, trustPolicyLine: "Anything goes." } },
      key,
    );
    assert.equal(refused.envelope.ok, false);
    assert.equal(refused.envelope.data.error.code, "invalid_input");
    const pointers = refused.envelope.data.error.problems.map(({ pointer }: { pointer: string }) => pointer);
    assert.ok(
      pointers.includes("/boundary/publicTools/0") && pointers.includes("/trustPolicyLine"),
      pointers.join(),
    );
    assert.equal((await service.call("get_agent_policy")).envelope.data.revision, revision);
  });

  test("changes that race are each a revision of their own or a conflict, never lost", async () => {
    const first = (await service.call("get_agent_policy")).envelope.data.revision;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        service.call("update_agent_policy", { policy: { contact: `desk ${at}` } }, key),
      ),
    );
    const stored = answers.filter(({ envelope }) => envelope.ok);
    const conflicts = answers.filter(
      ({ envelope }) => !envelope.ok && envelope.data.error.code === "conflict",
    );
    assert.ok(stored.length >= 1);
    assert.equal(stored.length + conflicts.length, 10);
    const revisions = stored.map(({ envelope }) => envelope.data.revision);
    assert.equal(new Set(revisions).size, revisions.length);
    assert.equal((await service.call("get_agent_policy")).envelope.data.revision, first + stored.length);
  });

  test("no key, no change", async () => {
    assert.equal((await service.call("update_agent_policy", { policy: { summary: "x" } })).status, 401);
  });

  test("an unknown platform or target is not_found with near names", async () => {
    const platform = (await service.call("get_agent_platform", { id: "mcp-clien" })).envelope;
    assert.deepEqual([platform.ok, platform.data.error.code], [false, "not_found"]);
    assert.ok(listOf(platform.data.error.details["nearest"]).includes("mcp-client"));
    const target = (await service.call("evaluate_agent_access", { target: "publish_workflo" })).envelope;
    assert.deepEqual([target.ok, target.data.error.code], [false, "not_found"]);
    assert.ok(listOf(target.data.error.details["nearest"]).includes("publish_workflow"));
  });
});

test("without storage a policy change is degraded and the built-in policy stays", async () => {
  const service = await startService({ settings: { databaseUrl: "none" } });
  try {
    for (const [name, args] of [
      ["update_agent_policy", { policy: { summary: "x" } }],
      ["refresh_agent_platform_registry", {}],
    ] as const) {
      const { envelope } = await service.call(name, args, key);
      assert.deepEqual(
        [envelope.ok, envelope.data.status, envelope.data.adapter],
        [false, "degraded", "storage"],
      );
    }
    assert.equal((await service.call("get_agent_policy")).envelope.data.source, "built-in");
    assert.equal((await service.call("get_health")).envelope.data.status, "degraded");
    assert.equal((await service.call("get_discovery_compliance")).envelope.data.status, "compliant");
  } finally {
    await service.close();
  }
});
