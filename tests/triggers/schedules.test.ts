import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newId } from "../../src/kernel/ids.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask, create, history, publish, until } from "./support.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-03-01T00:30:00Z");

for (const database of ["SQLite", "PostgreSQL"] as const) {
  describe(`schedules on ${database}`, () => {
    let service: TestService;
    let now = START;
    let stop: (() => Promise<void>) | undefined;
    const hold = { id: "hold", type: "wait", wait: { ms: 86_400_000 } };
    const jump = (ms: number): void => {
      now += ms;
    };
    before(async () => {
      const server = database === "PostgreSQL" ? await testPostgres() : null;
      stop = () => server?.stop() ?? Promise.resolve();
      const settings = server === null ? {} : { databaseUrl: await server.createDatabase() };
      service = await startService({ settings, clock: { now: () => now }, triggers: { pollMs: 20 } });
    });
    after(async () => {
      await service?.close();
      await stop?.();
    });

    it("starts a run at each date, with its inputs, and says which dates come next", async () => {
      const schema = {
        type: "object",
        properties: { to: { type: "string" }, scheduledFor: { type: "string" } },
      };
      const workflowId = await publish(service, schema);
      const made = await create(service, {
        workflowId,
        kind: "schedule",
        cron: "0 * * * *",
        inputs: { to: "ops" },
      });
      assert.equal(made.nextDates.length, 10);
      const first = new Date(Math.ceil(now / HOUR) * HOUR).toISOString();
      assert.equal(made.nextDates[0], first);
      assert.equal(made.trigger.nextAt, first);
      assert.deepEqual(await history(service, made.trigger.id), []);
      jump(HOUR);
      const [firing] = await until(
        () => history(service, made.trigger.id),
        ({ length }) => length === 1,
      );
      assert.equal(firing?.state, "started");
      assert.equal(firing?.dueAt, first);
      const { data } = await ask(service, "GET", `/api/svc/runs/${firing?.runId}`);
      assert.deepEqual(data.run.inputs, { to: "ops", scheduledFor: first });
      await ask(service, "DELETE", `/api/svc/triggers/${made.trigger.id}`);
    });

    it("makes up for missed dates within the window, and names those before it", async () => {
      const workflowId = await publish(service);
      const { trigger } = await create(service, {
        workflowId,
        kind: "schedule",
        cron: "0 * * * *",
        overlap: "allow",
        catchUpSeconds: 3 * 3_600,
      });
      jump(10 * HOUR);
      const fired = await until(
        () => history(service, trigger.id),
        ({ length }) => length === 4,
      );
      assert.deepEqual(
        fired.map(({ state }) => state),
        ["missed", "started", "started", "started"],
      );
      assert.match(fired[0]?.reason ?? "", /^7 dates were older/);
      // A clock that goes back repeats nothing.
      jump(-5 * HOUR);
      jump(5 * HOUR + 1_000);
      const queued = await ask(service, "POST", `/api/svc/triggers/${trigger.id}/backfill`, {
        from: new Date(now - 24 * HOUR).toISOString(),
        until: new Date(now).toISOString(),
      });
      assert.equal(queued.status, 202, JSON.stringify(queued.data));
      assert.equal(queued.data.queued.length, 24 - 3);
      const all = await until(
        () => history(service, trigger.id),
        (found) => found.length === 24 && found.every(({ state }) => state === "started"),
      );
      assert.equal(new Set(all.map(({ dueAt }) => dueAt)).size, 24);
      await ask(service, "DELETE", `/api/svc/triggers/${trigger.id}`);
    });

    it("lists what is due in a range, and takes settings away", async () => {
      const workflowId = await publish(service);
      const made = await create(service, {
        workflowId,
        kind: "schedule",
        cron: "0 * * * *",
        name: "Hourly",
        jitterSeconds: 60,
      });
      const path = `/api/svc/triggers/${made.trigger.id}` as const;
      const due = async (hours: number) => {
        const query = new URLSearchParams({
          from: new Date(now).toISOString(),
          until: new Date(now + hours * HOUR).toISOString(),
        });
        const answer = await ask(service, "GET", `/api/svc/triggers/due?${query.toString()}`);
        return { status: answer.status, found: answer.data.schedules };
      };
      const { found } = await due(5);
      assert.deepEqual(found[0]?.dates, made.nextDates.slice(0, 5));
      assert.equal(found[0]?.isComplete, true);
      assert.equal(found[0]?.trigger.name, "Hourly");
      assert.equal(found[0]?.trigger.workflowName, "Triggered");
      assert.equal((await due(24 * 30)).found[0]?.isComplete, false);
      assert.equal((await due(24 * 32)).status, 400);
      const { data } = await ask(service, "PATCH", path, { unset: ["name", "jitterSeconds"] });
      assert.equal(data.trigger.name, undefined);
      assert.equal(data.trigger.jitterSeconds, undefined);
      assert.equal((await ask(service, "PATCH", path, { unset: ["cron"] })).status, 400);
      await ask(service, "PATCH", path, { paused: true });
      assert.deepEqual((await due(5)).found, []);
      await ask(service, "DELETE", path);
    });

    it("skips or queues a date whose earlier run goes on", async () => {
      const workflowId = await publish(service, undefined, [hold]);
      const made = await Promise.all(
        ["skip", "queue", "allow"].map((overlap) =>
          create(service, { workflowId, kind: "schedule", everySeconds: 600, overlap }),
        ),
      );
      const ids = made.map(({ trigger }) => trigger.id);
      const states = async (): Promise<readonly string[]> =>
        Promise.all(ids.map(async (id) => (await history(service, id)).map(({ state }) => state).join(" ")));
      jump(600_000);
      await until(states, (found) => found.every((text) => text === "started"));
      jump(600_000);
      await until(states, (found) => found.join() === "started skipped,started queued,started started");
      const [first] = await history(service, ids[1] ?? "");
      const cancelled = await service.call("cancel_workflow_run", { id: first?.runId }, { key: true });
      assert.equal(cancelled.envelope.ok, true, cancelled.text);
      await until(states, (found) => found[1] === "started started");
      for (const id of ids) await ask(service, "DELETE", `/api/svc/triggers/${id}`);
    });

    it("starts nothing while it is paused, and nothing of the pause afterwards", async () => {
      const workflowId = await publish(service);
      const { trigger } = await create(service, { workflowId, kind: "schedule", everySeconds: 60 });
      const path = `/api/svc/triggers/${trigger.id}` as const;
      const paused = await ask(service, "PATCH", path, { paused: true, note: "Closing" });
      assert.equal(paused.data.trigger.paused, true);
      assert.equal(paused.data.trigger.pauseNote, "Closing");
      assert.equal(paused.data.trigger.nextAt, null);
      jump(10 * 60_000);
      const resumed = await ask(service, "PATCH", path, { paused: false });
      assert.ok(Date.parse(resumed.data.trigger.nextAt ?? "") > now);
      jump(60_000);
      const fired = await until(
        () => history(service, trigger.id),
        ({ length }) => length > 0,
      );
      assert.equal(fired.length, 1);
      await ask(service, "DELETE", path);
      assert.equal((await ask(service, "GET", path)).status, 404);
    });

    it("acts with the rights that its maker has at that time", async () => {
      const workflowId = await publish(service);
      const made = await ask(service, "POST", "/api/svc/keys", {
        name: newId("maker"),
        scopes: ["write", "run", "read-private"],
      });
      const trigger = await ask(
        service,
        "POST",
        "/api/svc/triggers",
        { workflowId, kind: "schedule", everySeconds: 60 },
        made.data.token,
      );
      assert.equal(trigger.status, 201, JSON.stringify(trigger.data));
      const { id, actsFor } = trigger.data.trigger;
      assert.equal(actsFor, made.data.key.id);
      jump(60_000);
      await until(
        () => history(service, id),
        ([first]) => first?.state === "started",
      );
      await ask(service, "POST", `/api/svc/keys/${made.data.key.id}/revoke`);
      jump(60_000);
      const [, second] = await until(
        () => history(service, id),
        ({ length }) => length === 2,
      );
      assert.equal(second?.state, "failed");
      assert.match(second?.reason ?? "", /was revoked/);
      // Who changes it is who it acts for.
      const changed = await ask(service, "PATCH", `/api/svc/triggers/${id}`, { name: "Mine" });
      assert.notEqual(changed.data.trigger.actsFor, actsFor);
      jump(60_000);
      await until(
        () => history(service, id),
        ([, , third]) => third?.state === "started",
      );
      await ask(service, "DELETE", `/api/svc/triggers/${id}`);
    });

    it("refuses what has no dates, and says why", async () => {
      const strict = { type: "object", properties: { to: { type: "string" } }, required: ["to"] };
      const workflowId = await publish(service, strict);
      const schedule = { workflowId, kind: "schedule", inputs: { to: "a" } };
      for (const [body, pointer] of [
        [{ ...schedule, cron: "61 * * * *" }, "/cron"],
        [{ ...schedule, cron: "0 0 30 2 *" }, "/cron"],
        [{ ...schedule, cron: "0 0 * * *", everySeconds: 60 }, "/cron"],
        [{ ...schedule, cron: "0 0 * * *", timeZone: "Mars/Olympus" }, "/timeZone"],
        [{ ...schedule, cron: "0 0 * * *", verifier: "github" }, "/verifier"],
        [{ ...schedule, cron: "0 0 * * *", inputs: {} }, "/inputs"],
      ] as const) {
        const { status, data } = await ask(service, "POST", "/api/svc/triggers", body);
        assert.equal(status, 400, JSON.stringify(body));
        assert.match(
          data.error.problems[0]?.pointer ?? "",
          new RegExp(`^${pointer}`),
          JSON.stringify(data.error),
        );
      }
      const unknown = { ...schedule, workflowId: "workflow_none", cron: "0 0 * * *" };
      assert.equal((await ask(service, "POST", "/api/svc/triggers", unknown)).status, 404);
    });
  });
}
