import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { OperationName } from "../../packages/client/client.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { SiblingName } from "../../src/ports/settings.ts";
import { blueprints } from "../../src/handoffs/demo-steps.ts";
import { ensureBlueprint } from "../../src/triggers/blueprint.ts";
import { builtInTemplates } from "../../src/workflows/templates/index.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { startSuiteProcess, SUITE_KEY } from "../suite/support.ts";
import { ask, history, until } from "../triggers/support.ts";

const NAMES: readonly SiblingName[] = [
  "sandbox",
  "evals",
  "docs",
  "sheets",
  "catalog",
  "ascii",
  "layout",
  "ai_gateway",
];
const PIXELS =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("templates that need siblings, with the reference siblings", () => {
  let folder = "";
  let suite: Awaited<ReturnType<typeof startSuiteProcess>>;
  let service: TestService;
  let ahead = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-templates-"));
    suite = await startSuiteProcess(NAMES, folder);
    const siblings = Object.fromEntries(
      NAMES.map((name) => [name, { url: suite.urls[name] ?? "", key: SUITE_KEY }]),
    );
    service = await startService({
      settings: { siblings, trustedHosts: ["127.0.0.1"] },
      clock: { now: () => Date.now() + ahead },
    });
  });
  after(async () => {
    await service.close();
    await suite.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = async <N extends OperationName>(name: N, args: unknown, meta: unknown = {}) => {
    for (;;) {
      const answer = await service.call(name, args, { key: true, meta });
      // On a busy machine a thread for validation may start slowly; the answer says when to come again.
      const retryAfter: unknown = answer.json.error?.data?.retryAfterSeconds;
      if (typeof retryAfter === "number") {
        await setTimeout(retryAfter * 1_000);
        continue;
      }
      assert.equal(answer.envelope?.ok, true, `${name}: ${answer.text}`);
      return answer.envelope.data;
    }
  };

  const publishedFrom = async (templateId: string): Promise<string> => {
    const { id } = (await call("instantiate_template", { templateId })).workflow;
    await call("publish_workflow", { id });
    return id;
  };

  /** Runs a template to its end, approving whatever is asked with the given values. */
  const run = async (templateId: string, inputs: JsonObject, values: JsonObject | null = null) => {
    const id = await publishedFrom(templateId);
    return finish(templateId, (await call("run_workflow", { id, inputs })).run.id, values);
  };

  const finish = async (templateId: string, runId: string, values: JsonObject | null) => {
    const { engine, store } = service.app.services;
    for (;;) {
      const record = await engine.waitFor(runId, 100);
      if (record.finishedAt !== null) {
        assert.deepEqual([record.state, record.error], ["succeeded", null], templateId);
        assert.ok(record.outputs !== null);
        return JSON.stringify(record.outputs);
      }
      const pending = await store.read.approvals.list({ limit: 5 }, { state: "pending", runId });
      for (const approval of pending.items) {
        await call(
          "approve_step",
          { id: approval.id },
          approval.formSchema === null ? {} : { "svc/values": values },
        );
      }
    }
  };

  const cases: Readonly<Record<string, () => Promise<string>>> = {
    "openapi-operation-approval": async () => {
      const openapi = await (await service.fetch("/openapi.yaml")).text();
      const operationId = /operationId: "?([\w.-]+)/.exec(openapi)?.[1] ?? "";
      return run(
        "openapi-operation-approval",
        { serviceBaseUrl: service.url, operationId },
        { values: { a: 1 } },
      );
    },
    "webhook-triage": () => run("webhook-triage", builtIn("webhook-triage")),
    "release-gate": async () => {
      const workflowId = await publishedFrom("discovery-audit");
      return run("release-gate", { ...builtIn("release-gate"), workflowId, dryRun: false });
    },
    "sheets-to-docs-social": async () => {
      const artifact = {
        title: "Sales",
        columns: ["month", "sold"],
        rows: [
          ["May", 3],
          ["June", 5],
        ],
      };
      const { result } = await call("create_sheet_export", { artifact });
      return run(
        "sheets-to-docs-social",
        { sheetId: at(result, "sheet", "id"), range: "A1:B9", topic: "Sales" },
        { headline: "Sales grew", text: "From 3 to 5." },
      );
    },
    "nightly-provenance-check": async () =>
      run("nightly-provenance-check", { workflowId: await publishedFrom("discovery-audit") }),
    "artifact-review-publish": async () => {
      const { artifact } = await call("save_artifact", {
        artifact: { title: "For the catalog", privacy: "public" },
      });
      return run("artifact-review-publish", { artifactId: artifact.id, target: "catalog" });
    },
    "workflow-release-report": async () =>
      run("workflow-release-report", { workflowId: await publishedFrom("discovery-audit") }),
    "layout-quality-gate": () =>
      run("layout-quality-gate", {
        document: { title: "Page", blocks: [{ type: "heading", level: 1, text: "Page" }] },
        templateSlug: "landing",
        minimum: 1,
      }),
    "image-to-ascii": () => run("image-to-ascii", { image: PIXELS, title: "A dot", columns: 10 }),
  };

  /** What the outputs must hold when the siblings have really done their part. */
  const proof: Readonly<Record<string, RegExp>> = {
    "openapi-operation-approval": /"resultRef":"http[^"]+\/executions\//,
    "webhook-triage": /"report":"http[^"]+\/reports\//,
    "release-gate": /"version":\{"version":1,/,
    "sheets-to-docs-social": /"document":"http[^"]+\/reports\//,
    "nightly-provenance-check": /"checked":[1-9][0-9]*,"broken":\[\]/,
    "artifact-review-publish": /"resultRef":"(?!null)/,
    "workflow-release-report": /"report":"http.*"table":"http/,
    "layout-quality-gate": /"export":"(?!null)/,
    "image-to-ascii": /"reason":null/,
  };

  test("every template that needs a sibling is tried here", () => {
    const needing = builtInTemplates.filter(({ needs }) => needs.length > 0).map(({ id }) => id);
    assert.deepEqual(new Set(Object.keys(cases)), new Set(needing));
  });

  test("the demo's blueprint runs at its cadence", async () => {
    const { services } = service.app;
    await ensureBlueprint(services);
    // A service that is started again has it already.
    await ensureBlueprint(services);
    const { items } = await services.store.read.triggers.list({ limit: 5 }, { kind: "schedule" });
    const [{ id, dueAt } = { id: "", dueAt: null }] = items;
    assert.equal(items.length, 1);
    assert.equal(blueprints({ services })[0]?.cadence, "weekly");
    const [first = "", second = ""] = (await ask(service, "GET", `/api/svc/triggers/${id}`)).data.nextDates;
    assert.equal(Date.parse(second) - Date.parse(first), 7 * 86_400_000);
    ahead = Date.parse(dueAt ?? "") - Date.now();
    const [firing] = await until(
      () => history(service, id),
      ({ length }) => length === 1,
    );
    assert.equal(firing?.state, "started", firing?.reason ?? undefined);
    assert.equal(firing?.dueAt, dueAt);
    const outputs = await finish("the blueprint", firing?.runId ?? "", {
      headline: "This week",
      text: "As read.",
    });
    assert.match(outputs, proof["sheets-to-docs-social"] ?? /never/);
    ahead = 0;
  });

  for (const [id, start] of Object.entries(cases)) {
    test(`${id} runs to its end with what the siblings confirmed`, async () => {
      assert.match(await start(), proof[id] ?? /never/);
    });
  }

  function builtIn(id: string): JsonObject {
    return builtInTemplates.find((template) => template.id === id)?.exampleInputs ?? {};
  }
});
