import { parsedJson } from "../kernel/json.ts";
import { setImmediate } from "node:timers/promises";
import { takesBody, type Route, type Services } from "../ports/services.ts";
import { DOCUMENT_CHECKS } from "./document-checks.ts";
import { DOCUMENT_LOCATIONS, type DocumentKey } from "./locations.ts";

/** One check: what was requested, what was expected, what came. */
export type ComplianceCheck = {
  readonly check: string;
  readonly target: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly observed: string;
  /** Everything that was wrong; empty when the check passed. */
  readonly problems: readonly string[];
};

/** What the checks of one kind found. */
type ComplianceReport = {
  readonly status: "compliant" | "failing";
  readonly passed: number;
  readonly failed: number;
  readonly checks: readonly ComplianceCheck[];
  readonly checkedAt: string;
};

/** Both reports. */
export interface Compliance {
  readonly routes: ComplianceReport;
  readonly documents: ComplianceReport;
}

type Source = Pick<Services, "site" | "catalog" | "clock" | "settings" | "workers">;
type Answer = Awaited<ReturnType<Source["site"]["request"]>>;

/** How long a report is given again instead of being computed: asking often must cost us little. */
const CACHE_MS = 5_000;
/** How long the checks may hold the event loop. */
const SLICE_MS = 5;
const cache = new WeakMap<Source["site"], { readonly at: number; readonly report: Promise<Compliance> }>();

interface CheckedDocument {
  readonly body: string;
  readonly problems: readonly string[];
}
const checked = new WeakMap<Source["site"], Map<DocumentKey, CheckedDocument>>();

/** Requests every route and document in process and checks the answers. Kept for five seconds. */
export function checkCompliance(source: Source): Promise<Compliance> {
  const now = source.clock.now();
  const known = cache.get(source.site);
  if (known && now - known.at < CACHE_MS && now >= known.at) return known.report;
  const report = compute(source);
  cache.set(source.site, { at: now, report });
  report.catch(() => cache.delete(source.site));
  return report;
}

async function compute(source: Source): Promise<Compliance> {
  const routes: ComplianceCheck[] = [];
  let since = performance.now();
  // Requests in process do not wait for anything, so others have a turn in between; not after each, or every crowd of
  // others would be served hundreds of times before this one.
  const giveTurn = async (): Promise<void> => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
  for (const route of source.site.routes) {
    routes.push(await checkRoute(source, route));
    await giveTurn();
  }
  const documents: ComplianceCheck[] = [];
  for (const document of DOCUMENT_LOCATIONS) {
    documents.push(await checkDocument(source, document));
    await giveTurn();
  }
  const checkedAt = new Date(source.clock.now()).toISOString();
  return { routes: reportOf(routes, checkedAt), documents: reportOf(documents, checkedAt) };
}

function reportOf(checks: readonly ComplianceCheck[], checkedAt: string): ComplianceReport {
  const failed = checks.filter((check) => !check.ok).length;
  return {
    status: failed === 0 ? "compliant" : "failing",
    passed: checks.length - failed,
    failed,
    checks,
    checkedAt,
  };
}

/** What a route must answer to a stranger who sends nothing of use. */
function expectationOf(route: Route): { readonly text: string; readonly statuses: readonly number[] } {
  if (route.path === "/readyz")
    return { text: "200, or 503 while storage cannot be written", statuses: [200, 503] };
  if (route.path === "/oauth/callback" || route.path.startsWith("/oauth/sign-in/"))
    return { text: "400 without a sign-in that was begun here", statuses: [400] };
  if (route.path.startsWith("/oauth/authorize"))
    return { text: "400 without a client that asks", statuses: [400] };
  if (route.access === "key" || route.access === "person")
    return { text: "401 without a key", statuses: [401] };
  if (route.path === "/api/svc/passkeys/sign-in-options")
    return { text: "200: what a browser needs to sign in", statuses: [200] };
  if (takesBody(route.method))
    return { text: "a clear 4xx to an empty object", statuses: [400, 401, 404, 415] };
  if (/[:{*]/.test(route.path))
    return { text: "200, or a clear 400 or 404 for what is no record", statuses: [200, 400, 404] };
  return { text: "200", statuses: [200] };
}

async function checkRoute(source: Source, route: Route): Promise<ComplianceCheck> {
  const target = `${route.method} ${route.path}`;
  const expectation = expectationOf(route);
  const path = route.path.replace(/[:{][A-Za-z]+\}?/g, "does-not-exist").replace(/\*$/, "does-not-exist");
  const answer = await ask(source, route.method, path);
  if (answer === null) return failed("route", target, expectation.text, "no answer", ["the request failed"]);
  const type = answer.headers["content-type"] ?? "";
  const problems: string[] = [];
  if (!expectation.statuses.includes(answer.status)) problems.push(`status ${answer.status}`);
  if (answer.status !== 204 && answer.body === "" && !type.includes("event-stream"))
    problems.push("the body is empty");
  if (type.includes("json") && parsedJson(answer.body) === undefined) problems.push("the body is not JSON");
  if (type === "") problems.push("no content type");
  if ((answer.headers["x-content-type-options"] ?? "") !== "nosniff")
    problems.push("X-Content-Type-Options is not nosniff");
  return {
    check: "route",
    target,
    ok: problems.length === 0,
    expected: expectation.text,
    observed: `status ${answer.status}, ${type === "" ? "no content type" : type}`,
    problems,
  };
}

async function checkDocument(
  source: Source,
  document: (typeof DOCUMENT_LOCATIONS)[number],
): Promise<ComplianceCheck> {
  const expected = `200 as ${document.contentType.split(";", 1)[0]}, ${DOCUMENT_CHECKS[document.key].expected}`;
  const answer = await ask(source, "GET", document.path);
  if (answer === null)
    return failed("document", document.path, expected, "no answer", ["the request failed"]);
  const type = answer.headers["content-type"] ?? "";
  const problems: string[] = [];
  if (answer.status !== 200) problems.push(`status ${answer.status}`);
  if (mediaType(type) !== mediaType(document.contentType)) problems.push(`content type ${type}`);
  if (answer.status === 200) problems.push(...(await check(source, document.key, answer.body)));
  return {
    check: "document",
    target: document.path,
    ok: problems.length === 0,
    expected,
    observed: `status ${answer.status}, ${type === "" ? "no content type" : type}`,
    problems,
  };
}

/** A text that was checked before keeps its verdict: parsing a large document is not repeated. */
async function check(source: Source, key: DocumentKey, body: string): Promise<readonly string[]> {
  const known = checked.get(source.site) ?? new Map<DocumentKey, CheckedDocument>();
  checked.set(source.site, known);
  const before = known.get(key);
  if (before?.body === body) return before.problems;
  const problems = await DOCUMENT_CHECKS[key].problems(body, source);
  known.set(key, { body, problems });
  return problems;
}

async function ask(source: Source, method: string, path: string): Promise<Answer | null> {
  try {
    const accept = "application/json, text/html;q=0.9, */*;q=0.8";
    return method === "POST" || method === "PATCH"
      ? await source.site.request(method, path, { accept, "content-type": "application/json" }, "{}")
      : await source.site.request(method, path, { accept });
  } catch {
    return null;
  }
}

function failed(
  check: string,
  target: string,
  expected: string,
  observed: string,
  problems: readonly string[],
): ComplianceCheck {
  return { check, target, ok: false, expected, observed, problems };
}

function mediaType(contentType: string): string {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
