import { parse as parseYaml } from "yaml";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { Route, Services } from "../ports/services.ts";
import { DOCUMENT_LOCATIONS, type DocumentKey } from "./locations.ts";

/** One check: what was requested, what was expected, what came. */
export interface ComplianceCheck {
  readonly check: string;
  readonly target: string;
  readonly ok: boolean;
  readonly expected: string;
  readonly observed: string;
  /** Everything that was wrong; empty when the check passed. */
  readonly problems: readonly string[];
}

/** What the checks of one kind found. */
export interface ComplianceReport {
  readonly status: "compliant" | "failing";
  readonly passed: number;
  readonly failed: number;
  readonly checks: readonly ComplianceCheck[];
  readonly checkedAt: string;
}

/** Both reports. */
export interface Compliance {
  readonly routes: ComplianceReport;
  readonly documents: ComplianceReport;
}

type Source = Pick<Services, "site" | "catalog" | "clock" | "settings">;
type Answer = Awaited<ReturnType<Source["site"]["request"]>>;

/** How long a report is given again instead of being computed: asking often must cost us little. */
const CACHE_MS = 5_000;
const cache = new WeakMap<Source["site"], { readonly at: number; readonly report: Promise<Compliance> }>();

/** Requests every route and document in process and judges what comes back. Kept for five seconds. */
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
  for (const route of source.site.routes) routes.push(await checkRoute(source, route));
  const documents: ComplianceCheck[] = [];
  for (const document of DOCUMENT_LOCATIONS) documents.push(await checkDocument(source, document));
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

