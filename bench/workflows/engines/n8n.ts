import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { decline, keepGoing, order, STEPS } from "../contest.ts";

/*
 * A webhook that leads through ten Set nodes, executions saved; behind `--n8n`, because installing it takes minutes.
 * Where it cannot be installed or does not come up, that is reported instead of a figure.
 */
const VERSION = "2.41.3";
const INSTALL_MS = 8 * 60_000;
const START_MS = 2 * 60_000;
const NAME = `n8n ${VERSION}, executions saved`;

const wanted = order();
const folder = mkdtempSync(join(tmpdir(), "bench-n8n-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
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
install();
const program = join(folder, "node_modules", "n8n", "bin", "n8n");
const n8n = (args: readonly string[]): ReturnType<typeof spawn> =>
  spawn(process.execPath, [program, ...args], { env, stdio: "ignore" });
await new Promise((resolve) => n8n(["import:workflow", `--input=${file}`]).once("exit", resolve));
await new Promise((resolve) => n8n(["update:workflow", "--id=bench", "--active=true"]).once("exit", resolve));
const server = n8n(["start"]);
const call = (): Promise<Response> => fetch(`http://127.0.0.1:${port}/webhook/bench`, { method: "POST" });
if (await answers()) {
  await keepGoing(NAME, wanted, async () => {
    const answer = await call();
    if (!answer.ok) throw new Error(`n8n answered ${answer.status}`);
    await answer.text();
  });
} else {
  decline(NAME, `its webhook did not answer within ${START_MS / 1_000} s on Node ${process.version}`);
}
server.kill();

/** Installs it into the folder, or says why not and ends. */
function install(): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench-n8n", private: true }));
  const { status, stderr } = spawnSync("npm", ["install", "--no-audit", "--no-fund", `n8n@${VERSION}`], {
    cwd: folder,
    encoding: "utf8",
    timeout: INSTALL_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return;
  const reason = /npm error (?:notarget |404 +)?((?:No matching version|'?\S+@\S+' is not).*)/.exec(
    stderr,
  )?.[1];
  const why =
    status === null
      ? `npm was not done after ${INSTALL_MS / 60_000} minutes`
      : `npm refused: ${reason ?? "see its log"}`;
  decline(NAME, why);
  process.exit(0);
}

async function answers(): Promise<boolean> {
  for (const end = Date.now() + START_MS; Date.now() < end;) {
    if ((await call().catch(() => null))?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return false;
}
