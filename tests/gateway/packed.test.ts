import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testPostgres } from "../support/postgres.ts";
import { startServiceProcess, TEST_KEY } from "../support/service.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("the pack that npm start runs serves tools, workers, files, the suite and a clean end", async () => {
  await promisify(execFile)(process.execPath, ["scripts/pack-server.ts"], { cwd: root });
  const folder = await mkdtemp(join(tmpdir(), "packed-"));
  const env = { DATABASE_URL: `sqlite:${join(folder, "test.db")}` };
  const service = await startServiceProcess(env, ["--with-suite"], undefined, join(root, "dist/main.mjs"));
  assert.equal((await service.rpc("tools/list")).json.result.tools.length, 91);
  const saved = await service.call("save_artifact", { artifact: { title: "From a pack" } }, { key: true });
  assert.equal(saved.envelope.ok, true);
  // Inputs are validated in the pooled worker, whose file lies outside the pack.
  const inputs = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const meta = { "svc/document": { inputs } };
  const made = await service.call(
    "create_workflow",
    { name: "Packed", nodes: [{ id: "w", type: "wait", with: { ms: 1 } }] },
    { key: true, meta },
  );
  const run = await service.call(
    "run_workflow",
    { id: made.envelope.data.workflow.id, inputs: { n: "x" } },
    { key: true },
  );
  assert.equal(run.envelope.data.error?.code, "invalid_input", run.text);
  assert.match(run.text, /\/n/);
  assert.equal((await service.fetch("/openapi.yaml")).status, 200);
  // The reference siblings lie outside the pack too: the whole flow runs as after `npm start -- --with-suite`.
  const demo = await promisify(execFile)(
    process.execPath,
    [join(root, "bin/suitectl.mjs"), "demo", "run", "--json"],
    { env: { ...process.env, SUITE_URL: service.url, SUITE_API_KEY: TEST_KEY } },
  );
  const { summary, flow } = JSON.parse(demo.stdout).data;
  assert.deepEqual([summary.probePass, summary.probeFail, summary.probeTimeout], [6, 0, 0], demo.stdout);
  assert.match(flow[3].handoff.resultRef, /\/executions\/execution_/);
  assert.match(flow[4].handoff.resultRef, /^scorecard_/);
  assert.equal(await service.stop(), 0);
  await rm(folder, { recursive: true, force: true });
});

it("the pack holds the parts that are loaded when they are needed: PostgreSQL and MCP clients", async (t) => {
  const server = await testPostgres();
  t.after(() => server.stop());
  const env = { DATABASE_URL: await server.createDatabase(), SVC_TRUSTED_HOSTS: "127.0.0.1" };
  const service = await startServiceProcess(env, [], undefined, join(root, "dist/main.mjs"));
  t.after(() => service.stop("SIGKILL"));
  const saved = await service.call("save_artifact", { artifact: { title: "From a pack" } }, { key: true });
  assert.equal(saved.envelope.ok, true, saved.text);
  const added = await service.fetch("/api/svc/connections", {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "self", kind: "mcp", url: `${service.url}/api/mcp` }),
  });
  const text = await added.text();
  assert.equal(added.status, 201, text);
  assert.equal(JSON.parse(text).data.definitions.length, 91, text.slice(0, 2_000));
  assert.equal(await service.stop(), 0);
});

it("a start of the pack does not load Node's own undici, which an import of node:http would", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "packed-start-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const list = join(folder, "loaded.txt");
  const hook = new URL(`loads-child.ts?to=${encodeURIComponent(list)}`, import.meta.url).href;
  const env = { DATABASE_URL: `sqlite:${join(folder, "test.db")}`, NODE_OPTIONS: `--import=${hook}` };
  const service = await startServiceProcess(env, [], undefined, join(root, "dist/main.mjs"));
  assert.equal((await service.fetch("/livez")).status, 200);
  assert.equal(await service.stop(), 0);
  const loaded = await readFile(list, "utf8");
  assert.match(loaded, /NativeModule http\b/);
  assert.doesNotMatch(loaded, /internal\/deps\/undici/);
});
