import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SIBLING_NAMES, type SiblingName } from "../../src/ports/settings.ts";
import { findBrowser } from "../support/browser.ts";

const MAIN = fileURLToPath(new URL("../../suite/src/main.ts", import.meta.url));

/** The key of the reference siblings in tests. */
export const SUITE_KEY = "suite-key-for-tests-0123456789";

/** A reference sibling in a process of its own. */
export interface SiblingProcess {
  readonly url: string;
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

/** Starts one sibling on a port; resolves when it listens. */
export async function startSibling(
  name: SiblingName,
  options: { readonly port: number; readonly data: string; readonly svc?: string; readonly peers?: string },
): Promise<SiblingProcess> {
  // The first port belongs to the first sibling, so the one wanted here is counted back from its place.
  const first = options.port - SIBLING_NAMES_IN_SUITE.indexOf(name);
  const flags = ["--only", name, "--port", String(first), "--data", options.data];
  if (options.svc !== undefined) flags.push("--svc", options.svc);
  if (options.peers !== undefined) flags.push("--peers", options.peers);
  const child = spawn(process.execPath, [MAIN, ...flags], {
    env: { ...process.env, SUITE_KEY, CHROMIUM_PATH: await findBrowser() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  await new Promise<void>((ready, fail) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) ready();
    });
    child.once("exit", (status) => fail(new Error(`the sibling ${name} ended with ${status}`)));
  });
  return {
    url: `http://127.0.0.1:${options.port}`,
    child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The order of the suite's ports, as suite/src/suite.ts lists them. */
const SIBLING_NAMES_IN_SUITE: readonly SiblingName[] = SIBLING_NAMES;

/** Starts several siblings in one process on free ports, as `npm run suite` does, and tells where they are. */
export async function startSuiteProcess(
  names: readonly SiblingName[],
  data: string,
): Promise<{ readonly urls: Readonly<Record<string, string>>; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [MAIN, "--only", names.join(","), "--port", "0", "--data", data], {
    env: { ...process.env, SUITE_KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const urls = await new Promise<Record<string, string>>((ready, fail) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("{")) ready(JSON.parse(line).urls);
    });
    child.once("exit", (status) => fail(new Error(`the suite ended with ${status}`)));
  });
  return {
    urls,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Asks until there is an answer, for at most thirty seconds. */
export async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > deadline) throw new Error("it did not happen in time");
    await new Promise((done) => setTimeout(done, 100));
  }
}
