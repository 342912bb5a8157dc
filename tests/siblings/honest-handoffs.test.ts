import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { isObject } from "../../src/kernel/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { testPacket } from "./packets.ts";

/* What is refused, previewed and passed on when work goes to a sibling. */

describe("handoffs say what can and what cannot happen", () => {
  let service: TestService;
  const received: unknown[] = [];
  let answer: { status: number; body: string } = { status: 200, body: "{}" };
  const sibling = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      received.push(text === "" ? null : JSON.parse(text));
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(answer.body);
    });
  });
  before(async () => {
    await new Promise<void>((ready) => sibling.listen(0, "127.0.0.1", ready));
    const address = sibling.address();
    const url = `http://127.0.0.1:${isObject(address) ? String(address["port"]) : ""}`;
    const siblings = { docs: { url, key: "a-key-of-docs" }, layout: { url, key: "a-key-of-layout" } };
    service = await startService({ settings: { siblings, trustedHosts: ["127.0.0.1"] } });
  });
  after(async () => {
    await service.close();
    sibling.close();
  });

  test("a capability that the sibling does not declare is refused before sending, with the list", async () => {
    received.length = 0;
    const args = { targetService: "docs", artifact: { title: "x" }, action: "make_coffee", dryRun: false };
    const { envelope, text } = await service.call("delegate_artifact", args, { key: true });
    assert.equal(envelope.ok, false, text);
    assert.equal(envelope.data.error.code, "invalid_input");
    assert.match(envelope.data.error.message, /make_coffee/);
    assert.deepEqual(envelope.data.error.details.declared, ["report", "draft", "social_post"]);
    assert.deepEqual(received, []);
    const { envelope: listed } = await service.call("get_integration_status", { slug: "docs" });
    assert.deepEqual(listed.data.capabilities, ["report", "draft", "social_post"]);
  });

  test("a preview shows the payload that would be sent, and says when it could not be sent", async () => {
    const artifact = { title: "Shown", body: "text" };
    const known = await service.call("delegate_artifact", { targetService: "docs", artifact });
    assert.deepEqual(known.envelope.data.packet?.payload, { action: "report", artifact });
    assert.equal(known.envelope.data.sendable, true);
    const unknown = await service.call("delegate_artifact", {
      targetService: "docs",
      artifact,
      action: "brew",
    });
    assert.deepEqual([unknown.envelope.ok, unknown.envelope.data.sendable], [true, false]);
    assert.match(unknown.envelope.data.nextAction, /would be refused.*report, draft, social_post/);
    const missing = await service.call("delegate_artifact", { targetService: "sandbox", artifact });
    assert.equal(missing.envelope.data.sendable, false);
    assert.match(missing.envelope.data.nextAction, /SUITE_SANDBOX_URL/);
  });

  test("the sibling's own reason is passed on, made safe and labelled as its own", async () => {
    const message = "A report has \u202Eat most\u0007 500\n characters.";
    answer = {
      status: 422,
      body: JSON.stringify({ ok: false, data: { error: { code: "invalid_input", message } } }),
    };
    const { envelope } = await service.call(
      "create_docs_report",
      { artifact: { title: "Long" } },
      { key: true },
    );
    assert.equal(envelope.data.status, "degraded");
    assert.match(envelope.data.reason, /status 422\. Its own words: "A report has at most 500 characters\."/);
    assert.deepEqual(envelope.data.evidence.siblingSaid, {
      message: "A report has at most 500 characters.",
      code: "invalid_input",
    });
    assert.match(envelope.data.nextAction, /Correct what that service names/);
    assert.equal(envelope.data.error.code, "not_confirmed");
    answer = { status: 404, body: "<html>no</html>" };
    const plain = await service.call("create_docs_report", { artifact: { title: "Plain" } }, { key: true });
    assert.match(plain.envelope.data.reason, /status 404 and gave no reason/);
    answer = { status: 422, body: JSON.stringify({ error: { message: "x".repeat(20_000) } }) };
    const long = await service.call("create_docs_report", { artifact: { title: "Longer" } }, { key: true });
    assert.ok(long.envelope.data.reason.length < 700);
  });

  test("a score, preview or export of nothing is refused and nothing is asked", async () => {
    received.length = 0;
    for (const tool of [
      "score_layout_artifact",
      "preview_layout_artifact",
      "export_layout_artifact",
    ] as const) {
      for (const args of [{}, { document: {} }, { templateSlug: " " }]) {
        const { envelope } = await service.call(tool, args);
        assert.deepEqual([envelope.ok, envelope.data.error?.code], [false, "invalid_input"], tool);
        assert.equal(envelope.data.error.problems[0]?.pointer, "/document");
      }
    }
    assert.deepEqual(received, []);
  });

  test("a sibling that is not configured has an error code of its own", async () => {
    const tools = [
      ["trigger_evals", { artifact: { title: "x" } }],
      ["execute_ascii_conversion", { image: PIXEL }],
      ["import_studio_design", { designId: "design_1" }],
    ] as const;
    for (const [tool, args] of tools) {
      const { envelope, text } = await service.call(tool, args, { key: true });
      assert.deepEqual(
        [envelope.ok, envelope.data.status, envelope.data.error?.code],
        [false, "degraded", "not_configured"],
        text,
      );
    }
  });

  test("the receiver names the values that are allowed, for every problem at once", async () => {
    const wrong = {
      ...testPacket(),
      id: "nope",
      transport: "grpc",
      status: "done",
      dryRun: "yes",
      resultRef: 5,
      auth: { required: true, satisfied: false },
      inputArtifactIds: [7],
      from: "",
      confirmation: null,
      capability: "c".repeat(201),
    };
    const response = await service.fetch("/api/svc/receive-handoff", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(wrong),
    });
    assert.equal(response.status, 400);
    const { problems } = JSON.parse(await response.text()).data.error;
    const byPointer = new Map(problems.map((one: { pointer: string }) => [one.pointer, one]));
    assert.deepEqual(
      new Set(byPointer.keys()),
      new Set([
        "/id",
        "/from",
        "/capability",
        "/transport",
        "/auth/mode",
        "/status",
        "/dryRun",
        "/inputArtifactIds/0",
        "/resultRef",
        "/confirmation",
      ]),
    );
    for (const one of problems) assert.ok(one.expected !== undefined && one.given !== undefined, one.pointer);
    const expected = (pointer: string): unknown => Object(byPointer.get(pointer)).expected;
    assert.equal(expected("/transport"), '"openapi" or "mcp"');
    assert.equal(expected("/status"), 'one of "preview_ready", "ready", "accepted", "completed"');
    assert.equal(expected("/confirmation"), "an object with required, received, source");
  });
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
