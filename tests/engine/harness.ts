import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { openConnections } from "../../src/connections/service.ts";
import { openEngine } from "../../src/engine/open.ts";
import type { EngineOptions, ManagedEngine } from "../../src/engine/engine.ts";
import { createCatalog } from "../../src/gateway/catalog.ts";
import { loadSettings } from "../../src/config.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { traceFrom } from "../../src/kernel/trace.ts";
import type { Caller } from "../../src/ports/caller.ts";
import type { Credentials } from "../../src/ports/credentials.ts";
import { defineTool, type Tool } from "../../src/ports/operations.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import type { Clock, Log } from "../../src/ports/platform.ts";
import type { RunRecord, WorkflowRecord } from "../../src/ports/records.ts";
import type { Services } from "../../src/ports/services.ts";
import type { Settings } from "../../src/ports/settings.ts";
import { Passkeys } from "../../src/access/people/passkeys.ts";
import { StoredRights } from "../../src/access/people/rights.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { createSite } from "../../src/gateway/site.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createSiblings } from "../../src/siblings/siblings.ts";
import { openStore } from "../../src/storage/open.ts";
import { createWorkerPool } from "../../src/workers/pool.ts";
import { documentDigest, documentJson, parseDocument } from "../../src/workflows/document.ts";
import { migratedSqlite } from "../support/sqlite.ts";

const nothingStored = (name: string): Promise<never> => Promise.reject(new Error(`no credential ${name}`));
const NO_CREDENTIALS: Credentials = {
  describe: () => Promise.resolve(null),
  authorize: nothingStored,
  variable: nothingStored,
  keepVariable: nothingStored,
  dropVariable: () => Promise.resolve(),
};

/** A caller with every right. */
export const ADMIN: Caller = { kind: "key", id: "operator", scopes: new Set(["admin"]) };

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** A log that shows what must not happen. */
export const loud: Log = {
  ...silent,
  error(event, fields, cause) {
    process.stderr.write(`${event} ${JSON.stringify(fields)} ${String(cause)}\n`);
  },
};

/** Tools for tests: what they did is counted by step. */
export class Bench {
  readonly calls: {
    readonly tool: string;
    readonly step: string;
    readonly key: string;
    readonly args: JsonObject;
  }[] = [];
  /** Failures still to come, by step. */
  readonly failures = new Map<string, number>();
  /** Steps that wait until they are released, or asked to stop. */
  readonly gates = new Map<string, PromiseWithResolvers<void>>();

  readonly tools: readonly Tool[] = [
    this.#tool("echo", "none", true),
    this.#tool("put", "write", true),
    this.#tool("post", "external", false),
  ];

  #tool(name: string, effect: "none" | "write" | "external", idempotent: boolean): Tool {
    return defineTool({
      name,
      title: name,
      description: "A tool of the tests that gives back its arguments and counts its calls.",
      input: Type.Object({}, { additionalProperties: true }),
      output: jsonObject(),
      access: "public",
      effect,
      idempotent,
      openWorld: false,
      run: async (args, { context }) => {
        const step = textOf(context.meta["svc/stepId"]);
        this.calls.push({
          tool: name,
          step,
          key: textOf(context.meta["svc/idempotencyKey"]),
          args: { ...args },
        });
        const failures = this.failures.get(step) ?? 0;
        if (failures > 0) {
          this.failures.set(step, failures - 1);
          throw new AppError("unavailable", "Not now.");
        }
        const gate = this.gates.get(step);
        if (gate !== undefined) {
          const stopped = new Promise<never>((_, reject) => {
            context.signal.addEventListener("abort", () => reject(new AppError("unavailable", "Stopped.")));
          });
          await Promise.race([gate.promise, stopped]);
        }
        return { ...args };
      },
    });
  }

  /** Makes a step wait. */
  hold(step: string): PromiseWithResolvers<void> {
    const gate = Promise.withResolvers<void>();
    this.gates.set(step, gate);
    return gate;
  }

  count(step: string): number {
    return this.calls.filter((call) => call.step === step).length;
  }
}

/** An engine over a real store, with the tools of a bench. */
export interface Rig {
  readonly bench: Bench;
  readonly services: Services;
  readonly engine: ManagedEngine;
  /** Stores a workflow and gives its id. */
  workflow(document: JsonObject): Promise<string>;
  /** Publishes it as its next version. */
  publish(workflowId: string): Promise<void>;
  start(workflowId: string, inputs?: JsonObject): Promise<RunRecord>;
  /** Starts and waits for the end. */
  run(workflowId: string, inputs?: JsonObject): Promise<RunRecord>;
  /** Ends at once, as a dead process would, or after a grace, and opens another engine over the same database. */
  restart(graceMs?: number): Promise<Rig>;
  close(): Promise<void>;
}

/** What a rig may be given. */
export interface RigOptions {
  readonly databaseUrl?: string;
  readonly clock?: Clock;
  readonly engine?: EngineOptions;
  readonly bench?: Bench;
  readonly log?: Log;
  readonly settings?: Partial<Settings>;
}

