import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RunDetail } from "../../packages/client/client.ts";
import { ask, publish, until } from "../triggers/support.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";

const PAID = {
  type: "object",
  properties: { paid: { type: "boolean" } },
  required: ["paid"],
  additionalProperties: false,
};
const wait = (id: string, about: Record<string, unknown>): unknown => ({ id, type: "wait", wait: about });

for (const database of ["SQLite", "PostgreSQL"] as const) {
  describe(`waits for signals and events on ${database}`, () => {
    let service: TestService;
    let server: Awaited<ReturnType<typeof testPostgres>> | null = null;
    before(async () => {
      server = database === "PostgreSQL" ? await testPostgres() : null;
      const masterKeys = [Buffer.alloc(32, 7).toString("base64")];
      const settings = server === null ? {} : { databaseUrl: await server.createDatabase(), masterKeys };
      service = await startService({ settings });
    });
    after(async () => {
      await service?.close();
      await server?.stop();
    });

    const run = async (id: string, inputs: unknown = {}): Promise<string> => {
      const { status, data } = await ask(service, "POST", `/api/svc/workflows/${id}/runs`, { inputs });
      assert.ok(status < 300, JSON.stringify(data));
      return data.run.id;
    };
    const send = (runId: string, name: string, body: unknown) =>
      ask(service, "POST", `/api/svc/runs/${runId}/signals/${name}`, body);
    const inState = async (runId: string, state: string): Promise<RunDetail> => {
      const look = async () => (await ask(service, "GET", `/api/svc/runs/${runId}`)).data.run;
      return until(look, ({ status }) => status === state);
    };
    const waiting = (document: Record<string, unknown>, ...nodes: unknown[]): Promise<string> =>
      publish(service, { type: "object" }, nodes, document);

    it("gives a waiting step its payload, once, and refuses what does not fit", async () => {
      const id = await waiting(
        { outputs: { got: { $ref: "steps.pay.outputs.payload.paid" } } },
        wait("pay", { signal: "payment", schema: PAID }),
      );
      const runId = await run(id);
      await inState(runId, "waiting");
      const wrong = await send(runId, "payment", { payload: { paid: "yes" } });
      assert.equal(wrong.status, 400);
      assert.match(JSON.stringify(wrong.data), /\/payload\/paid/);
      const unknown = await send(runId, "paiment", { payload: { paid: true } });
      assert.equal(unknown.status, 404);
      assert.match(JSON.stringify(unknown.data), /payment/);
      const body = { payload: { paid: true }, idempotencyKey: "once" };
      const sent = await send(runId, "payment", body);
      assert.equal(sent.status, 202, JSON.stringify(sent.data));
      const ended = await inState(runId, "succeeded");
      assert.deepEqual(ended.outputs, { got: true });
      assert.equal(ended.signals?.[0]?.usedBy, "pay");
      assert.equal((await send(runId, "payment", { payload: { paid: true } })).status, 409);
      const { data } = await ask(service, "GET", "/api/svc/audit?action=run.signalled");
      const entry = data.entries.find(({ detail }) => sent.data.signal.id === detail["signalId"]);
      assert.equal(entry?.actor.id, "operator");
    });

    it("keeps a signal that comes before its wait, and delivers each to one step", async () => {
      const made = await service.call(
        "create_workflow",
        {
          name: "Two",
          nodes: [wait("first", { ms: 400 }), wait("one", { signal: "go" }), wait("two", { signal: "go" })],
          edges: [
            { from: "first", to: "one" },
            { from: "one", to: "two" },
          ],
        },
        {
          key: true,
          meta: {
            "svc/document": {
              inputs: { type: "object" },
              outputs: {
                all: { $expr: "[steps.one.outputs.payload, steps.two.outputs.payload]" },
              },
            },
          },
        },
      );
      const runId = await run(made.envelope.data.workflow.id);
      assert.equal((await send(runId, "go", { payload: 1, idempotencyKey: "a" })).status, 202);
      assert.equal(
        (await send(runId, "go", { payload: 1, idempotencyKey: "a" })).status,
        202,
        "the same one",
      );
      assert.equal((await send(runId, "go", { payload: 3, idempotencyKey: "a" })).status, 409);
      await until(
        async () => (await ask(service, "GET", `/api/svc/runs/${runId}`)).data.run,
        ({ steps }) => steps.some((step) => step.id === "two"),
      );
      assert.equal((await inState(runId, "waiting")).signals?.length, 1);
      await send(runId, "go", { payload: 2 });
      assert.deepEqual((await inState(runId, "succeeded")).outputs, { all: [1, 2] });
    });

    it("takes the port expired after the time-out, or fails", async () => {
      const outputs = { late: { $ref: "steps.late.outputs", default: null } };
      const made = await service.call(
        "create_workflow",
        {
          name: "Late",
          nodes: [
            wait("pay", { signal: "payment", timeoutMs: 150 }),
            { id: "late", type: "transform", value: "too late" },
          ],
          edges: [{ from: "pay", to: "late", port: "expired" }],
        },
        { key: true, meta: { "svc/document": { inputs: { type: "object" }, outputs } } },
      );
      assert.equal(made.envelope.ok, true, JSON.stringify(made.envelope));
      const runId = await run(made.envelope.data.workflow.id);
      assert.deepEqual((await inState(runId, "succeeded")).outputs, { late: "too late" });
      const failing = await run(await waiting({}, wait("pay", { signal: "payment", timeoutMs: 50 })));
      assert.equal((await inState(failing, "failed")).error?.code, "wait_expired");
    });

    it("waits for an event that fits its filter, also one before the wait", async () => {
      const other = await publish(service);
      const id = await publish(
        service,
        { type: "object", properties: { workflow: { type: "string" } }, required: ["workflow"] },
        [
          wait("done", {
            event: "svc.run.succeeded",
            filter: "event.data.workflowId == inputs.workflow",
            timeoutMs: 60_000,
          }),
        ],
        { outputs: { id: { $ref: "steps.done.outputs.event.data.id" } } },
      );
      const runId = await run(id, { workflow: other });
      await inState(runId, "waiting");
      // One that does not fit.
      await inState(await run(await publish(service)), "succeeded");
      const meant = await run(other);
      assert.deepEqual((await inState(runId, "succeeded")).outputs, { id: meant });
    });

    it("refuses waits that say too little", async () => {
      const problems = async (about: Record<string, unknown>): Promise<string> => {
        const args = { graph: { nodes: [wait("w", about)], edges: [] } };
        const { envelope } = await service.call("validate_workflow", args.graph, { key: true });
        return JSON.stringify(envelope.data);
      };
      assert.match(await problems({ ms: 1, signal: "a" }), /exactly one of/);
      assert.match(await problems({ event: "svc.run.suceeded", filter: "true" }), /There is no event/);
      assert.match(await problems({ event: "svc.run.failed" }), /Say which event is meant/);
      assert.match(
        await problems({ event: "svc.run.failed", filter: "event.data.id == steps.no.outputs" }),
        /no step/,
      );
      assert.match(await problems({ ms: 1, timeoutMs: 2 }), /Only a wait for a signal/);
    });

    it("is assumed in a dry run", async () => {
      const id = await waiting(
        { outputs: { got: { $ref: "steps.pay.outputs.payload.paid" } } },
        wait("pay", { signal: "payment", schema: PAID }),
      );
      const { envelope } = await service.call("dry_run_workflow", { id, inputs: {} }, { key: true });
      assert.equal(envelope.ok, true, JSON.stringify(envelope));
      assert.match(JSON.stringify(envelope.data), /assumes that the signal comes/);
    });
  });
}
