import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";
import { openapiDefinitions } from "../../src/sources/api-definitions.ts";
import { isJsonObject, isObject } from "../../src/kernel/json.ts";
import { readApi } from "../../src/sources/openapi.ts";
import { freePort } from "../../tests/support/ports.ts";

/*
 * The operations of real API descriptions, each filled in with the example of its form and sent to Prism (a mock that
 * validates requests): how many are sent without a violation.
 *   npm run bench:prism -- FOLDER [operations of each description] [report.md]
 */

const [given, most = "60", output] = process.argv.slice(2);
if (given === undefined) {
  console.error("usage: npm run bench:prism -- FOLDER [operations of each description] [report.md]");
  process.exit(2);
}
const KEY = "bench-key-with-every-right-0123456789";
const prism = fileURLToPath(new URL("../node_modules/.bin/prism", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "bench-prism-"));
const settings = loadSettings([], {
  PORT: "0",
  DATABASE_URL: `sqlite:${join(folder, "p.db")}`,
  SVC_API_KEY: KEY,
  SVC_TRUSTED_HOSTS: "127.0.0.1",
  LOG_LEVEL: "error",
});
if (typeof settings === "string") throw new TypeError("settings expected");
const app = await startApp(settings);
// They are added by address, as they are published.
const files = createHttpServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(readFileSync(join(folder, basename(request.url ?? ""))));
});
const filesPort = await freePort();
await new Promise<void>((done) => files.listen(filesPort, "127.0.0.1", done));
const documents = `http://127.0.0.1:${filesPort}`;
const results: Result[] = [];
try {
  for (const file of readdirSync(given)
    .filter((name) => /\.(?:json|ya?ml)$/.test(name))
    .toSorted()) {
    const result = await tryDescription(join(given, file)).catch((error: unknown) => notTried(file, error));
    results.push(result);
    console.log(
      `${file}: ${result.clean} of ${result.sent} without a violation, ${result.withoutExample.length} without an example ${result.note}`,
    );
    for (const line of result.violations) console.log(`  ${line}`);
  }
} finally {
  files.close();
  await app.close(1_000);
  rmSync(folder, { recursive: true, force: true });
}
const markdown = report(results);
console.log(markdown);
if (output !== undefined) writeFileSync(output, markdown);

interface Result {
  readonly file: string;
  readonly operations: number;
  sent: number;
  clean: number;
  readonly withoutExample: string[];
  readonly violations: string[];
  readonly note: string;
}

function notTried(file: string, error: unknown): Result {
  const note = `(not tried: ${String(error).slice(0, 160)})`;
  return { file, operations: 0, sent: 0, clean: 0, withoutExample: [], violations: [], note };
}

