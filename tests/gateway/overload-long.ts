import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { overload } from "./overload.ts";

/*
 * `npm run overload [-- SECONDS]`: as many clients as saturate the service, then ten times as many, none of which
 * pauses. What is accepted must be answered within a second (99 of 100), what is not gets 503 with Retry-After, and
 * memory stays bounded.
 */

const seconds = Number(process.argv[2] ?? 10);
const SATURATING = 32;
const folder = mkdtempSync(join(tmpdir(), "overload-"));
const child = spawn(process.execPath, [fileURLToPath(new URL("../../src/main.ts", import.meta.url))], {
  env: {
    ...process.env,
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "overload.db")}`,
    SVC_API_KEY: "overload-key-of-24-characters",
    LOG_LEVEL: "error",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
const address = await new Promise<string>((resolve, reject) => {
  child.once("exit", (status) => reject(new Error(`the service ended with ${status}`)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const url = / serves (http\S+)/.exec(line)?.[1];
    if (url !== undefined) resolve(url);
  });
});
const residentMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
const properties = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [
    `member${i}`,
    { type: "array", items: { type: "string", format: "date" } },
  ]),
);
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "render_json_schema_form", arguments: { schema: { type: "object", properties } } },
});

process.stdout.write(
  "| clients | answered/s | refused/s | accepted p99, ms | wrong answers | resident MB |\n|---|---|---|---|---|---|\n",
);
let failed = false;
for (const clients of [SATURATING, SATURATING, SATURATING * 10]) {
  const result = await overload(address, body, clients, seconds);
  const perSecond = (count: number): string => (count / result.seconds).toFixed(0);
  process.stdout.write(
    `| ${clients} | ${perSecond(result.accepted)} | ${perSecond(result.refused)} | ${result.acceptedP99Ms.toFixed(0)} | ${result.wrong} | ${residentMb().toFixed(0)} |\n`,
  );
  failed ||= result.wrong > 0 || result.acceptedP99Ms > 1_000;
}
child.kill("SIGKILL");
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