/** Opens a rig on a database of its own. */
export async function openRig(options: RigOptions = {}): Promise<Rig> {
  if (options.databaseUrl !== undefined) return openOn(options.databaseUrl, options, async () => undefined);
  const folder = await mkdtemp(join(tmpdir(), "engine-"));
  const databaseUrl = await migratedSqlite(join(folder, "test.db"));
  return openOn(databaseUrl, options, () => rm(folder, { recursive: true, force: true }));
}

async function openOn(databaseUrl: string, options: RigOptions, cleanUp: () => Promise<void>): Promise<Rig> {
  const loaded = loadSettings([], { PORT: "0", DATABASE_URL: databaseUrl });
  if (typeof loaded === "string") throw new TypeError("settings expected");
  const settings = { ...loaded, ...options.settings };
  const clock = options.clock ?? { now: () => Date.now() };
  const log = options.log ?? loud;
  const bench = options.bench ?? new Bench();
  const store = await openStore(databaseUrl, { clock, log });
  const fetcher = createFetcher(settings);
  const validator = createWorkerPool();
  const engine = openEngine({
    settings,
    store,
    clock,
    log,
    ...(options.engine && { options: options.engine }),
  });
  const connections = await openConnections({
    store,
    clock,
    settings,
    programFolder: null,
    services: () => services,
  });
  const provenance = createProvenance({ store, clock });
  const services: Services = {
    settings,
    clock,
    log,
    store,
    catalog: createCatalog({ tools: bench.tools, resources: [], prompts: [] }),
    guard: { check: () => null },
    site: createSite(settings),
    fetcher,
    siblings: createSiblings({ settings, fetcher, clock }),
    engine,
    provenance,
    validator,
    workers: validator,
    credentials: NO_CREDENTIALS,
    connections,
    stepUp: new Passkeys({ store, clock, log, provenance, baseUrl: settings.baseUrl }),
    rights: new StoredRights({ store, clock }),
  };
  await engine.begin(services);
  const closeParts = async (graceMs: number): Promise<void> => {
    await engine.drain(graceMs);
    await engine.close();
    await connections.close();
    await validator.close();
    await fetcher.close();
    await store.close();
  };
  let successor: Rig | null = null;
  const rig: Rig = {
    bench,
    services,
    engine,
    async workflow(document) {
      const parsed = parseDocument({ inputs: { type: "object" }, ...document });
      const at = new Date(clock.now()).toISOString();
      const record: WorkflowRecord = {
        id: newId("workflow"),
        name: "test",
        description: "",
        tags: [],
        status: "draft",
        visibility: "private",
        owner: null,
        revision: 1,
        document: documentJson(parsed.document),
        digest: documentDigest(parsed.document),
        publishedVersion: null,
        publishedTexts: null,
        createdBy: ADMIN.id,
        createdAt: at,
        updatedBy: ADMIN.id,
        updatedAt: at,
      };
      await store.transact((tx) => tx.workflows.insert(record));
      return record.id;
    },
    async publish(workflowId) {
      const record = await store.read.workflows.get(workflowId);
      if (record === null) throw new Error("no such workflow");
      const version = (record.publishedVersion ?? 0) + 1;
      const { digest, document } = record;
      const at = new Date(clock.now()).toISOString();
      await store.transact(async (tx) => {
        const publishedBy = ADMIN.id;
        await tx.workflows.insertVersion({
          workflowId,
          version,
          name: record.name,
          digest,
          document,
          publishedAt: at,
          publishedBy,
          publishedVia: null,
        });
        const next: WorkflowRecord = {
          ...record,
          status: "published",
          publishedVersion: version,
          revision: record.revision + 1,
        };
        await tx.workflows.update(next, record.revision);
      });
    },
    start: (workflowId, inputs = {}) =>
      engine.start({ workflowId, inputs, caller: ADMIN, trace: traceFrom(undefined) }),
    async run(workflowId, inputs = {}) {
      const run = await rig.start(workflowId, inputs);
      return engine.waitFor(run.id, 120_000);
    },
    async restart(graceMs = 0) {
      await closeParts(graceMs);
      successor = await openOn(databaseUrl, { ...options, bench }, cleanUp);
      return successor;
    },
    async close() {
      if (successor !== null) {
        await successor.close();
        return;
      }
      await closeParts(0);
      await cleanUp();
    },
  };
  return rig;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A chain of tool steps `s1 … sN`, each seeing what the one before gave. */
export function chain(length: number, tool = "echo"): JsonObject {
  const ids = Array.from({ length }, (_, index) => `s${index + 1}`);
  return {
    nodes: ids.map((id, index) => ({
      id,
      type: "tool",
      tool,
      with: { n: index, before: index === 0 ? null : { $ref: `$steps.s${index}.outputs#/data/n` } },
    })),
    edges: ids
      .slice(1)
      .map((id, index) => ({ id: `e${index}`, from: ids[index] ?? "", to: id, port: "success" })),
    outputs: { last: { $ref: `$steps.s${length}.outputs#/data/n` } },
  };
}
