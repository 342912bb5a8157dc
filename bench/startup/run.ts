import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "../../tests/support/ports.ts";

/*
 * npm run bench:startup [-- --against COMMIT --rounds N]: cold start and idle memory of this tree beside another commit,
 * both packed by their own scripts/pack-server.ts, in the same run, rounds interleaved. Neither instance uses people,
 * OAuth or mail. Prints the medians and their ratio, and exits with 1 when one of them grew by more than 5 %.
 */

/** Version 0.10.0. */
const BEFORE = "ef2d92c0";
const MOST_RATIO = 1.05;
/** An instance is idle this long before its memory is read. */
const IDLE_MS = 3_000;
const GIVE_UP_MS = 60_000;

const { values } = parseArgs({
  options: { against: { type: "string", default: BEFORE }, rounds: { type: "string", default: "9" } },
});
const rounds = Math.max(1, Math.min(99, Math.trunc(Number(values.rounds)) || 9));
const root = fileURLToPath(new URL("../../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "workflow-ui-startup-"));

interface Start {
  readonly ms: number;
  readonly rssMb: number;
}

/** Another commit beside this tree, with the same packages. */
function checkOut(commit: string): string {
  const folder = join(scratch, "other");
  execFileSync("git", ["worktree", "add", "--detach", folder, commit], { cwd: root, stdio: "ignore" });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function pack(folder: string): void {
  execFileSync(process.execPath, ["scripts/pack-server.ts"], { cwd: folder, stdio: "inherit" });
}

/** From spawning the process to its first answer, and what it holds after it has been idle for a moment. */
async function start(folder: string, name: string): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, ["dist/main.mjs"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      PORT: String(port),
      DATABASE_URL: `sqlite:${join(scratch, `${name}.db`)}`,
      LOG_LEVEL: "error",
      SVC_API_KEY: "bench-key-of-24-characters",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
      if (performance.now() - began > GIVE_UP_MS) throw new Error(`${name} did not answer`);
      await wait(2);
    }
    const ms = performance.now() - began;
    await wait(IDLE_MS);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    return { ms, rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024 };
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/livez`)).ok;
  } catch {
    return false;
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

let hasGrown = false;
try {
  const other = checkOut(values.against);
  pack(root);
  pack(other);
  const starts: Record<"before" | "now", Start[]> = { before: [], now: [] };
  // Round 0 makes the databases and fills the caches of the disk; it does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, folder] of [
      ["before", other],
      ["now", root],
    ] as const) {
      const one = await start(folder, name);
      if (round > 0) starts[name].push(one);
    }
    process.stderr.write(`round ${round} of ${rounds}\n`);
  }
  for (const [what, of] of [
    ["cold start, ms", (one: Start) => one.ms],
    ["resident memory when idle, MB", (one: Start) => one.rssMb],
  ] as const) {
    const before = median(starts.before.map(of));
    const now = median(starts.now.map(of));
    const ratio = now / before;
    if (ratio > MOST_RATIO) hasGrown = true;
    process.stdout.write(
      `${what}: ${before.toFixed(1)} at ${values.against}, ${now.toFixed(1)} now, ratio ${ratio.toFixed(3)} (at most ${MOST_RATIO}) ${ratio > MOST_RATIO ? "FAIL" : "ok"}\n`,
    );
  }
} finally {
  execFileSync("git", ["worktree", "remove", "--force", join(scratch, "other")], {
    cwd: root,
    stdio: "ignore",
  });
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = hasGrown ? 1 : 0;
