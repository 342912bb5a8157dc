import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Need } from "../../src/cli/spec.ts";
import { randomHex } from "../../src/kernel/ids.ts";
import { startService, TEST_KEY, type ServiceOverrides, type TestService } from "../support/service.ts";

/** The program. */
export const SUITECTL = fileURLToPath(new URL("../../bin/suitectl.mjs", import.meta.url));

/** How a command ended. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command gets besides its arguments. */
interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Shows the service's key. */
  readonly key?: boolean;
  /** Another folder than the one of the world. */
  readonly cwd?: string;
}

/** A service, and a home of its own for the program. */
export interface CliWorld {
  readonly service: TestService;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs suitectl with these arguments, through pipes. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Pastes a text into a shell. */
  paste(text: string, options?: RunOptions): Promise<Ended>;
  /** Makes what an example needs, newest of its kind. */
  provide(need: Need): Promise<void>;
  close(): Promise<void>;
}

/** Starts a service and makes a home whose PATH has suitectl. */
export async function startCliWorld(overrides: ServiceOverrides = {}): Promise<CliWorld> {
  const folder = await mkdtemp(join(tmpdir(), "suitectl-test-"));
  const database = `sqlite:${join(folder, "service.db")}`;
  const service = await startService({
    ...overrides,
    settings: { databaseUrl: database, ...overrides.settings },
  });
  const bin = join(folder, "bin");
  for (const name of ["bin", "home", "config", "work"]) mkdirSync(join(folder, name));
  symlinkSync(SUITECTL, join(bin, "suitectl"));
  writeFileSync(join(folder, "work", "key.txt"), `${TEST_KEY}\n`, { mode: 0o600 });
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: join(folder, "home"),
    XDG_CONFIG_HOME: join(folder, "config"),
    SUITE_URL: service.url,
    DATABASE_URL: database,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
  const start = (file: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const child = spawn(file, args, {
        cwd: options.cwd ?? join(folder, "work"),
        env: { ...env, ...(options.key === true && { SUITE_API_KEY: TEST_KEY }), ...options.env },
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", reject);
      child.on("close", (status) => resolve({ status, stdout, stderr }));
      child.stdin.on("error", () => {});
      child.stdin.end(options.stdin ?? "");
    });
  return {
    service,
    folder,
    env,
    run: (args, options) => start(process.execPath, [SUITECTL, ...args], options),
    paste: (text, options) => start("bash", ["-c", `set -e\n${text}`], options),
    provide: (need) => provide(service, need),
    async close() {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const HEALTH = { nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] };
const MAP = {
  nodes: [
    {
      id: "each",
      type: "map",
      map: {
        items: ["a", "b"],
        maxItems: 10,
        body: { nodes: [{ id: "health", type: "tool", tool: "get_health" }], edges: [] },
      },
    },
  ],
  edges: [],
};
const ASK = {
  nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?", show: { why: "A test asks." } } }],
  edges: [],
};
const FAIL = {
  nodes: [{ id: "gone", type: "tool", tool: "get_workflow", with: { id: "workflow_gone" } }],
  edges: [],
};

/** Makes a workflow and gives its id. */
export async function createWorkflow(service: TestService, name: string, graph: object): Promise<string> {
  const { envelope } = await service.call("create_workflow", { name, ...graph }, { key: true });
  assert.equal(envelope.ok, true, JSON.stringify(envelope));
  return envelope.data.workflow.id;
}

/** Starts a run and gives its id. */
export async function startRun(service: TestService, graph: object): Promise<string> {
  const id = await createWorkflow(service, "Of a test", graph);
  const { envelope } = await service.call("run_workflow", { id }, { key: true });
  assert.equal(envelope.ok, true, JSON.stringify(envelope));
  return envelope.data.run.id;
}

/** Starts a run that waits for an approval. */
export function startWaitingRun(service: TestService): Promise<string> {
  return startRun(service, ASK);
}

const authorization = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };

async function provide(service: TestService, need: Need): Promise<void> {
  switch (need) {
    case "workflow":
      await createWorkflow(service, "Health check", HEALTH);
      break;
    case "run":
      await startRun(service, HEALTH);
      break;
    case "map-run":
      await startRun(service, MAP);
      break;
    case "failed-run":
      await startRun(service, FAIL);
      break;
    case "waiting-run":
    case "approval":
      await startRun(service, ASK);
      break;
    case "artifact":
      await service.call("save_artifact", { artifact: { title: "Of a test", type: "note" } }, { key: true });
      break;
    case "handoff":
      await receive(service);
      break;
    case "webhook":
      await service.fetch("/api/svc/webhooks", {
        method: "POST",
        headers: authorization,
        body: JSON.stringify({ url: "https://hooks.example.com/of-a-test", types: ["svc.policy.updated"] }),
      });
      break;
    case "connection": {
      const requests = [
        {
          name: "notify",
          method: "POST",
          path: "/notify",
          body: { type: "object", properties: { text: { type: "string" } } },
        },
      ];
      const body = {
        name: "sample",
        kind: "http",
        url: "https://sample.example.com",
        document: { requests },
      };
      await service.fetch("/api/svc/connections/sample", { method: "DELETE", headers: authorization });
      await service.fetch("/api/svc/connections", {
        method: "POST",
        headers: authorization,
        body: JSON.stringify(body),
      });
      break;
    }
    case "service":
    case "key":
    case "key-file":
    case "database":
    case "siblings":
    case "terminal":
      break;
  }
}

/** Hands a packet to the service, as a sibling would. */
async function receive(service: TestService): Promise<void> {
  const { envelope } = await service.call("delegate_artifact", {
    targetService: "sandbox",
    artifact: { title: "In" },
  });
  const packet = {
    ...envelope.data.packet,
    id: `delegation_svc_${randomHex(8)}`,
    from: "sandbox",
    to: "svc",
    dryRun: false,
  };
  const response = await service.fetch("/api/svc/receive-handoff", {
    method: "POST",
    headers: authorization,
    body: JSON.stringify(packet),
  });
  assert.equal(response.status, 202, await response.text());
}
