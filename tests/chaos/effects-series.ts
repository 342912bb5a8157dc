import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rest, type RestAnswer } from "../connections/rest.ts";
import type { AnswerAt } from "../support/answers.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess, type ToolAnswer } from "../support/service.ts";
import { HTTP_WAYS, PACKET_WAYS, PROGRAM_WAYS, startOracle, type Oracle } from "./effects-oracle.ts";

/*
 * Calls that end in every way, as steps of runs and directly, while nothing happens, while the database is away and while
 * the process is killed. What the service says of each is compared with what the oracle counted.
 */

type Trouble = "none" | "database away" | "process killed";
type Claim = "happened" | "did_not_happen" | "unknown";

interface Call {
  readonly id: string;
  /** `connection:definition`. */
  readonly target: string;
  readonly way: string;
  readonly direct: boolean;
  readonly trouble: Trouble;
}

interface Ended extends Call {
  readonly claim: Claim;
  readonly said: string;
}

/** What a series saw. */
export interface EffectFigures {
  readonly calls: number;
  readonly effects: number;
  readonly claims: Readonly<Record<Claim, number>>;
  readonly outages: number;
  readonly kills: number;
  readonly seconds: number;
}

/** How many calls are made in each kind of trouble, and how many at the same time. */
export interface EffectPlan {
  readonly store: "SQLite" | "PostgreSQL";
  readonly calls: Readonly<Record<Trouble, number>>;
  readonly concurrency: number;
  /** Only calls of these connections. */
  readonly targets?: RegExp;
  /** How long the first outage of the database lasts. */
  readonly outageMs?: number;
}

/** Calls that are answered have time on a busy machine too; nobody waits long for the others. */
const TIMEOUT_MS = 20_000;
const SILENT_MS = 600;
const PROGRAM = fileURLToPath(new URL("effects-program.ts", import.meta.url));
const DISK = fileURLToPath(new URL("effects-disk.ts", import.meta.url));
const PAD = "x".repeat(100_000);
const WAYS = [
  ...Object.keys(HTTP_WAYS).flatMap((way) =>
    ["plain", "keyed", "again"].map((name) => ({ target: `shop:${name}`, way })),
  ),
  ...["plain", "again"].map((name) => ({ target: `dead:${name}`, way: "done" })),
  ...Object.keys(PROGRAM_WAYS).flatMap((way) =>
    ["act", "again"].map((name) => ({ target: `program:${name}`, way })),
  ),
  // Between its failures a sibling answers well, or it would be left alone most of the time.
  ...Object.keys(PACKET_WAYS).flatMap((way) =>
    [way, "done"].flatMap((each) =>
      ["handoff", "report"].map((name) => ({ target: `docs:${name}`, way: each })),
    ),
  ),
  ...["plain", "keyed"].flatMap((name) => [1, 2, 3].map(() => ({ target: `own:${name}`, way: "done" }))),
];
/** A prime number, so that each part of a series meets every kind of call. */
const STRIDE = 41;
const REQUESTS = {
  requests: [
    ...["plain", "keyed", "again"].map((name) => ({
      name,
      method: name === "again" ? "PUT" : "POST",
      path: `/${name}/{id}/{way}`,
      body: { type: "object" },
      ...(name === "keyed" && { headers: { "Idempotency-Key": { type: "string" } } }),
    })),
    { name: "undo", method: "POST", path: "/undo/{id}", body: { type: "object" } },
  ],
};