/** What a route must answer to a stranger who sends no body. */
function expectationOf(route: Route): { readonly text: string; readonly statuses: readonly number[] } {
  if (route.path === "/readyz")
    return { text: "200, or 503 while storage cannot be written", statuses: [200, 503] };
  if (route.access === "key") return { text: "401 without a key", statuses: [401] };
  if (route.method === "POST") return { text: "a clear 4xx to an empty body", statuses: [400, 401, 415] };
  if (/[:{*]/.test(route.path))
    return { text: "200, or a clear 404 for a record that does not exist", statuses: [200, 404] };
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
  if (type.includes("json") && parseJson(answer.body) === undefined) problems.push("the body is not JSON");
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
  const expected = `200 as ${document.contentType.split(";", 1)[0]}, ${EXPECTED[document.key]}`;
  const answer = await ask(source, "GET", document.path);
  if (answer === null)
    return failed("document", document.path, expected, "no answer", ["the request failed"]);
  const type = answer.headers["content-type"] ?? "";
  const problems: string[] = [];
  if (answer.status !== 200) problems.push(`status ${answer.status}`);
  if (mediaType(type) !== mediaType(document.contentType)) problems.push(`content type ${type}`);
  if (answer.status === 200) problems.push(...contentProblems(document.key, answer.body, source));
  return {
    check: "document",
    target: document.path,
    ok: problems.length === 0,
    expected,
    observed: `status ${answer.status}, ${type === "" ? "no content type" : type}`,
    problems,
  };
}

const EXPECTED: Readonly<Record<DocumentKey, string>> = {
  llms: "a title, and every public and protected tool by name",
  llmsFull: "a section for every tool and prompt, every resource by URI",
  llmsIndex: "JSON that lists exactly the registry",
  openapi: "OpenAPI 3.1 with every route and the schemas of every tool",
  asyncapi: "AsyncAPI 3 with an operation for the event stream",
  webStatus: "the web manifest with the registry's counts",
  legacyWeb4: "the web manifest with the registry's counts",
  provenance: "public keys and how to verify",
  aiPlugin: "a manifest that points to the OpenAPI document",
  trust: "the required trust policy line and every protected tool",
  robots: "one group, for every user agent",
  serverCard: "the endpoint and the protocol versions",
  serverCardEndpoint: "the endpoint and the protocol versions",
  mcpCatalog: "an entry that points to the server card",
};

function contentProblems(key: DocumentKey, body: string, source: Source): readonly string[] {
  const names = source.catalog.tools.map((tool) => tool.name);
  switch (key) {
    case "llms":
      return [
        ...title(body),
        ...missing(
          body,
          names.map((name) => `\`${name}\``),
        ),
      ];
    case "llmsFull":
      return [
        ...title(body),
        ...missing(body, [
          ...names.map((name) => `### ${name}\n`),
          ...source.catalog.prompts.map((prompt) => `### ${prompt.name}\n`),
          ...source.catalog.resources.map((resource) => `\`${resource.uri}\``),
        ]),
      ];
    case "openapi":
      return openapiProblems(body, names, source.site.routes);
    case "asyncapi":
      return asyncapiProblems(body);
    case "robots":
      return robotsProblems(body);
    default:
      return jsonProblems(key, body, source);
  }
}

function jsonProblems(key: DocumentKey, body: string, source: Source): readonly string[] {
  const value = parseJson(body);
  if (!isObject(value)) return ["the body is not a JSON object"];
  const names = source.catalog.tools.map((tool) => tool.name);
  switch (key) {
    case "llmsIndex":
      return sameNames(value["tools"], "name", names, "tools").concat(
        sameNames(
          value["resources"],
          "uri",
          source.catalog.resources.map(({ uri }) => uri),
          "resources",
        ),
        sameNames(
          value["prompts"],
          "name",
          source.catalog.prompts.map(({ name }) => name),
          "prompts",
        ),
      );
    case "webStatus":
    case "legacyWeb4":
      return isObject(value["counts"]) && value["counts"]["tools"] === names.length
        ? need(value, ["name", "version", "endpoints", "discovery", "access"])
        : ["the counts are not the registry's"];
    case "trust": {
      const guarded = source.catalog.tools
        .filter((tool) => tool.access !== "public")
        .map((tool) => tool.name);
      const boundary = value["boundary"];
      const listed = isObject(boundary) ? boundary["protectedTools"] : undefined;
      return [
        ...need(value, ["trustPolicyLine", "boundary", "trustedDomains"]),
        ...(Array.isArray(listed) &&
        guarded.every((name) => listed.includes(name)) &&
        listed.length === guarded.length
          ? []
          : ["the protected tools are not the registry's"]),
      ];
    }
    case "provenance":
      return need(value, ["service", "lookup", "verify"]);
    case "aiPlugin":
      return need(value, ["schema_version", "name_for_model", "description_for_model", "auth", "api"]);
    case "mcpCatalog":
      return need(value, ["specVersion", "entries"]);
    default:
      return need(value, ["$schema", "name", "version", "description", "remotes"]);
  }
}

function openapiProblems(
  body: string,
  names: readonly string[],
  routes: readonly Route[],
): readonly string[] {
  const document = parseYamlText(body);
  if (!isObject(document)) return ["the body is not YAML"];
  if (!String(document["openapi"]).startsWith("3.1")) return ["not OpenAPI 3.1"];
  const paths = isObject(document["paths"]) ? document["paths"] : {};
  const operations = Object.values(paths).flatMap((path) => (isObject(path) ? Object.keys(path) : [])).length;
  const components = isObject(document["components"]) ? document["components"] : {};
  const schemas = isObject(components["schemas"]) ? components["schemas"] : {};
  return [
    ...(operations === routes.length ? [] : [`${operations} operations for ${routes.length} routes`]),
    ...names
      .filter((name) => !isObject(schemas[`${name}_arguments`]) || !isObject(schemas[`${name}_data`]))
      .map((name) => `no schemas for ${name}`),
  ];
}

function asyncapiProblems(body: string): readonly string[] {
  const document = parseYamlText(body);
  if (!isObject(document)) return ["the body is not YAML"];
  if (!String(document["asyncapi"]).startsWith("3.")) return ["not AsyncAPI 3"];
  return isObject(document["operations"]) && Object.keys(document["operations"]).length > 0
    ? []
    : ["no operations"];
}

function robotsProblems(body: string): readonly string[] {
  const agents = (body.match(/^user-agent:.*$/gim) ?? []).map((line) =>
    line.slice(line.indexOf(":") + 1).trim(),
  );
  return agents.length === 1 && agents[0] === "*" ? [] : [`user agents: ${agents.join(", ") || "none"}`];
}

function title(body: string): readonly string[] {
  return /^# \S/.test(body) ? [] : ["the text does not begin with a title"];
}

function missing(body: string, wanted: readonly string[]): readonly string[] {
  return wanted.filter((text) => !body.includes(text)).map((text) => `${text.trim()} is missing`);
}

function need(value: Record<string, unknown>, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => value[key] === undefined).map((key) => `${key} is missing`);
}

function sameNames(list: unknown, key: string, wanted: readonly string[], what: string): string[] {
  const given = Array.isArray(list)
    ? list.map((item: unknown) => (isObject(item) ? item[key] : undefined))
    : [];
  const same = given.length === wanted.length && wanted.every((name) => given.includes(name));
  return same ? [] : [`the ${what} are not the registry's`];
}

async function ask(source: Source, method: string, path: string): Promise<Answer | null> {
  try {
    return await source.site.request(method, path, {
      accept: "application/json, text/html;q=0.9, */*;q=0.8",
    });
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYamlText(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

/** A report as plain JSON. */
export function reportJson(report: ComplianceReport): JsonObject {
  return { ...report, checks: report.checks.map((check) => ({ ...check, problems: [...check.problems] })) };
}
