import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

const PROJECT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const NOBODY = 65_534;
const KEY = "read-only-root-key-0123456789";

/** A new root: everything that is here, read-only, with one folder that can be written. */
const SCRIPT = `
set -e
mount --bind / "$NEW_ROOT"
mount -o remount,bind,ro "$NEW_ROOT"
mount --bind "$PROJECT" "$NEW_ROOT$PROJECT"
mount -o remount,bind,ro "$NEW_ROOT$PROJECT"
mount --rbind /proc "$NEW_ROOT/proc"
mount --rbind /dev "$NEW_ROOT/dev"
mount --bind "$DATA" "$NEW_ROOT$DATA"
exec chroot --userspec=${NOBODY}:${NOBODY} "$NEW_ROOT" /bin/sh -c '
cd "$PROJECT"
if touch "$PROJECT/src/written" 2>/dev/null; then echo "the root can be written"; exit 9; fi
exec "$NODE" "$PROJECT/src/main.ts"'
`;

it("runs as an unprivileged user with a read-only root and one folder for its data", async (t) => {
  const other = { uid: NOBODY, gid: NOBODY };
  if (process.getuid?.() !== 0 || spawnSync("unshare", ["--mount", "true"]).status !== 0)
    return t.skip("no right to make a root of its own");
  if (spawnSync(process.execPath, ["--version"], other).status !== 0)
    return t.skip("the project lies where another user may not look");
  const folder = mkdtempSync(join(tmpdir(), "read-only-root-"));
  const [root, data] = [join(folder, "root"), join(folder, "data")];
  for (const path of [root, data]) mkdirSync(path);
  spawnSync("chmod", ["755", folder]);
  chownSync(data, NOBODY, NOBODY);
  const life = async (work: (url: string) => Promise<void>): Promise<void> => {
    const child = spawn("unshare", ["--mount", "--propagation", "private", "/bin/sh", "-c", SCRIPT], {
      env: {
        PATH: process.env["PATH"],
        PROJECT,
        NODE: process.execPath,
        NEW_ROOT: root,
        DATA: data,
        PORT: "0",
        LOG_LEVEL: "error",
        SVC_API_KEY: KEY,
        DATABASE_URL: `sqlite:${join(data, "workflow-ui.db")}`,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
    const ended = new Promise<unknown>((resolve) => {
      child.once("exit", (status, signal) => resolve(signal ?? status));
    });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const found = / serves (http\S+)/.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once("exit", (status) => reject(new Error(`ended with ${status}: ${complaint}`)));
    });
    try {
      assert.equal(statSync(`/proc/${child.pid}`).uid, NOBODY, "the user it runs as");
      await work(url);
    } finally {
      child.kill("SIGTERM");
      assert.equal(await ended, 0, complaint);
    }
  };
  try {
    let artifactId = "";
    await life(async (url) => {
      assert.equal((await fetch(`${url}/livez`)).status, 200);
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      assert.equal((await call(url, "tools/list", {})).result.tools.length, 91);
      const form = await tool(url, "render_mcp_tool_form", { toolName: "create_workflow" });
      assert.match(form.formId, /^form_/);
      const artifact = { title: "kept", type: "note", content: { text: "x" } };
      artifactId = (await tool(url, "save_artifact", { artifact })).artifact.id;
      const nodes = [{ id: "a", type: "tool", tool: "get_agent_platform", with: { id: "mcp-client" } }];
      const { workflow } = await tool(url, "create_workflow", { name: "w", nodes, edges: [] });
      const { run } = await tool(url, "run_workflow", { id: workflow.id });
      for (let at = 0; ; at++) {
        const { status } = (await tool(url, "get_workflow_run", { id: run.id })).run;
        if (status === "succeeded") break;
        assert.ok(at < 300 && status !== "failed", status);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      // A document that a worker thread reads.
      const imported = await fetch(`${url}/api/svc/workflows/import`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: "nodes: []\nedges: []" }),
      });
      assert.equal(imported.status, 200);
    });
    await life(async (url) => {
      assert.equal((await tool(url, "get_artifact", { id: artifactId })).artifact.title, "kept");
    });
    assert.ok(readdirSync(data).includes("workflow-ui.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function call(url: string, method: string, params: unknown) {
  const response = await fetch(`${url}/api/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return JSON.parse(await response.text());
}

async function tool(url: string, name: string, args: unknown) {
  const { result, error } = await call(url, "tools/call", { name, arguments: args });
  assert.equal(result?.structuredContent?.ok, true, JSON.stringify(error ?? result));
  return result.structuredContent.data;
}
