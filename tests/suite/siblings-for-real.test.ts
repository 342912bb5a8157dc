import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SIBLING_NAMES, type SiblingName } from "../../src/ports/settings.ts";
import { at, textAt } from "../support/json.ts";
import { freePort } from "../support/ports.ts";
import { startServiceProcess, TEST_KEY, type RpcAnswer, type ServiceProcess } from "../support/service.ts";
import { ask } from "../triggers/support.ts";
import { SIBLING_CALLS, WORKFLOW, type Made, type SiblingCall } from "./calls.ts";
import { eventually, startSibling, SUITE_KEY, type SiblingProcess } from "./support.ts";

/** Where those siblings whose references are ids show what they are ids of. */
const PLACES: Readonly<Record<string, string>> = {
  evals: "/api/evals/scorecards",
  catalog: "/api/catalog/entries",
  ai_gateway: "/api/ai/drafts",
};

describe("the service and its siblings as processes of their own", () => {
  const siblings = new Map<string, SiblingProcess>();
  const ports = new Map<SiblingName, number>();
  let folder = "";
  let service: ServiceProcess;
  let made: Made;

  const start = async (name: SiblingName): Promise<void> => {
    const port = ports.get(name);
    assert.ok(port !== undefined);
    const svc = name === "mcp" || name === "root" ? { svc: service.url } : {};
    siblings.set(name, await startSibling(name, { port, data: join(folder, "suite"), ...svc }));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-suite-"));
    const env: Record<string, string> = { DATABASE_URL: `sqlite:${join(folder, "svc.db")}` };
    for (const name of SIBLING_NAMES) {
      const port = await freePort();
      ports.set(name, port);
      env[`SUITE_${name.toUpperCase()}_URL`] = `http://127.0.0.1:${port}`;
      env[`SUITE_${name.toUpperCase()}_KEY`] = SUITE_KEY;
    }
    service = await startServiceProcess(env);
    await Promise.all(SIBLING_NAMES.map(start));
    const workflow = await service.call("create_workflow", WORKFLOW, { key: true });
    const artifact = { title: "Table", type: "table", columns: ["name", "count"], rows: [["a", 1]] };
    const saved = await service.call("save_artifact", { artifact }, { key: true });
    const design = await service.call("preview_studio_design", { prompt: "A form with a review" });
    made = {
      serviceUrl: service.url,
      workflowId: workflow.envelope.data.workflow.id,
      artifactId: saved.envelope.data.artifact.id,
      designId: textAt(design.envelope.data.design, "id"),
    };
  });
  after(async () => {
    await service.stop();
    await Promise.all([...siblings.values()].map((sibling) => sibling.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  const bearer = { authorization: `Bearer ${TEST_KEY}` };
  /** The data of a REST answer. */
  const get = async <P extends string>(path: P) => (await ask(service, "GET", path)).data;

  const call = ({ tool, args }: SiblingCall, nonce: string): Promise<RpcAnswer> => {
    const params = { name: tool, arguments: args(nonce, made), _meta: { "svc/idempotencyKey": nonce } };
    return service.rpc("tools/call", params, bearer);
  };

  for (const entry of SIBLING_CALLS) {
    it(`${entry.tool} is confirmed by ${entry.sibling}`, async () => {
      const { envelope, text } = await call(entry, "first");
      assert.equal(envelope?.ok, true, text);
      entry.proves(envelope.data, made);
    });
  }

  it("gives every reference again when it is asked for", async () => {
    const data = await get("/api/svc/handoffs?direction=out&state=completed&limit=100");
    assert.ok(data.handoffs.length >= 12, `${data.handoffs.length} handoffs`);
    for (const { resultRef, peer } of data.handoffs) {
      // An address that was confirmed opens as it is; an id is asked for with the key.
      assert.ok(resultRef !== null);
      const isAddress = resultRef.startsWith("http");
      const path = isAddress ? resultRef : `${siblings.get(peer)?.url}${PLACES[peer]}/${resultRef}`;
      const headers = isAddress ? {} : { authorization: `Bearer ${SUITE_KEY}` };
      const answer = await fetch(path, { headers });
      assert.equal(answer.status, 200, path);
    }
  });

  it("shows a handoff's trace at the address its packet names", async () => {
    const { handoffs } = await get("/api/svc/handoffs?direction=out&state=completed&limit=1");
    const { packet } = await get(`/api/svc/handoffs/${handoffs[0]?.id}`);
    const page = await eventually(async () => {
      const answer = await fetch(textAt(packet, "trace", "traceUrl"));
      return answer.status === 200 ? answer.text() : null;
    });
    assert.ok(page.includes(textAt(packet, "trace", "spanId")));
  });

  it("answers work that was done before from its record, without asking again", async () => {
    const entry = SIBLING_CALLS.find(({ tool }) => tool === "create_docs_report");
    assert.ok(entry);
    const [first, second] = [await call(entry, "twice"), await call(entry, "twice")];
    assert.equal(first.envelope.data["resultRef"], second.envelope.data["resultRef"]);
    assert.equal(second.envelope.data["delegationId"], first.envelope.data["delegationId"]);
  });

  it("sends a delegation, and follows one that waits for a person", async () => {
    const sent = await service.call(
      "delegate_artifact",
      {
        targetService: "docs",
        artifact: { title: "Sent", markdown: "# Sent" },
        action: "report",
        dryRun: false,
      },
      { key: true },
    );
    assert.equal(sent.envelope.data.status, "completed", sent.text);
    const waiting = await service.call(
      "delegate_artifact",
      { targetService: "docs", artifact: { title: "Post" }, action: "social_post", dryRun: false },
      { key: true },
    );
    const { delegationId, status, resultRef } = waiting.envelope.data;
    assert.deepEqual([status, resultRef], ["accepted", null], waiting.text);
    await fetch(`${siblings.get("docs")?.url}/api/docs/social/${delegationId}/confirm`, {
      method: "POST",
      headers: { authorization: `Bearer ${SUITE_KEY}` },
    });
    const done = await eventually(async () => {
      const data = await get(`/api/svc/handoffs/${delegationId}`);
      return data.status === "completed" ? data : null;
    });
    assert.match(done.resultRef ?? "", /^job_[0-9a-f]{32}$/);
  });

  it("runs the six steps for real, and only probes the public ones without a key", async () => {
    const live = await get("/api/svc/demo-suite?mode=live");
    assert.deepEqual([live.status, live.summary.probePass, live.summary.probeFail], ["ready", 4, 0]);
    assert.deepEqual(
      live.flow.map((step) => step.handoff.resultRef),
      [null, null, null, null, null, null],
    );
    const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    assert.equal((await service.fetch("/api/svc/demo-suite/run", post)).status, 401);
    const { data } = await ask(service, "POST", "/api/svc/demo-suite/run", {});
    assert.equal(data.summary.probePass, 6, JSON.stringify(data.summary));
    assert.match(data.flow[3]?.handoff.resultRef ?? "", /executions\/execution_/);
    assert.match(data.flow[4]?.handoff.resultRef ?? "", /^scorecard_/);
  });

  it("runs the sheets-to-docs-social blueprint up to its confirmation gate", async () => {
    const table = {
      title: "Releases",
      rows: [
        { name: "one", downloads: 3 },
        { name: "two", downloads: 4 },
      ],
    };
    const exported = await service.call("create_sheet_export", { artifact: table }, { key: true });
    const sheetId = textAt(exported.envelope.data.result, "sheet", "id");
    const made = await service.call(
      "instantiate_template",
      { templateId: "sheets-to-docs-social" },
      { key: true },
    );
    const { id } = made.envelope.data.workflow;
    const begun = await service.call(
      "run_workflow",
      { id, inputs: { sheetId, topic: "Releases" } },
      { key: true },
    );
    const runId = begun.envelope.data.run.id;
    const decide = async (stepId: string, values?: object): Promise<object> => {
      const pending = await eventually(async () => {
        const { approvals } = await get(`/api/svc/approvals?runId=${runId}&status=pending&limit=100`);
        return approvals.find((one) => one.runId === runId && one.stepId === stepId) ?? null;
      });
      const meta = values === undefined ? {} : { "svc/values": values };
      const answer = await service.call("approve_step", { id: pending.id }, { key: true, meta });
      assert.equal(answer.envelope?.ok, true, answer.text);
      return pending;
    };
    const shown = JSON.stringify(await decide("edit", { headline: "Releases", text: "Seven downloads." }));
    assert.match(shown, /7 in all/);
    assert.match(shown, /advisory/);
    await decide("announce");
    const run = await eventually(async () => {
      const { run: shown } = await get(`/api/svc/runs/${runId}`);
      return shown.status === "succeeded" ? shown : null;
    });
    assert.match(textAt(run.outputs, "document"), /\/reports\/report_/);
    // The post waits for a person in Docs: it was accepted there, and nobody calls it queued.
    assert.equal(at(run.outputs, "socialJob"), null);
    const waiting = await get("/api/svc/handoffs?direction=out&state=accepted&limit=100");
    assert.ok(waiting.handoffs.some((one) => one.capability === "social_post"));
  });

  it("shows what was observed of every sibling that was used", async () => {
    const { envelope } = await service.call("list_integrations");
    const states = Object.fromEntries(envelope.data.integrations.map((card) => [card.slug, card.state]));
    for (const { sibling } of SIBLING_CALLS) assert.equal(states[sibling], "reachable", sibling);
  });

  it("leaves no sibling out", () => {
    assert.deepEqual(
      SIBLING_NAMES.filter((name) => !SIBLING_CALLS.some(({ sibling }) => sibling === name)),
      [],
    );
  });

  for (const name of SIBLING_NAMES) {
    it(`ends degraded while ${name} is dead, loses nothing, and is confirmed again when it is back`, async () => {
      const mine = SIBLING_CALLS.filter(({ sibling }) => sibling === name);
      const delegations = new Map<SiblingCall, string>();
      await siblings.get(name)?.kill();
      for (const entry of mine) {
        const begun = performance.now();
        const { envelope, text } = await call(entry, `dead-${name}`);
        assert.equal(envelope?.ok, false, text);
        assert.equal(envelope.data["status"], "degraded", text);
        assert.equal(envelope.data["resultRef"], undefined);
        // A refused connection is known at once; what waits for a timeout or retries takes longer than this.
        assert.ok(performance.now() - begun < 9_000, `${entry.tool} took too long`);
        if (envelope.data["delegationId"] === undefined) continue;
        const delegationId = textAt(envelope.data, "delegationId");
        delegations.set(entry, delegationId);
        const kept = await get(`/api/svc/handoffs/${delegationId}`);
        assert.ok(["ready", "sending", "degraded"].includes(kept.status), kept.status);
        assert.equal(kept.resultRef, null);
      }
      const { envelope: card } = await service.call("get_integration_status", { slug: name });
      assert.match(card.data.state, /^(failing|circuit_open)$/);
      await demoWithout(name);
      await start(name);
      for (const entry of mine) {
        const answer = await eventually(async () => {
          const again = await call(entry, `dead-${name}`);
          return again.envelope?.ok ? again : null;
        });
        entry.proves(answer.envelope.data, made);
        if (!delegations.has(entry)) continue;
        const delegationId = textAt(answer.envelope.data, "delegationId");
        // The very packet that could not be delivered is the one that is completed.
        assert.equal(delegationId, delegations.get(entry));
        assert.equal((await get(`/api/svc/handoffs/${delegationId}`)).status, "completed");
      }
      const { envelope: back } = await service.call("get_integration_status", { slug: name });
      assert.equal(back.data.state, "reachable");
    });
  }

  /** With one sibling dead, its step of the flow is not confirmed, and every other step is. */
  async function demoWithout(name: SiblingName): Promise<void> {
    const { data } = await ask(service, "POST", "/api/svc/demo-suite/run", {});
    const unconfirmed = data.flow.filter((step) => step.probeStatus !== "pass");
    assert.deepEqual(
      unconfirmed.map((step) => step.ownerService),
      data.flow.some((step) => step.ownerService === name) ? [name] : [],
    );
    for (const { handoff, evidence } of unconfirmed) {
      assert.deepEqual([handoff.resultRef, evidence.fetched, evidence.verified], [null, false, false]);
    }
  }

  it("keeps sending a delegation whose sibling is dead until it is back", async () => {
    await siblings.get("catalog")?.kill();
    const sent = await service.call(
      "delegate_artifact",
      { targetService: "catalog", artifact: { title: "Later" }, action: "register", dryRun: false },
      { key: true },
    );
    assert.equal(sent.envelope.ok, false);
    const { delegationId } = sent.envelope.data;
    await start("catalog");
    const done = await eventually(async () => {
      const data = await get(`/api/svc/handoffs/${delegationId}`);
      return data.status === "completed" ? data : null;
    });
    assert.match(done.resultRef ?? "", /^entry_/);
    assert.ok(done.attempts >= 2);
  });
});
