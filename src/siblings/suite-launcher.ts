import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject } from "../kernel/json.ts";
import { SIBLING_NAMES, type Settings, type SiblingName, type SiblingSettings } from "../ports/settings.ts";

const READY_MS = 60_000;
/** The same ports each time, so that addresses of results outlive a restart; a port that is taken is replaced. */
const FIRST_PORT = 9101;

/** The reference siblings, started beside the service and ended with it. */
export interface LaunchedSuite {
  readonly siblings: Partial<Record<SiblingName, SiblingSettings>>;
  close(): Promise<void>;
}

/**
 * Starts the reference siblings in one process and tells where they are. Their key is new for each
 * start and goes over the child's standard input, where no process list shows it; the same pipe ends the child
 * when this process dies, however it dies.
 */
export async function launchSuite(settings: Pick<Settings, "baseUrl">): Promise<LaunchedSuite> {
  const folder = fileURLToPath(new URL("../../suite/", import.meta.url));
  if (!existsSync(`${folder}node_modules`)) {
    throw new AppError(
      "unavailable",
      "The reference siblings are not installed: `npm start -- --with-suite` in a clone installs them.",
    );
  }
  const key = `suite_${randomHex(24)}`;
  const flags = ["--port", String(FIRST_PORT), "--or-free", "--svc", settings.baseUrl, "--key-from-stdin"];
  const child = spawn(process.execPath, [`${folder}src/main.ts`, ...flags], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.stdin.write(`${key}\n`);
  const urls = await new Promise<Readonly<Record<string, unknown>>>((done, fail) => {
    const late = setTimeout(() => fail(notStarted()), READY_MS);
    child.once("exit", () => fail(notStarted()));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("{")) return;
      clearTimeout(late);
      const started: unknown = JSON.parse(line);
      done(isJsonObject(started) && isJsonObject(started["urls"]) ? started["urls"] : {});
    });
  });
  const siblings: Partial<Record<SiblingName, SiblingSettings>> = {};
  for (const name of SIBLING_NAMES) {
    const url = urls[name];
    if (typeof url === "string") siblings[name] = { url, key };
  }
  return {
    siblings,
    async close() {
      child.stdin.end();
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function notStarted(): AppError {
  return new AppError("unavailable", "The reference siblings did not start.");
}