/** Makes the calls of a plan and compares; throws for the first claims that are not true. */
export async function effectSeries(plan: EffectPlan): Promise<EffectFigures> {
  const begun = Date.now();
  const folder = mkdtempSync(join(tmpdir(), "effects-"));
  const file = join(folder, "effects");
  writeFileSync(file, "");
  const oracle = await startOracle(file);
  const postgres = plan.store === "PostgreSQL" ? await startPostgres() : null;
  const full = join(folder, "full");
  const series = new Series(oracle, file, {
    DATABASE_URL: (await postgres?.createDatabase()) ?? `sqlite:${join(folder, "effects.db")}`,
    SVC_ALLOW_STDIO: "true",
    NODE_OPTIONS: `--import ${DISK}`,
    EFFECTS_FULL: full,
    SUITE_DOCS_URL: oracle.url,
    SUITE_DOCS_KEY: "docs-key",
  });
  series.ways = WAYS.filter(({ target }) => plan.targets?.test(target) ?? true);
  let outages = 0;
  let kills = 0;
  try {
    await series.start();
    const ended: Ended[] = [];
    for (const trouble of ["none", "database away", "process killed"] as const) {
      const going = { on: true };
      const disturb = async (): Promise<void> => {
        for (let between = 0; going.on; between = 3 + Math.random() * 12) {
          // The first comes early in a short series; between two some calls end, also on a busy machine.
          const until = series.ended + between;
          while (going.on && series.ended < until) await pause(20);
          await pause(Math.random() * 200);
          if (!going.on) break;
          if (trouble === "database away") {
            await away(postgres, full, (outages === 0 && plan.outageMs) || 700 + Math.random() * 1_500);
            outages++;
          } else {
            await series.restart();
            kills++;
          }
        }
      };
      const disturbed = trouble === "none" ? Promise.resolve() : disturb();
      ended.push(...(await series.make(plan.calls[trouble], trouble, plan.concurrency)));
      going.on = false;
      await disturbed;
    }
    const counts = new Map([...oracle.counts(), ...(await series.saved())]);
    return {
      ...compare(ended, oracle, counts),
      outages,
      kills,
      seconds: Math.round((Date.now() - begun) / 1_000),
    };
  } finally {
    await series.stop();
    await oracle.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes the database away for a while: SQLite's disk is full, PostgreSQL is killed and started. */
async function away(postgres: TestPostgres | null, full: string, ms: number): Promise<void> {
  if (postgres !== null) {
    await postgres.kill();
    await pause(ms);
    await postgres.start();
    return;
  }
  writeFileSync(full, "");
  await pause(ms);
  rmSync(full);
}

/** The service, its connections and workflows, and the calls. */
class Series {
  readonly #oracle: Oracle;
  readonly #file: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #workflows = new Map<string, Promise<string>>();
  #service: ServiceProcess | null = null;
  #restarting: Promise<void> = Promise.resolve();
  #next = 0;
  /** How many calls have ended. */
  ended = 0;
  ways: readonly { readonly target: string; readonly way: string }[] = WAYS;
  #deaths = 0;

  constructor(oracle: Oracle, file: string, env: Readonly<Record<string, string>>) {
    this.#oracle = oracle;
    this.#file = file;
    this.#env = env;
  }

  async start(): Promise<void> {
    this.#service = await startServiceProcess(this.#env);
    const dead = "http://127.0.0.1:1";
    for (const [name, url] of [
      ["shop", this.#oracle.url],
      ["dead", dead],
    ] as const) {
      await this.#connect({ name, kind: "http", url, document: REQUESTS, allowPrivateOrigin: true });
    }
    await this.#program("program");
  }

  async restart(): Promise<void> {
    const restarting = (async () => {
      await this.#service?.stop("SIGKILL");
      this.#service = await startServiceProcess(this.#env);
    })();
    this.#restarting = restarting;
    await restarting;
  }

  async stop(): Promise<void> {
    await this.#service?.stop("SIGKILL");
  }

  async make(count: number, trouble: Trouble, concurrency: number): Promise<readonly Ended[]> {
    const ended: Ended[] = [];
    let left = count;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        ended.push(await this.#one(trouble));
        this.ended++;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return ended;
  }

  async #one(trouble: Trouble): Promise<Ended> {
    const number = this.#next++;
    const at = (number * STRIDE) % this.ways.length;
    const { target, way } = this.ways[at] ?? { target: "shop:plain", way: "done" };
    // Every other one is answered well when it is repeated.
    const id = `${trouble[0] ?? ""}${number}${number % 2 === 0 ? "r" : "x"}`;
    // What was asked directly while the process is killed gets no answer, so nothing is claimed of it.
    const isAskable = !/^(?:own:|docs:handoff)/.test(target);
    const direct = number % 5 === 0 && isAskable && trouble !== "process killed";
    const call: Call = { id, target: await this.#targetOf(target, way), way, direct, trouble };
    const ended = await (direct ? this.#callDirectly(call) : this.#run(call));
    const [name = ""] = call.target.split(":");
    // A service has 500 connections at most.
    if (/^program\d/.test(name)) await this.#rest("DELETE", `/${name}`).catch(() => null);
    return ended;
  }

  /** A program that dies or hangs takes other calls with it: each has a few calls, one after the other, to itself. */
  async #targetOf(target: string, way: string): Promise<string> {
    if (!target.startsWith("program:") || PROGRAM_WAYS[way]?.unknowable !== true) return target;
    const name = `program${this.#deaths++}`;
    await this.#program(name);
    return target.replace("program:", `${name}:`);
  }

  /** How often each own tool had its effect, by id. */
  async saved(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    let cursor: string | null = null;
    do {
      const meta: object = { "svc/limit": 100, ...(cursor !== null && { "svc/cursor": cursor }) };
      const answer = await this.#ask("list_artifacts", {}, meta);
      const data = answer?.envelope?.data;
      assert.ok(Array.isArray(data?.artifacts), answer?.text);
      for (const { title } of data.artifacts) counts.set(title, (counts.get(title) ?? 0) + 1);
      cursor = data.nextCursor;
    } while (cursor !== null);
    return counts;
  }

  async #callDirectly(call: Call): Promise<Ended> {
    if (call.target === "docs:report") return this.#reportDirectly(call);
    const [connection = "", definition = ""] = call.target.split(":");
    const { body, status } = await this.#rest("POST", `/${connection}/call/${definition}`, {
      arguments: argumentsOf(call),
      timeoutMs: timeoutOf(call.way),
    });
    const { error } = body.data;
    const doubtful = !body.ok && (error?.effect === "unknown" || error?.code === "outcome_unknown");
    const claim: Claim = body.ok ? "happened" : doubtful ? "unknown" : "did_not_happen";
    return { ...call, claim, said: `${status} ${JSON.stringify(error ?? null)}` };
  }

  async #reportDirectly(call: Call): Promise<Ended> {
    const answer = await this.#ask("create_docs_report", { artifact: { title: titleOf(call) } });
    const { ok, data } = answer?.envelope ?? {};
    const effect = data?.error?.effect ?? data?.effect;
    const claim: Claim = ok === true ? "happened" : effect === "unknown" ? "unknown" : "did_not_happen";
    return { ...call, claim, said: answer?.text.slice(0, 1_000) ?? "no answer" };
  }

  async #run(call: Call): Promise<Ended> {
    const workflow = await this.#workflowOf(call.target, timeoutOf(call.way));
    const { id, way } = call;
    const inputs = { id, way, pad: padOf(call), title: titleOf(call) };
    const meta = { "svc/idempotencyKey": `start-${call.id}` };
    let runId: string | null = null;
    let last = "no answer";
    for (let looked = 0; looked < 3_000; looked++) {
      const asked: [name: "run_workflow" | "get_workflow_run", args: object, meta?: object] =
        runId === null
          ? ["run_workflow", { id: workflow, inputs }, meta]
          : ["get_workflow_run", { id: runId }];
      const answer = await this.#ask(...asked);
      const run = answer?.envelope?.data?.run;
      if (typeof run?.id === "string") runId = run.id;
      const step = run?.steps?.find((one) => one.id === "act");
      const report = `${runId} ${run?.status} ${JSON.stringify(step?.error ?? null)}`;
      last = answer?.text.slice(0, 1_000) ?? last;
      if (step?.status === "succeeded") return { ...call, claim: "happened", said: report };
      if (step?.status === "outcome_unknown") return { ...call, claim: "unknown", said: report };
      // The compensation may be cut off itself.
      if (step?.status === "failed" && (run?.status === "succeeded" || run?.status === "waiting"))
        return { ...call, claim: "did_not_happen", said: report };
      assert.ok(!["failed", "cancelled", "timed_out"].includes(run?.status ?? ""), `${call.way}: ${report}`);
      await pause(50);
    }
    return assert.fail(`the run of ${call.id} (${call.target}, ${call.way}) came to nothing: ${last}`);
  }

  /** One workflow for each target: the call, and on its error port the compensation. */
  #workflowOf(target: string, timeoutMs: number): Promise<string> {
    const name = `${target} ${timeoutMs}`;
    const known = this.#workflows.get(name);
    if (known !== undefined) return known;
    const isRepeatable = /:(?:keyed|again|handoff|report)$/.test(target);
    const [id, way, pad, title] = ["id", "way", "pad", "title"].map((name) => ({ $ref: `inputs.${name}` }));
    const works: Readonly<Record<string, object>> = {
      "docs:handoff": {
        type: "handoff",
        handoff: { target: "docs", capability: "report", payload: { title, id } },
      },
      "docs:report": { type: "tool", tool: "create_docs_report", with: { artifact: { title, id } } },
      "own:plain": { type: "tool", tool: "save_artifact", with: { artifact: { title: id, type: "note" } } },
    };
    const keyed = { ...works["own:plain"], idempotencyKey: id };
    const shop = { path: { id, way }, body: { pad } };
    const called = { type: "tool", tool: target, with: target.startsWith("program") ? { id, way } : shop };
    const nodes = [
      {
        id: "act",
        ...(target === "own:keyed" ? keyed : (works[target] ?? called)),
        timeoutMs,
        ...(isRepeatable && { retry: { maxAttempts: 2, backoffMs: 20 } }),
      },
      {
        id: "undo",
        type: "tool",
        tool: "shop:undo",
        with: { path: { id }, body: {} },
      },
    ];
    const edges = [{ from: "act", to: "undo", port: "error" }];
    const shape = { type: "string" };
    const properties = { id: shape, way: shape, pad: shape, title: shape };
    const inputs = { type: "object", properties, required: Object.keys(properties) };
    const meta = { "svc/document": { inputs, policy: { requireApproval: "none" } } };
    const creating = (async () => {
      for (let attempts = 0; attempts < 1_000; attempts++) {
        const key = { ...meta, "svc/idempotencyKey": `make-${name}` };
        const answer = await this.#ask("create_workflow", { name, nodes, edges }, key);
        const id = answer?.envelope?.data?.workflow?.id;
        if (typeof id === "string") return id;
        assert.ok(answer === null || answer.envelope?.data?.adapter === "storage", answer?.text);
        await pause(100);
      }
      return assert.fail(`no workflow for ${target}`);
    })();
    this.#workflows.set(name, creating);
    return creating;
  }

  async #program(name: string): Promise<void> {
    await this.#connect({ name, kind: "mcp", command: process.execPath, args: [PROGRAM, this.#file] });
  }

  async #connect(body: { readonly name: string } & Record<string, unknown>): Promise<void> {
    let refusal: unknown;
    for (let attempts = 0; attempts < 1_000; attempts++) {
      const answer = await this.#rest("POST", "", body).catch(() => null);
      const isThere = answer?.status === 409 && JSON.stringify(answer.body).includes(" named ");
      if (answer?.status === 201 || isThere) return;
      refusal = answer?.body ?? refusal;
      await pause(100);
    }
    assert.fail(`the connection ${body.name} was not made: ${JSON.stringify(refusal)}`);
  }

  async #rest<M extends string, P extends string>(
    method: M,
    path: P,
    body?: unknown,
  ): Promise<RestAnswer<AnswerAt<M, `/api/svc/connections${P}`>>> {
    await this.#restarting;
    assert.ok(this.#service);
    return rest({ ...this.#service, key: TEST_KEY }, method, path, body);
  }

  /** Null when the process was killed in the middle of it. */
  async #ask<N extends string>(name: N, args: unknown, meta?: unknown): Promise<ToolAnswer<N> | null> {
    await this.#restarting;
    assert.ok(this.#service);
    return this.#service.call(name, args, { key: true, meta }).catch(() => null);
  }
}

function argumentsOf(call: Call): Record<string, unknown> {
  const { id, target, way } = call;
  return target.startsWith("program") ? { id, way } : { path: { id, way }, body: { pad: padOf(call) } };
}

function titleOf({ id, way }: Call): string {
  return `${id}/${way}`;
}

function timeoutOf(way: string): number {
  return way.startsWith("no answer") || way === "hangs" ? SILENT_MS : TIMEOUT_MS;
}

function padOf({ way }: Call): string {
  return way === "cut while sending" ? PAD : "";
}

function compare(
  ended: readonly Ended[],
  oracle: Oracle,
  counts: ReadonlyMap<string, number>,
): Omit<EffectFigures, "outages" | "kills" | "seconds"> {
  const wrong: string[] = [];
  const claims = { happened: 0, did_not_happen: 0, unknown: 0 };
  for (const call of ended) {
    const { id, target, way, trouble, claim } = call;
    const count = counts.get(id) ?? 0;
    // A packet whose answer could not be written down may have been sent by another process too.
    const isUnknowable =
      trouble === "process killed" ||
      (trouble === "database away" && target.startsWith("docs:")) ||
      waysOf(target)[way]?.unknowable === true;
    claims[claim]++;
    const problem =
      count > 1
        ? `acted ${count} times`
        : claim === "happened" && count !== 1
          ? "is reported as done and was not"
          : claim === "did_not_happen" && count !== 0
            ? "is reported as not done and was"
            : claim === "unknown" && !isUnknowable
              ? "could be known"
              : count > 0 && oracle.undone(id) > 0
                ? "was compensated though it may have happened"
                : null;
    if (problem !== null) wrong.push(`${id} ${target} "${way}" (${trouble}) ${problem}: ${call.said}`);
  }
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${ended.length} claims:\n${wrong.slice(0, 20).join("\n")}`,
  );
  return { calls: ended.length, effects: [...counts.values()].reduce((sum, n) => sum + n, 0), claims };
}

function waysOf(target: string): typeof PROGRAM_WAYS {
  if (target.startsWith("docs:")) return PACKET_WAYS;
  return target.startsWith("program") ? PROGRAM_WAYS : HTTP_WAYS;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