async function tryDescription(path: string): Promise<Result> {
  const api = readApi(JSON.parse(readFileSync(path, "utf8")), "http://127.0.0.1");
  if (api.operations.length === 0) throw new Error("it has no operations");
  const names = [...openapiDefinitions(api.document, "http://127.0.0.1")].map(({ name }) => name);
  // A path with a query or a fragment is none by the specification, and Prism does not find it.
  const fit = api.operations.flatMap(({ path: template }, index) => (/[?#]/.test(template) ? [] : [index]));
  // As many as were asked for, spread over the whole description.
  const stride = Math.max(1, fit.length / Number(most));
  const chosen = Array.from(
    { length: Math.min(Number(most), fit.length) },
    (_, index) => fit[Math.floor(index * stride)] ?? 0,
  );
  const port = await freePort();
  const file = basename(path);
  writeFileSync(join(folder, file), JSON.stringify(api.document));
  const operations = chosen.flatMap((index) => api.operations[index] ?? []);
  const { mock, note } = await startPrism(api.document, operations, join(folder, `prism-${file}`), port);
  try {
    const name = file.replaceAll(/[^a-z0-9]+/g, "-").slice(0, 24);
    const added = await rest("POST", "", {
      name,
      kind: "openapi",
      url: `${documents}/${file}`,
      baseUrl: `http://127.0.0.1:${port}`,
    });
    if (added["ok"] !== true) throw new Error(JSON.stringify(added).slice(0, 300));
    const result: Result = {
      file,
      operations: api.operations.length,
      sent: 0,
      clean: 0,
      withoutExample: [],
      violations: [],
      note,
    };
    for (const index of chosen) {
      const definition = names[index] ?? "";
      const problem = await tryOne(name, definition);
      if (problem === null) {
        result.withoutExample.push(definition);
        continue;
      }
      result.sent += 1;
      if (problem === "") result.clean += 1;
      else result.violations.push(`${definition}: ${problem}`);
    }
    return result;
  } finally {
    mock.kill("SIGKILL");
  }
}

/** Empty when Prism found nothing wrong, null when the form has no example. */
async function tryOne(name: string, definition: string): Promise<string | null> {
  const form = await tool("render_mcp_tool_form", { toolName: `${name}:${definition}` });
  const data = isObject(form["data"]) ? form["data"] : {};
  const example = isObject(data["form"]) ? data["form"]["exampleValue"] : undefined;
  if (!isJsonObject(example)) return null;
  const answer = await rest("POST", `/${name}/call/${definition}`, {
    arguments: example,
    timeoutMs: 120_000,
  });
  const result = isObject(answer["data"]) ? answer["data"] : {};
  const headers = isObject(result["headers"]) ? result["headers"] : {};
  const violations = headers["sl-violations"];
  const sent = JSON.stringify(example).slice(0, 300);
  if (result["status"] === undefined) return `${JSON.stringify(answer).slice(0, 600)} sent ${sent}`;
  if (typeof violations === "string" && /"location":\["request/.test(violations))
    return `${violations.slice(0, 400)} sent ${sent}`;
  // Without a documented answer to an invalid request Prism makes one of its own. That it cannot make up an answer says
  // nothing against the request; that it does not find the route does.
  const { body } = result;
  const ofPrism = isObject(body) && String(body["type"]).startsWith("https://stoplight.io/prism/errors#");
  if (
    ofPrism &&
    !/NO_RESPONSE_DEFINED|NO_COMPLEX_OBJECT_TEXT|NOT_ACCEPTABLE|SCHEMA_TOO_COMPLEX/.test(String(body["type"]))
  )
    return `${JSON.stringify(body["validation"] ?? body).slice(0, 400)} sent ${sent}`;
  return "";
}

function report(all: readonly Result[]): string {
  const tried = all.filter(({ sent }) => sent > 0);
  const total = (pick: (result: Result) => number): number =>
    tried.reduce((sum, result) => sum + pick(result), 0);
  const lines = [
    "# Requests against Prism",
    "",
    `\`npm run bench:prism -- FOLDER ${most}\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}. Each description is added as a connection by its address; up to ${most} of its operations, spread over the whole description, are filled in with the example of their form (\`render_mcp_tool_form\`) and sent with \`POST /api/svc/connections/{name}/call/{definition}\` to Prism (mock, validates requests), which serves those operations of the same description without their security. A violation is what Prism reports about the request.`,
    "",
    `In all: ${total((result) => result.clean)} of ${total((result) => result.sent)} requests from ${tried.length} descriptions without a violation.`,
    "",
    "| description | operations | sent | without a violation | no example |",
    "|---|---|---|---|---|",
    ...tried.map(
      ({ file, operations, sent, clean, withoutExample }) =>
        `| ${file} | ${operations} | ${sent} | ${clean} | ${withoutExample.length} |`,
    ),
    "",
    ...all.flatMap(({ file, note }) => (note === "" ? [] : [`- ${file} ${note}`])),
    "",
  ];
  return lines.join("\n");
}

async function rest(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${app.port}/api/svc/connections${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  });
  const value: unknown = await answer.json();
  return isObject(value) ? value : {};
}

async function tool(name: string, args: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const answer = await fetch(`http://127.0.0.1:${app.port}/api/mcp`, { method: "POST", headers, body });
  const value: unknown = await answer.json();
  const result = isObject(value) ? value["result"] : undefined;
  const content = isObject(result) ? result["structuredContent"] : undefined;
  return isObject(content) ? content : {};
}

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly item: Record<string, unknown>;
}

/**
 * Prism with these operations. It expands every reference before it listens; where that takes more than two minutes (the
 * answers of stripe refer to each other without end), it gets them without their answers: only requests are looked at.
 */
async function startPrism(
  document: Record<string, unknown>,
  operations: readonly Operation[],
  file: string,
  port: number,
): Promise<{ readonly mock: ChildProcess; readonly note: string }> {
  for (const answers of [true, false]) {
    writeFileSync(file, JSON.stringify(forPrism(document, operations, answers)));
    const mock = spawn(prism, ["mock", file, "--port", String(port), "--errors", "false"], {
      stdio: "ignore",
    });
    if (await isListening(port, mock)) return { mock, note: answers ? "" : "(without its answers)" };
    mock.kill("SIGKILL");
  }
  throw new Error("Prism did not start");
}

/** The description with these operations, and what they refer to, only: Prism needs minutes for a whole large one. */
function forPrism(
  document: Record<string, unknown>,
  operations: readonly Operation[],
  answers: boolean,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, item } of operations) {
    const { parameters } = item;
    const kept = (paths[path] ??= { ...(parameters !== undefined && { parameters }) });
    const operation = item[method];
    kept[method] =
      answers || !isObject(operation)
        ? operation
        : { ...operation, responses: { 200: { description: "Not described here." } } };
  }
  const { webhooks: _webhooks, ...kept } = document;
  const copy: unknown = JSON.parse(JSON.stringify({ ...kept, paths }), (key, value: unknown) => {
    // Mocks have no use for credentials, and Prism would ask for them.
    if (key === "security" && Array.isArray(value)) return [];
    // Extensions may refer to files that are not here.
    return key.startsWith("x-") && typeof value === "object" ? undefined : value;
  });
  return isObject(copy) ? withoutUnused(copy) : {};
}

/** Components that nothing refers to are left out. */
function withoutUnused(document: Record<string, unknown>): Record<string, unknown> {
  const { components } = document;
  if (!isObject(components)) return document;
  const used = new Map<string, unknown>();
  const follow = (value: unknown): void => {
    if (typeof value === "string" && value.startsWith("#/components/") && !used.has(value)) {
      const [group = "", name = ""] = value.slice("#/components/".length).split("/");
      const of = components[group];
      const target = isObject(of) ? of[name.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
      used.set(value, target);
      follow(target);
    } else if (Array.isArray(value)) value.forEach(follow);
    else if (isObject(value)) Object.values(value).forEach(follow);
  };
  follow(document["paths"]);
  const kept: Record<string, Record<string, unknown>> = {};
  for (const [pointer, target] of used) {
    const [group = "", name = ""] = pointer.slice("#/components/".length).split("/");
    if (target !== undefined) (kept[group] ??= {})[name.replaceAll("~1", "/").replaceAll("~0", "~")] = target;
  }
  return { ...document, components: kept };
}

/** True when it listens within two minutes. */
async function isListening(port: number, child: ChildProcess): Promise<boolean> {
  for (let waited = 0; waited < 1_200 && child.exitCode === null; waited++) {
    if ((await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
}
