import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";
import { isJsonObject, isObject } from "../../src/kernel/json.ts";
import { readApi } from "../../src/sources/openapi.ts";

/*
 * The operations of real API descriptions, each filled in with the example of its form and sent to Prism (a mock that
 * validates requests): how many are sent without a violation.
 *   npm run bench:prism -- FOLDER [operations of each description]
 */

const [given, most = "60"] = process.argv.slice(2);
if (given === undefined) {
  console.error("usage: npm run bench:prism -- FOLDER [operations of each description]");
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
// Descriptions are larger than a request body may be, so they are added by address.
const files = createHttpServer((request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(readFileSync(join(folder, basename(request.url ?? ""))));
});
const filesPort = await freePort();
await new Promise<void>((done) => files.listen(filesPort, "127.0.0.1", done));
const documents = `http://127.0.0.1:${filesPort}`;
let [sent, clean] = [0, 0];
try {
  for (const file of readdirSync(given)
    .filter((name) => /\.(?:json|ya?ml)$/.test(name))
    .toSorted()) {
    const counts = await tryDescription(join(given, file)).catch((error: unknown) => String(error));
    if (typeof counts === "string") {
      console.log(`${file}: not tried (${counts.slice(0, 160)})`);
      continue;
    }
    sent += counts.sent;
    clean += counts.clean;
    console.log(`${file}: ${counts.clean} of ${counts.sent} requests without a violation`);
    for (const line of counts.problems.slice(0, 5)) console.log(`  ${line}`);
  }
  console.log(`in all: ${clean} of ${sent}`);
} finally {
  files.close();
  await app.close(1_000);
  rmSync(folder, { recursive: true, force: true });
}

interface Counts {
  sent: number;
  clean: number;
  readonly problems: string[];
}

async function tryDescription(path: string): Promise<Counts> {
  const api = readApi(JSON.parse(readFileSync(path, "utf8")), "http://127.0.0.1");
  if (api.operations.length === 0) throw new Error("it has no operations");
  const port = await freePort();
  // Mocks have no use for credentials, and Prism would ask for them.
  const document = withoutSecurity(api.document);
  const file = join(folder, basename(path));
  writeFileSync(file, JSON.stringify(document));
  const mock = spawn(prism, ["mock", file, "--port", String(port), "--errors", "false"], { stdio: "ignore" });
  try {
    await listening(port, mock);
    const name = basename(path)
      .replaceAll(/[^a-z0-9]+/g, "-")
      .slice(0, 24);
    const base = `http://127.0.0.1:${port}`;
    const url = `${documents}/${basename(path)}`;
    const added = await rest("POST", "", { name, kind: "openapi", url, baseUrl: base });
    if (added["ok"] !== true) throw new Error(JSON.stringify(added).slice(0, 300));
    const definitions = isJsonObject(added["data"]) ? added["data"]["definitions"] : [];
    const counts: Counts = { sent: 0, clean: 0, problems: [] };
    for (const definition of Array.isArray(definitions) ? definitions.slice(0, Number(most)) : []) {
      const own =
        isJsonObject(definition) && typeof definition["name"] === "string" ? definition["name"] : "";
      const problem = await tryOne(name, own);
      if (problem === null) continue;
      counts.sent += 1;
      if (problem === "") counts.clean += 1;
      else counts.problems.push(`${own}: ${problem}`);
    }
    return counts;
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
  const answer = await rest("POST", `/${name}/call/${definition}`, { arguments: example });
  const result = isObject(answer["data"]) ? answer["data"] : {};
  const headers = isObject(result["headers"]) ? result["headers"] : {};
  const violations = headers["sl-violations"];
  if (result["status"] === undefined) return JSON.stringify(answer).slice(0, 200);
  if (typeof violations === "string" && /"location":\["request/.test(violations))
    return violations.slice(0, 200);
  if (result["status"] === 422 || result["status"] === 400)
    return JSON.stringify(result["body"]).slice(0, 200);
  return "";
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

function withoutSecurity(value: unknown): Record<string, unknown> {
  const copy: unknown = JSON.parse(JSON.stringify(value), (key, item: unknown) =>
    key === "security" && Array.isArray(item) ? [] : item,
  );
  return isObject(copy) ? copy : {};
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let waited = 0; waited < 300 && child.exitCode === null; waited++) {
    if ((await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error("Prism did not start");
}
