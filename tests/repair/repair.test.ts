import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { Approval, RunDetail } from "../../packages/client/client.ts";
import { ask, until } from "../triggers/support.ts";
import { newId } from "../../src/kernel/ids.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { connectOracle, inARow, published, repair, start, startOracle, work, type Oracle } from "./oracle.ts";

const TEN = Array.from({ length: 10 }, (_, at) => `s${at + 1}`);

for (const database of ["SQLite", "PostgreSQL"] as const) {
  describe(`repair on ${database}`, () => {
    let service: TestService;
    let oracle: Oracle;
    let server: Awaited<ReturnType<typeof testPostgres>> | null = null;
    before(async () => {
      server = database === "PostgreSQL" ? await testPostgres() : null;
      const masterKeys = [Buffer.alloc(32, 7).toString("base64")];
      const settings = server === null ? {} : { databaseUrl: await server.createDatabase(), masterKeys };
      service = await startService({ settings });
      oracle = await startOracle();
      await connectOracle(service, oracle);
    });
    after(async () => {
      await service?.close();
      oracle?.close();
      await server?.stop();
    });
    beforeEach(() => {
      oracle.failing.clear();
      oracle.effects.length = 0;
    });

    const inState = (runId: string, ...states: string[]): Promise<RunDetail> =>
      until(
        async () => (await ask(service, "GET", `/api/svc/runs/${runId}`)).data.run,
        ({ status }) => states.includes(status),
      );
    const did = (): string[] => oracle.effects.map(({ step }) => step);
    const decide = async (runId: string): Promise<Approval> => {
      const run = await inState(runId, "waiting");
      const pending = run.approvals?.find(({ status }) => status === "pending");
      assert.ok(pending !== undefined, JSON.stringify(run.approvals));
      const answer = await service.call("approve_step", { id: pending.id }, { key: true });
      assert.equal(answer.envelope?.ok, true, answer.text);
      return pending;
    };

    it("continues at step 7 of 10 on a newer version, and only steps 7 to 10 execute", async () => {
      const nodes = TEN.map((id) => work(id));
      const id = await published(service, nodes, inARow(nodes));
      oracle.failing.add("s7");
      const runId = await start(service, id);
      await inState(runId, "failed");
      assert.deepEqual(did(), TEN.slice(0, 6));
      const fixed = nodes.map((node) => (node["id"] === "s7" ? work("s7", "corrected") : node));
      await published(service, fixed, inARow(fixed), {}, id);
      oracle.failing.clear();
      oracle.effects.length = 0;
      const unseen = await ask(service, "POST", `/api/svc/runs/${runId}/repair`, { action: "continue" });
      assert.equal(unseen.status, 400, "not without a report");
      const { report, answer } = await repair(service, runId, { action: "continue" });
      assert.equal(answer.status, 202, JSON.stringify(answer.data));
      const outcomes = new Map<string, string>(report.steps.map(({ stepId, outcome }) => [stepId, outcome]));
      assert.deepEqual(
        TEN.map((step) => outcomes.get(step)),
        [...Array<string>(6).fill("kept"), ...Array<string>(4).fill("runs")],
      );
      const run = await inState(runId, "succeeded", "failed");
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(did(), TEN.slice(6));
      assert.equal(oracle.effects[0]?.value, "corrected");
      assert.equal(run.workflowVersion, 2);
      assert.equal(run.repairs?.[0]?.action, "continue");
      const again = await ask(service, "POST", `/api/svc/runs/${runId}/repair`, { action: "retry" });
      assert.equal(again.status, 409);
      const proof = await ask(service, "GET", `/api/svc/runs/${runId}/receipt`);
      const subjects = proof.data.receipt.entries.map(({ record }) => record.subjectId);
      assert.ok(subjects.includes(`${runId}/repairs/1`), "the log tells of the repair");
      const { data } = await ask(service, "GET", "/api/svc/audit?action=run.repaired");
      assert.equal(data.entries[0]?.actor.id, "operator");
      assert.equal(data.entries[0]?.detail["repair"], "continue");
      assert.equal(data.entries[0]?.subject.name, "Repaired", "a run is called as its workflow");
    });

    it("changes an input, supplies an output, skips a step, each with a reason", async () => {
      const nodes = [
        work("a"),
        work("b", { $ref: "steps.a.outputs.data.body.did", default: "none" }),
        work("c"),
      ];
      const id = await published(service, nodes, inARow(nodes));
      const failedAt = async (step: string): Promise<string> => {
        oracle.failing.clear();
        oracle.failing.add(step);
        const runId = await start(service, id);
        await inState(runId, "failed");
        oracle.failing.clear();
        oracle.effects.length = 0;
        return runId;
      };
      const changed = await failedAt("b");
      const input = { path: { step: "b" }, body: { value: "by hand" } };
      const silent = await ask(service, "POST", `/api/svc/runs/${changed}/repair`, {
        action: "change_input",
        stepId: "b",
        input,
      });
      assert.equal(silent.status, 400, "a change needs a reason");
      const why = { reason: "The address was wrong." };
      await repair(service, changed, { action: "change_input", stepId: "b", input, ...why });
      const after1 = await inState(changed, "succeeded");
      assert.deepEqual(did(), ["b", "c"]);
      assert.equal(oracle.effects[0]?.value, "by hand");
      assert.equal(after1.repairs?.[0]?.reason, why.reason);

      const supplied = await failedAt("b");
      await repair(service, supplied, { action: "supply_output", stepId: "b", output: { ok: true }, ...why });
      const after2 = await inState(supplied, "succeeded");
      assert.deepEqual(did(), ["c"]);
      assert.deepEqual(after2.steps.find((step) => step.id === "b")?.output, { ok: true });

      const skipped = await failedAt("a");
      await repair(service, skipped, { action: "skip", stepId: "a", ...why });
      const after3 = await inState(skipped, "succeeded");
      assert.deepEqual(did(), ["b", "c"]);
      assert.equal(after3.steps.find((step) => step.id === "a")?.status, "skipped");

      const rerun = await failedAt("c");
      const { report } = await repair(service, rerun, { action: "rerun", stepId: "b" });
      await inState(rerun, "succeeded");
      assert.deepEqual(did(), ["b", "c"]);
      assert.match(oracle.effects[0]?.key ?? "", /:b:2$/, "done again on purpose, it has another key");
      assert.ok(report.steps.some(({ isRepeated }) => isRepeated));
      const compared = await ask(service, "GET", `/api/svc/runs/${changed}/compare/${supplied}`);
      assert.equal(compared.data.comparison.isSameDocument, true);
      const b = compared.data.comparison.steps.find(({ stepId }) => stepId === "b");
      assert.ok(b?.differs.includes("output"), JSON.stringify(b));
    });

    it("asks an approval again when a step behind it gets something else, and repeats nothing", async () => {
      const ask1 = { id: "ask", type: "approval", approval: { title: "Send?" } };
      const nodes = [work("a"), ask1, work("b"), work("c")];
      const edges = [
        { from: "a", to: "ask" },
        { from: "ask", to: "b", port: "approved" },
        { from: "b", to: "c" },
      ];
      const id = await published(service, nodes, edges);
      oracle.failing.add("c");
      const runId = await start(service, id);
      const first = await decide(runId);
      await inState(runId, "failed");
      oracle.failing.clear();
      assert.deepEqual(did(), ["a", "b"]);
      for (const action of ["skip", "supply_output"])
        assert.equal(
          (
            await ask(service, "POST", `/api/svc/runs/${runId}/repair`, {
              action,
              stepId: "ask",
              reason: "No.",
              ...(action === "supply_output" && { output: { verdict: "approved" } }),
            })
          ).status,
          409,
          "only people decide",
        );
      const input = { path: { step: "c" }, body: { value: "another" } };
      const { report } = await repair(service, runId, {
        action: "change_input",
        stepId: "c",
        input,
        reason: "Another customer.",
      });
      assert.equal(report.steps.find(({ stepId }) => stepId === "ask")?.outcome, "asked");
      await inState(runId, "waiting");
      assert.deepEqual(did(), ["a", "b"], "nothing happens before the decision");
      const second = await decide(runId);
      assert.notEqual(second.id, first.id);
      await inState(runId, "succeeded");
      assert.deepEqual(did(), ["a", "b", "c"]);
      assert.equal(oracle.effects[2]?.value, "another");
    });

    it("keeps subworkflows as they were when the run started", async () => {
      const child = await published(service, [work("inner", "first")], []);
      const nodes = [{ id: "sub", type: "subworkflow", subworkflow: { workflowId: child } }, work("last")];
      const id = await published(service, nodes, inARow(nodes));
      oracle.failing.add("inner");
      const runId = await start(service, id);
      await inState(runId, "failed");
      await published(service, [work("inner", "second")], [], {}, child);
      const fixed = [nodes[0] ?? {}, work("last", "corrected")];
      await published(service, fixed, inARow(fixed), {}, id);
      oracle.failing.clear();
      await repair(service, runId, { action: "continue" });
      await inState(runId, "succeeded");
      assert.deepEqual(
        oracle.effects.map(({ value }) => value),
        ["first", "corrected"],
      );
    });

    it("repairs runs without an error code, and those behind a hundred that cannot be repaired", async () => {
      const nodes = [work("a")];
      const id = await published(service, nodes, []);
      oracle.failing.add("a");
      const first = await start(service, id);
      await inState(first, "failed");
      const { store } = service.app.services;
      const model = await store.read.runs.get(first);
      assert.ok(model !== null);
      // Runs whose details were removed cannot be repaired; they are older than the one that can.
      const old = Array.from({ length: 101 }, (_, nth) => ({
        ...model,
        id: newId("run"),
        detailsRemovedAt: model.createdAt,
        createdAt: new Date(Date.parse(model.createdAt) - 1_000 - nth).toISOString(),
      }));
      await store.transact(async (tx) => {
        await tx.runs.insert(...old.map((run) => ({ ...run, error: { message: "It failed." } })));
        await tx.runs.save({ ...model, error: { message: "It failed." } });
      });
      const { data } = await ask(service, "GET", `/api/svc/run-failures?workflowId=${id}`);
      const [group] = data.groups;
      assert.ok(group !== undefined);
      const { code, stepId, count } = group;
      assert.deepEqual([code, stepId, count], ["failed", null, 102]);
      oracle.failing.clear();
      const body = { workflowId: id, failedStep: stepId, code, action: "retry" };
      const answer = await ask(service, "POST", "/api/svc/run-failures/repair", body);
      assert.equal(answer.status, 200, JSON.stringify(answer.data));
      assert.equal(answer.data.results.filter(({ error }) => error !== null).length, 101);
      assert.equal(answer.data.isMore, false);
      await inState(first, "succeeded");
    });

    it("explains many items that failed alike in a few sentences", async () => {
      const body = { tool: "oracle:work", with: { path: { step: "x" }, body: { value: 1 } } };
      const map = { items: [1, 2, 3, 4, 5, 6, 7, 8], maxItems: 8, onItemError: "continue", body };
      const id = await published(service, [{ id: "each", type: "map", map }], []);
      oracle.failing.add("x");
      const runId = await start(service, id);
      await inState(runId, "succeeded");
      oracle.failing.clear();
      const { data } = await ask(service, "GET", `/api/svc/runs/${runId}/explanation`);
      const { sentences } = data.explanation;
      const failed = sentences.filter((one) => one.includes("failed"));
      assert.equal(failed.length, 5, sentences.join("\n"));
      assert.ok(sentences.includes("So it is with 3 more items."), sentences.join("\n"));
    });

    it("repairs runs of one cause together, and explains a run in words", async () => {
      const nodes = [work("a"), work("b")];
      const id = await published(service, nodes, inARow(nodes));
      oracle.failing.add("b");
      const ids = [await start(service, id), await start(service, id), await start(service, id)];
      for (const runId of ids) await inState(runId, "failed");
      const { data } = await ask(service, "GET", `/api/svc/run-failures?workflowId=${id}`);
      assert.equal(data.groups.length, 1);
      const [group] = data.groups;
      assert.ok(group !== undefined);
      const { stepId, code, count } = group;
      assert.deepEqual([stepId, count], ["b", 3]);
      const words = await ask(service, "GET", `/api/svc/runs/${ids[0]}/explanation`);
      const text = words.data.explanation.sentences.join(" ");
      assert.match(
        text,
        /1 step succeeded: "a"\. The step "b" failed .* It failed on .* because of the step "b"\.$/,
      );
      // The reason once, and times as people write them.
      assert.equal(text.split("oracle answered 422").length, 2);
      assert.doesNotMatch(text, /\dT\d|run_/);
      assert.ok(words.data.explanation.next.length > 1);
      oracle.failing.clear();
      oracle.effects.length = 0;
      const body = { workflowId: id, failedStep: "b", code, action: "retry" };
      const looked = await ask(service, "POST", "/api/svc/run-failures/repair", { ...body, preview: true });
      assert.equal(looked.data.results.length, 3, JSON.stringify(looked.data));
      const answer = await ask(service, "POST", "/api/svc/run-failures/repair", body);
      assert.ok(answer.data.results.every(({ error }) => error === null));
      for (const runId of ids) await inState(runId, "succeeded");
      assert.deepEqual(did(), ["b", "b", "b"]);
    });
  });
}
