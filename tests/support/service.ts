import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient, type Approval, type Client, type RunDetail } from "../../packages/client/client.ts";
import { startApp, type App, type AppOptions } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";
import type { Settings } from "../../src/ports/settings.ts";
import type { AnswerOf } from "./answers.ts";
import type { Envelope, JsonRpcAnswer } from "./json-rpc.ts";
import { freePort } from "./ports.ts";
import { migratedSqlite } from "./sqlite.ts";

/** The key that services in tests accept. */
export const TEST_KEY = "test-key-with-every-right-0123456789";

/** People of tests sign in hundreds of times; what a hash costs else is no matter of theirs. */
const CHEAP = { memoryKib: 64, passes: 1 };

/** What a test may set: settings, and the parts that an app lets be replaced. */
export interface ServiceOverrides extends AppOptions {
  readonly settings?: Partial<Settings>;
}

/** A service on a free port of this machine, in this process. */
export interface TestService {
  readonly app: App;
  readonly url: string;
  readonly port: number;
  readonly key: string;
  /** Calls a JSON-RPC method over HTTP. */
  rpc(method: string, params?: unknown, headers?: Readonly<Record<string, string>>): Promise<RpcAnswer>;
  /** Calls a tool over HTTP. With `key: true` the request shows the valid key. */
  call<N extends string>(
    name: N,
    args?: unknown,
    options?: { readonly key?: boolean; readonly meta?: unknown },
  ): Promise<ToolAnswer<N>>;
  /** Calls operations and tools by name, typed, with the valid key; throws when what was asked did not happen. */
  readonly client: Client;
  /** Sends any request. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** A JSON-RPC answer as it came. */
export interface RpcAnswer<E = Envelope> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonRpcAnswer;
  /** `result.structuredContent` of a tool call. */
  readonly envelope: E;
}

/** The answer of a tool: what it declares, or an error in its place. Each test looks at the one that it expects. */
export type ToolAnswer<N extends string> = RpcAnswer<{ readonly ok: boolean; readonly data: AnswerOf<N> }>;

/** Starts the real service in this process on a free port, with a database of its own in a temporary folder. */
export async function startService(overrides: ServiceOverrides = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
  const { settings, ...options } = overrides;
  if (settings?.databaseUrl === undefined) await migratedSqlite(join(folder, "test.db"));
  const app = await startApp(
    { ...testSettings(folder), ...settings },
    { checkOutputs: true, passwordCost: CHEAP, ...options },
  );
  const url = `http://127.0.0.1:${app.port}`;
  return {
    app,
    url,
    port: app.port,
    key: TEST_KEY,
    ...clientOf(url),
    async close() {
      await app.close(1_000);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function testSettings(folder: string): Settings {
  const settings = loadSettings([], {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, "test.db")}`,
    SVC_API_KEY: TEST_KEY,
    LOG_LEVEL: "silent",
  });
  if (typeof settings === "string") throw new TypeError("settings expected");
  return settings;
}

/** A service in a process of its own, for tests that kill it. */
export interface ServiceProcess extends Pick<TestService, "url" | "rpc" | "call" | "client" | "fetch"> {
  readonly child: ChildProcess;
  /** Sends a signal and resolves with the exit status or the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts `src/main.ts` as a child process on a free port, where it can start again. `env` adds to and overrides the settings. */
export async function startServiceProcess(
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
  onLine: (line: string) => void = () => undefined,
  entry = fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [entry, ...flags], {
    env: {
      ...process.env,
      PORT: String(await freePort()),
      SVC_API_KEY: TEST_KEY,
      LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (status, signal) => resolve(signal ?? status));
  });
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      onLine(line);
      const found = / serves (http\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (status) => reject(new Error(`the service ended with ${status}: ${errors.join("")}`)));
  });
  return {
    child,
    url,
    ...clientOf(url),
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a workflow until it asks a person; a busy machine answers before it does. */
export async function runToApproval(
  { client }: Pick<TestService, "client">,
  id: string,
): Promise<Omit<RunDetail, "approvals"> & { readonly approvals: readonly [Approval, ...Approval[]] }> {
  let { run } = await client.call("run_workflow", { id });
  for (let n = 0; n < 6_000 && !(run.status === "waiting" && run.approvals?.length); n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ({ run } = await client.call("get_workflow_run", { id: run.id }));
  }
  const [first, ...others] = run.approvals ?? [];
  if (first === undefined) throw new Error(`the run ${run.id} asks nobody: it is ${run.status}`);
  return { ...run, approvals: [first, ...others] };
}

function clientOf(url: string): Pick<TestService, "rpc" | "call" | "client" | "fetch"> {
  let nextId = 1;
  const rpc = async <E>(
    method: string,
    params?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RpcAnswer<E>> => {
    const response = await fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: nextId++, method, ...(params !== undefined && { params }) }),
    });
    const text = await response.text();
    const json = text === "" ? undefined : JSON.parse(text);
    return {
      status: response.status,
      headers: response.headers,
      text,
      json,
      envelope: json?.result?.structuredContent,
    };
  };
  return {
    rpc,
    call: (name, args = {}, { key = false, meta } = {}) =>
      rpc(
        "tools/call",
        { name, arguments: args, ...(meta !== undefined && { _meta: meta }) },
        key ? { authorization: `Bearer ${TEST_KEY}` } : {},
      ),
    client: createClient({ baseUrl: url, headers: () => ({ authorization: `Bearer ${TEST_KEY}` }) }),
    fetch: (path, init) => fetch(`${url}${path}`, init),
  };
}
