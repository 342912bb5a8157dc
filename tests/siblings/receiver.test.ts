import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { randomHex } from "../../src/kernel/ids.ts";
import { isJsonRecord, parsedObject, type JsonObject } from "../../src/kernel/json.ts";
import { RECEIVER_ALIASES, RECEIVER_PATH } from "../../src/handoffs/receiver.ts";
import { at, foundAt, objectsAt } from "../support/json.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { testPacket } from "./packets.ts";

describe("handoff receiver", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  type Answer = { status: number; text: string; data: JsonObject };
  const send = async (
    body: unknown,
    key: string | null = TEST_KEY,
    path: string = RECEIVER_PATH,
  ): Promise<Answer> => {
    const answer = await service.fetch(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const data = parsedObject(text)?.["data"];
    assert.ok(isJsonRecord(data), text);
    return { status: answer.status, text, data };
  };
  const stored = (id: string) => service.app.services.store.read.handoffs.get(id, "in");

  it("stores a packet once, whichever path it comes by, and answers replays alike", async () => {
    const live = testPacket();
    const first = await send(live);
    assert.equal(first.status, 202);
    for (const path of [RECEIVER_PATH, ...RECEIVER_ALIASES]) {
      const again = await send(live, TEST_KEY, path);
      assert.deepEqual([again.status, again.text], [first.status, first.text]);
    }
  });

  it("knows a packet by its content, whatever trace it comes in", async () => {
    const live = testPacket();
    const first = await send(live);
    const again = await send({ ...live, trace: testPacket()["trace"] });
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
  });

  it("makes one record of 100 parallel duplicates", async () => {
    const live = testPacket();
    const before = (await service.app.services.store.read.events.bounds()).last;
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(live)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    const events = await service.app.services.store.read.events.after(before, 500);
    assert.equal(events.filter(({ subject }) => subject === live["id"]).length, 1);
    const facts = await service.app.services.store.read.provenance.find(
      { subjectId: String(live["id"]) },
      { limit: 10 },
    );
    assert.equal(facts.items.length, 1);
  });

  it("refuses other content under an id that is taken, and keeps what it has", async () => {
    const live = testPacket();
    await send(live);
    const kept = await stored(String(live["id"]));
    const other = await send({ ...live, intent: "Something else" });
    assert.equal(other.status, 409);
    assert.equal(at(other.data, "error", "code"), "conflict");
    assert.deepEqual(await stored(String(live["id"])), kept);
  });

  it("lets one of two different packets win when both come at once", async () => {
    const id = `delegation_svc_${randomHex(8)}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send(testPacket({ id, intent: i % 2 === 0 ? "left" : "right" }))),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    assert.equal(
      answers.every(({ status }) => status === 202 || status === 409),
      true,
    );
    assert.equal(new Set(accepted.map(({ text }) => text)).size, 1);
  });

  it("stores nothing of a dry run and nothing without a key", async () => {
    const dry = testPacket({ dryRun: true, status: "preview_ready" });
    assert.deepEqual(
      [(await send(dry, null)).status, (await send(dry)).data["status"]],
      [200, "preview_ready"],
    );
    const live = testPacket();
    assert.equal((await send(live, null)).status, 401);
    assert.equal((await send(live, "wrong-key-of-enough-length-0")).status, 401);
    for (const one of [dry, live]) assert.equal(await stored(String(one["id"])), null);
  });

  it("answers a clear 4xx with the place of the problem to every malformed packet", async () => {
    const whole = testPacket();
    const bad: [string, unknown][] = Object.keys(whole).map((key) => {
      const { [key]: _gone, ...rest } = whole;
      return [`/${key}`, rest];
    });
    bad.push(
      [
        "/trace/traceparent",
        testPacket({
          trace: { ...Object(whole["trace"]), traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` },
        }),
      ],
      ["/resultRef", testPacket({ status: "completed" })],
      ["/status", testPacket({ status: "done" })],
      ["/id", testPacket({ id: "delegation_UPPER_12" })],
      ["/inputArtifactIds", testPacket({ inputArtifactIds: "a" })],
      ["/payload", testPacket({ payload: [] })],
      ["", []],
      ["", "text"],
      ["", null],
    );
    for (const [pointer, body] of bad) {
      const { status, data, text } = await send(body);
      assert.ok(status >= 400 && status < 500, `${pointer}: ${status}`);
      const problems = foundAt(data, "error", "problems");
      const pointers = problems === undefined ? [""] : objectsAt(problems).map(({ pointer }) => pointer);
      assert.ok(pointers.includes(pointer), `${pointer} is not in ${text}`);
    }
  });

  it("never fails on a packet with any part replaced by any JSON", async () => {
    const keys = Object.keys(testPacket());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 }), async (key, value) => {
        const { status, data, text } = await send(testPacket({ [key]: value }));
        assert.ok(status === 202 || status === 200 || (status >= 400 && status < 500), `${status} ${text}`);
        assert.notEqual(data["status"], "completed");
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the packet's content from those without a key", async () => {
    const canary = `canary-${randomHex(8)}`;
    const live = testPacket({ intent: canary, payload: { secret: canary } });
    await send(live);
    const read = await service.rpc("resources/read", { uri: "svc://delegations" });
    assert.equal(read.status, 200);
    for (const hidden of [String(live["id"]), canary]) assert.equal(read.text.includes(hidden), false);
    const authorization = `Bearer ${TEST_KEY}`;
    const keyed = await service.rpc("resources/read", { uri: "svc://delegations" }, { authorization });
    assert.ok(keyed.text.includes(String(live["id"])));
    assert.equal((await service.fetch(`/api/svc/handoffs/${String(live["id"])}`)).status, 401);
    assert.equal((await service.fetch("/api/svc/handoffs")).status, 401);
  });

  it("answers 503 and stores nothing when there is no store", async () => {
    const none = await startService({ settings: { databaseUrl: "none" } });
    try {
      const answer = await none.fetch(RECEIVER_PATH, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` },
        body: JSON.stringify(testPacket()),
      });
      assert.equal(answer.status, 503);
    } finally {
      await none.close();
    }
  });
});

describe("handoff receiver on PostgreSQL, two replicas", () => {
  let replicas: readonly TestService[] = [];
  before(async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const first = await startService({ settings: { databaseUrl } });
    replicas = [first, await startService({ settings: { databaseUrl } })];
  });
  after(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await (await testPostgres()).stop();
  });

  it("makes one record of duplicates that come to both at once, and refuses other content", async () => {
    const live = testPacket();
    const send = async (index: number, body: unknown): Promise<{ status: number; text: string }> => {
      const answer = await replicas[index % replicas.length]?.fetch(RECEIVER_PATH, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` },
        body: JSON.stringify(body),
      });
      return { status: answer?.status ?? 0, text: (await answer?.text()) ?? "" };
    };
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => send(index, live)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    const found = await replicas[0]?.app.services.store.read.provenance.find(
      { subjectId: String(live["id"]) },
      { limit: 10 },
    );
    assert.equal(found?.items.length, 1);
    assert.equal((await send(1, { ...live, intent: "Something else" })).status, 409);
  });
});
