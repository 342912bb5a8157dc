import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { keepGoing, order, STEPS } from "../contest.ts";

/* A webhook that leads through ten Set nodes, executions saved; behind `--n8n`, because installing it takes minutes. */
const wanted = order();
const folder = mkdtempSync(join(tmpdir(), "bench-n8n-"));
const port = 20_000 + (process.pid % 20_000);
const env = {
  ...process.env,
  N8N_USER_FOLDER: folder,
  N8N_PORT: String(port),
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_RUNNERS_ENABLED: "false",
  EXECUTIONS_DATA_SAVE_ON_SUCCESS: "all",
};
const nodes = Array.from({ length: STEPS }, (_, n) => ({
  id: `s${n}`,
  name: `s${n}`,
  type: "n8n-nodes-base.set",
  typeVersion: 3.4,
  position: [200 * (n + 1), 0],
  parameters: { assignments: { assignments: [{ id: `a${n}`, name: "n", type: "number", value: n }] } },
}));
const webhook = {
  id: "hook",
  name: "hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0],
  webhookId: "bench",
  parameters: { path: "bench", httpMethod: "POST", responseMode: "lastNode" },
};
const names = ["hook", ...nodes.map(({ name }) => name)];
const connections = Object.fromEntries(
  names
    .slice(0, -1)
    .map((name, index) => [name, { main: [[{ node: names[index + 1], type: "main", index: 0 }]] }]),
);
const file = join(folder, "workflow.json");
writeFileSync(
  file,
  JSON.stringify([
    { id: "bench", name: "bench", active: true, nodes: [webhook, ...nodes], connections, settings: {} },
  ]),
);
const n8n = (args: readonly string[]): ReturnType<typeof spawn> =>
  spawn("npx", ["--yes", "n8n@2.41.3", ...args], { env, stdio: "ignore" });
await new Promise((resolve) => n8n(["import:workflow", `--input=${file}`]).once("exit", resolve));
const server = n8n(["start"]);
const call = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/webhook/bench`, { method: "POST" });
for (let tries = 0; tries < 240; tries++) {
  if ((await call().catch(() => null))?.ok === true) break;
  await new Promise((resolve) => setTimeout(resolve, 500));
}
await keepGoing("n8n, executions saved", wanted, async () => {
  const answer = await call();
  if (!answer.ok) throw new Error(`n8n answered ${answer.status}`);
  await answer.text();
});
server.kill();
