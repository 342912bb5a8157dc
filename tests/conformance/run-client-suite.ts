import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isObject } from "../../src/kernel/json.ts";
import { playClient } from "./auth-client.ts";

/** A suite whose client scenarios are run. */
export interface ClientSuite {
  readonly suite: "@modelcontextprotocol/conformance" | "mcp-conformance-next";
  /** The revision whose scenarios are run; the released suite runs what it has. */
  readonly revision?: "2026-07-28";
}

const require = createRequire(import.meta.url);
const CHILD = fileURLToPath(new URL("auth-client-child.ts", import.meta.url));
const TIMEOUT_MS = 90_000;

function programOf({ suite }: ClientSuite): string {
  return join(dirname(require.resolve(`${suite}/package.json`)), "dist", "index.js");
}

/** The names of the suite's `auth` scenarios. */
export function authScenarios(suite: ClientSuite): readonly string[] {
  const listed = execFileSync(process.execPath, [programOf(suite), "list", "--client"], { encoding: "utf8" });
  const names = [...listed.matchAll(/^ +- (auth\/\S+)/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`no auth scenarios in:\n${listed}`);
  return names;
}

/** Plays the client for the programs that the suite starts, and gives the address they ask at. */
async function servePlayer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const play = async (): Promise<void> => {
      const { serverUrl, name, context }: Record<string, unknown> = JSON.parse(await text(request));
      await playClient({
        serverUrl: String(serverUrl),
        name: String(name),
        context: isObject(context) ? context : {},
      });
    };
    play().then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("an address expected");
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}

/** Runs one scenario against the client and says whether all its checks passed. */
export async function runClientScenario(
  suite: ClientSuite,
  scenario: string,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-client-run-"));
  const player = await servePlayer();
  const command = `${process.execPath} ${CHILD} ${player.url}`;
  const args = [
    "client",
    "--command",
    command,
    "--scenario",
    scenario,
    "--timeout",
    String(TIMEOUT_MS),
    "-o",
    folder,
  ];
  const child = spawn(process.execPath, [programOf(suite), ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const parts: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => parts.push(text));
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  player.close();
  await rm(folder, { recursive: true, force: true });
  return { passed: status === 0, output: parts.join("") };
}
