import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import { checkCompliance, type Compliance } from "../../src/discovery/compliance.ts";
import { DOCUMENT_LOCATIONS } from "../../src/discovery/locations.ts";
import type { Services, Site } from "../../src/ports/services.ts";
import { startService, type TestService } from "../support/service.ts";

type Answer = Awaited<ReturnType<Site["request"]>>;

describe("compliance is computed", () => {
  let service: TestService;
  let now = Date.now();
  before(async () => {
    service = await startService({ clock: { now: () => now } });
  });
  after(() => service.close());

  /** The report when the answers of some paths are changed on their way. */
  function withAnswers(
    concerns: (path: string) => boolean,
    change: (answer: Answer, path: string) => Answer,
  ): Promise<Compliance> {
    const { services } = service.app;
    const site: Site = {
      routes: services.site.routes,
      perform: (...given) => services.site.perform(...given),
      async request(...request) {
        const answer = await services.site.request(...request);
        return concerns(request[1]) ? change(answer, request[1]) : answer;
      },
    };
    const changed: Services = { ...services, site };
    return checkCompliance(changed);
  }
  const failing = (report: Compliance): readonly string[] =>
    [...report.routes.checks, ...report.documents.checks]
      .filter((check) => !check.ok)
      .map(({ target }) => target);

  test("everything is compliant when nothing is broken, and each check shows what it saw", async () => {
    const report = await checkCompliance(service.app.services);
    assert.deepEqual(failing(report), []);
    assert.equal(report.routes.checks.length, service.app.services.site.routes.length);
    assert.equal(report.documents.checks.length, DOCUMENT_LOCATIONS.length);
    for (const check of report.documents.checks) assert.match(check.observed, /^status 200, /);
  });

  test("every route turns red when it crashes, and when it sends rubbish", async () => {
    const crashed = await withAnswers(
      () => true,
      (answer) => ({ ...answer, status: 500 }),
    );
    assert.equal(crashed.routes.failed, service.app.services.site.routes.length);
    const rubbish = await withAnswers(
      () => true,
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, "content-type": "application/json" },
        body: "{oops",
      }),
    );
    assert.equal(rubbish.routes.failed, service.app.services.site.routes.length);
    assert.equal(rubbish.routes.status, "failing");
  });

  test("one broken route turns red alone", async () => {
    const report = await withAnswers(
      (path) => path === "/api/svc/demo-suite",
      (answer) => ({ ...answer, status: 503 }),
    );
    assert.deepEqual(failing(report), ["GET /api/svc/demo-suite"]);
  });

  test("every document turns red when it is gone, hollow or of another type", async () => {
    const isDocument = (path: string): boolean =>
      DOCUMENT_LOCATIONS.some((document) => document.path === path);
    const changes: readonly ((answer: Answer, path: string) => Answer)[] = [
      (answer) => ({ ...answer, status: 404 }),
      (answer, path) => ({ ...answer, body: /json$|card$/.test(path) ? "{}" : "x" }),
      (answer) => ({ ...answer, headers: { ...answer.headers, "content-type": "text/html" } }),
    ];
    for (const change of changes) {
      const report = await withAnswers(isDocument, change);
      assert.equal(report.documents.failed, DOCUMENT_LOCATIONS.length, JSON.stringify(report.documents));
    }
  });

  test("a document that misses a single tool turns red", async () => {
    const listing = ["/llms.txt", "/llms-full.txt", "/llms-index.json", "/openapi.yaml"];
    const report = await withAnswers(
      (path) => listing.includes(path),
      (answer) => ({ ...answer, body: answer.body.replaceAll("plan_workflow", "forgotten") }),
    );
    const red = report.documents.checks.filter(({ ok }) => !ok);
    assert.deepEqual(
      red.map(({ target }) => target),
      listing,
    );
    for (const { target, problems } of red) assert.ok(problems.length > 0, target);
  });

  test("a robots.txt that names a crawler turns red", async () => {
    const report = await withAnswers(
      (path) => path === "/robots.txt",
      (answer) => ({ ...answer, body: `User-agent: SomeBot\n${answer.body}` }),
    );
    assert.ok(failing(report).includes("/robots.txt"));
  });

  test("a part that breaks behind a document shows in the tools, and heals", async () => {
    const read = async (): Promise<readonly [string, number, string]> => {
      now += 6_000;
      const status = (await service.call("get_svc_web_status")).envelope.data;
      const scorecard = (await service.call("get_svc_web_scorecard")).envelope.data;
      const report = (await service.call("get_discovery_compliance")).envelope.data;
      return [status.status, scorecard.score, report.status];
    };
    assert.deepEqual(await read(), ["operational", 100, "compliant"]);
    const broken = mock.method(service.app.services.provenance, "describe", () => {
      throw new Error("the log cannot be read");
    });
    const [status, score, report] = await read();
    assert.deepEqual([status, report], ["failing", "failing"]);
    assert.ok(score < 100);
    const shown = (await service.call("get_svc_web_status")).envelope.data;
    assert.ok(
      shown.failing.some(({ target }: { target: string }) => target === "/.well-known/provenance.json"),
    );
    assert.doesNotMatch(JSON.stringify(shown), /the log cannot be read/);
    broken.mock.restore();
    assert.deepEqual(await read(), ["operational", 100, "compliant"]);
  });

  test("the boundary criterion turns red when a protected tool lets a stranger in", async () => {
    now += 6_000;
    const open = mock.method(service.app.services.catalog, "call", () =>
      Promise.resolve({ ok: true, data: {} }),
    );
    try {
      const { renderScorecard } = await import("../../src/discovery/scorecard.ts");
      const card = await renderScorecard({
        caller: { kind: "anonymous", id: "anonymous", scopes: new Set() },
        services: service.app.services,
        trace: { traceId: "0".repeat(32), spanId: "0".repeat(16), parentSpanId: null },
        requestId: "test",
        signal: new AbortController().signal,
        meta: {},
      });
      const criteria = card["criteria"];
      assert.ok(Array.isArray(criteria));
      const boundary = criteria.find((criterion) => JSON.stringify(criterion).includes('"boundary"'));
      assert.match(JSON.stringify(boundary), /"passed":0,/);
    } finally {
      open.mock.restore();
    }
  });

  test("asking often costs one computation", async () => {
    now += 6_000;
    const requests = mock.method(service.app.services.site, "request");
    await Promise.all(Array.from({ length: 20 }, () => service.call("get_route_compliance")));
    const once = service.app.services.site.routes.length + DOCUMENT_LOCATIONS.length;
    assert.equal(requests.mock.callCount(), once);
    now += 4_000;
    await service.call("get_svc_web_scorecard");
    assert.equal(requests.mock.callCount(), once);
    now += 2_000;
    await service.call("get_svc_web_scorecard");
    assert.equal(requests.mock.callCount(), once * 2);
    requests.mock.restore();
  });
});
