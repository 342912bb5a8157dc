import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { startService, type TestService } from "../../tests/support/service.ts";
import { AppError } from "../kernel/errors.ts";
import { traceFrom } from "../kernel/trace.ts";
import { contextWith } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { DeliveryOutcome, DeliveryRequest, Siblings } from "../ports/siblings.ts";
import { attempt, claimed, delegate, previewOf, type Delegation } from "./outbox.ts";

const DOWN: DeliveryOutcome = {
  status: "degraded",
  reason: "down",
  nextAction: "wait",
  evidence: { problem: "unreachable" },
  retryable: true,
};
const LIE: DeliveryOutcome = {
  ...DOWN,
  reason: "lie",
  evidence: { problem: "not_confirmed" },
  retryable: false,
};
const ACCEPTED: DeliveryOutcome = { status: "accepted", statusUrl: "http://docs.test/1", evidence: {} };
const DONE: DeliveryOutcome = {
  status: "completed",
  confirmation: {
    resultRef: "http://docs.test/report",
    kind: "url",
    source: "docs",
    data: { report: { id: "report_1" } },
    observedAt: "2026-01-01T00:00:00.000Z",
  },
  outputArtifactIds: ["artifact_1"],
  evidence: { httpStatus: 200 },
};

describe("outbox", () => {
  let service: TestService;
  let context: CallContext;
  let outcomes: DeliveryOutcome[] = [];
  let sent: DeliveryRequest[] = [];
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  let serial = 0;

  before(async () => {
    // The gateway role runs no worker, so every try here is one that the test makes.
    service = await startService({
      settings: { role: "gateway", siblings: { docs: { url: "http://docs.test", key: "k" } } },
    });
    const real = service.app.services;
    const next = async (request: DeliveryRequest): Promise<DeliveryOutcome> => {
      sent.push(request);
      return outcomes.shift() ?? DOWN;
    };
    const siblings: Siblings = { ...real.siblings, deliver: next, inquire: next };
    context = {
      caller: { kind: "system", id: "test", scopes: new Set(["admin"]) },
      services: { ...real, siblings, clock: { now: () => now } },
      trace: traceFrom(undefined),
      requestId: "request",
      signal: new AbortController().signal,
      meta: {},
    };
  });
  after(() => service.close());
  beforeEach(() => {
    [outcomes, sent] = [[], []];
    serial++;
  });

  const work = (background: boolean): Delegation => ({
    sibling: "docs",
    capability: "report",
    intent: "Publish",
    payload: { serial },
    inputArtifactIds: [],
    background,
  });
  const stored = async (id: string) => {
    const record = await service.app.services.store.read.handoffs.get(id, "out");
    assert.ok(record);
    return record;
  };

  it("has the packet on disk before it leaves", async () => {
    const { services } = context;
    let state: string | undefined;
    const spying: Siblings = {
      ...services.siblings,
      async deliver({ packet }) {
        state = (await stored(packet.id)).state;
        return DONE;
      },
    };
    await delegate(work(false), contextWith(context, { services: { ...services, siblings: spying } }));
    assert.equal(state, "sending");
  });

  it("records a confirmed result with its reference, and does the same work once", async () => {
    outcomes = [DONE];
    const first = await delegate(work(false), context);
    const record = await stored(first.packet.id);
    assert.deepEqual([record.state, record.resultRef], ["completed", "http://docs.test/report"]);
    assert.deepEqual(record.outputArtifactIds, ["artifact_1"]);
    const again = await delegate(work(false), context);
    assert.equal(sent.length, 1);
    assert.equal(
      again.outcome.status === "completed" && again.outcome.confirmation.resultRef,
      record.resultRef,
    );
    assert.deepEqual(
      again.outcome.status === "completed" && again.outcome.confirmation.data,
      DONE.confirmation.data,
    );
  });

  it("takes another idempotency key for other work", () => {
    const plain = previewOf(work(false), context);
    const keyed = previewOf(work(false), contextWith(context, { meta: { "svc/idempotencyKey": "other" } }));
    assert.notEqual(plain.id, keyed.id);
    assert.equal(plain.id, previewOf(work(true), context).id);
  });

  it("ends degraded at once when the caller waits, and tries again when asked again with the same packet", async () => {
    outcomes = [DOWN, DONE];
    const first = await delegate(work(false), context);
    const record = await stored(first.packet.id);
    assert.deepEqual([record.state, record.nextAttemptAt, record.resultRef], ["degraded", null, null]);
    await delegate(work(false), contextWith(context, { trace: traceFrom(undefined) }));
    assert.equal((await stored(first.packet.id)).state, "completed");
    // The receiver knows a packet by its content, so the second try carries the first one's trace.
    assert.deepEqual(sent[0]?.packet, sent[1]?.packet);
  });

  it("knows of an attempt whose outcome could not be written down, also of one that was not the first", async () => {
    const { services } = context;
    await delegate(work(false), context);
    const down = new AppError("storage_unavailable", "The database is away.");
    let left = 1;
    const store: typeof services.store = Object.create(services.store, {
      transact: {
        // The packet is stored; what became of it is not.
        value: (work: Parameters<typeof services.store.transact>[0]) =>
          left-- > 0 ? services.store.transact(work) : Promise.reject(down),
      },
    });
    const cutOff = contextWith(context, { services: { ...services, store } });
    // Nothing was sent, but what is on disk as being sent is sent again automatically.
    await assert.rejects(
      delegate(work(false), cutOff),
      (error) => error instanceof AppError && error.code === down.code && error.info.effect === "unknown",
    );
    outcomes = [{ ...DOWN, evidence: { problem: "circuit_open" } }];
    const { outcome } = await delegate(work(false), context);
    assert.equal(outcome.status === "degraded" && outcome.effect, "unknown");
  });

  it("waits longer from try to try in the background, and gives up in the end", async () => {
    const { packet } = await delegate(work(true), context);
    const pauses: number[] = [];
    for (;;) {
      const record = await stored(packet.id);
      if (record.nextAttemptAt === null) break;
      pauses.push(Date.parse(record.nextAttemptAt) - now);
      now = Date.parse(record.nextAttemptAt);
      const mine = await claimed(context.services, record);
      assert.ok(mine);
      await attempt(context.services, mine, { background: true });
    }
    assert.equal((await stored(packet.id)).state, "degraded");
    assert.deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    );
    assert.equal(sent.length, 12);
  });

  it("does not try an answer again that confirms nothing", async () => {
    outcomes = [LIE];
    const { packet } = await delegate(work(true), context);
    const record = await stored(packet.id);
    assert.deepEqual([record.state, record.nextAttemptAt], ["degraded", null]);
    assert.equal(record.evidence?.["reason"], "lie");
  });

  it("asks after what was accepted, and keeps it accepted while nobody answers", async () => {
    outcomes = [ACCEPTED, DOWN, LIE, ACCEPTED, DONE];
    const { packet } = await delegate(work(true), context);
    for (const expected of ["accepted", "accepted", "accepted", "accepted", "completed"]) {
      const record = await stored(packet.id);
      assert.equal(record.state, expected);
      if (expected === "completed") break;
      assert.equal(record.resultRef, null);
      assert.ok(record.nextAttemptAt);
      now = Date.parse(record.nextAttemptAt);
      await attempt(context.services, record, { background: true });
    }
    assert.equal((await stored(packet.id)).resultRef, "http://docs.test/report");
  });

  it("gives a waiting handoff to one of two replicas", async () => {
    const { packet } = await delegate(work(true), context);
    const record = await stored(packet.id);
    const both = await Promise.all([claimed(context.services, record), claimed(context.services, record)]);
    assert.equal(both.filter((one) => one !== null).length, 1);
  });

  it("keeps a confirmed result when another sender took the handoff in the meantime", async () => {
    const { packet } = await delegate(work(true), context);
    const { services } = context;
    const slow: Siblings = {
      ...services.siblings,
      async deliver() {
        assert.ok(await claimed(services, await stored(packet.id)));
        return DONE;
      },
    };
    const { record } = await delegate(
      work(true),
      contextWith(context, { services: { ...services, siblings: slow } }),
    );
    assert.deepEqual([record?.state, record?.resultRef], ["completed", DONE.confirmation.resultRef]);
    assert.equal((await stored(packet.id)).state, "completed");
  });

  it("keeps a journal: every state once, as an event and as a fact", async () => {
    outcomes = [DOWN, DONE];
    const { packet } = await delegate(work(false), context);
    await delegate(work(false), context);
    const { store } = context.services;
    const events = await store.read.events.after(0, 1_000);
    assert.deepEqual(
      events.filter(({ subject }) => subject === packet.id).map(({ type }) => type),
      ["svc.handoff.sending", "svc.handoff.degraded", "svc.handoff.completed"],
    );
    const facts = await store.read.provenance.find({ subjectId: packet.id }, { limit: 10 });
    assert.equal(facts.items.length, 3);
  });
});
