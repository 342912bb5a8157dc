import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { BUILT_IN_PLATFORMS } from "../../src/policy/platforms.ts";
import { tools } from "../../src/registry.ts";
import { startService, type TestService } from "../support/service.ts";

const RECEIVERS = [
  "/api/svc/receive-handoff",
  "/api/browsercheck/receive-handoff",
  "/api/v1/receive-handoff",
  "/api/v1/svc/receive-handoff",
];

describe("the public/protected boundary over plain HTTP", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  test("every protected tool refuses a stranger and a wrong key under any name", async () => {
    for (const { name } of tools.filter(({ access }) => access !== "public")) {
      assert.equal((await service.call(name)).status, 401, name);
      const params = { name, arguments: {} };
      for (const headers of [
        { authorization: "Bearer wrong" },
        { "x-suite-api-key": "wrong" },
        { "user-agent": "root", "x-forwarded-user": "admin" },
      ]) {
        const answer = await service.rpc("tools/call", params, headers);
        assert.deepEqual([answer.status, answer.json.error.code], [401, -32001], name);
      }
    }
  });

  test("the receiver previews a dry run for anybody and accepts with a key only, on every path", async () => {
    for (const [at, path] of RECEIVERS.entries()) {
      const preview = await service.call("delegate_artifact", {
        targetService: "sandbox",
        action: "validate",
      });
      const packet = {
        ...(preview.envelope.data.packet ?? preview.envelope.data),
        id: `delegation_svc_${at}0a`,
        to: "svc",
      };
      const send = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
        service.fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
      const dry = await send(packet);
      assert.equal(dry.status, 200, path);
      assert.match(await dry.text(), /"preview_ready"/);
      const live = { ...packet, id: `delegation_svc_${at}0b`, dryRun: false, status: "ready" };
      assert.equal((await send(live)).status, 401, path);
      const accepted = await send(live, { authorization: `Bearer ${service.key}` });
      assert.ok(accepted.ok, path);
      assert.match(await accepted.text(), /"accepted"/);
    }
  });
});

test("what the platform registry calls tested names the test, and the test is there", () => {
  for (const { id, statements } of BUILT_IN_PLATFORMS) {
    for (const { verified, evidence, how } of statements) {
      assert.equal(verified, evidence === "tested", id);
      if (!verified) continue;
      const [path] = /tests\/[a-z-]+\/[a-z-]+\.test\.ts/.exec(how) ?? [];
      assert.ok(path !== undefined && existsSync(path), `${id}: ${how}`);
    }
  }
});
