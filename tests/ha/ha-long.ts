import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { arch, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { json, startApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { withClient } from "../support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { Cluster, missingPrograms } from "./cluster.ts";

/*
 * `npm run ha`: three replicas of the service on three PostgreSQL servers with a synchronous standby under Patroni and
 * etcd, from Debian's packages. Clients start runs while the primary is killed five times, is frozen, is cut off from
 * its standbys, is cut off from everything, and has a full disk. Every acknowledged run is there in the end, no effect was repeated, and writes worked again soon.
 */
const KILLS = 5;
const CLIENTS_EACH = 3;
/** Between two faults, so that the cluster is seen to work. */
const CALM_MS = 3_000;

const reason = missingPrograms();
if (reason !== null) {
  console.log(`skipped: ${reason}`);
  process.exit(0);
}

/** A run that a replica said it had started. */
interface Acknowledged {
  readonly id: string;
  readonly replica: number;
  readonly at: number;
}

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-ha-"));
chmodSync(folder, 0o755);
const plain = new Map<string, number>();
const keyed = new Map<string, number>();
const oracle = await startApiServer({
  // Counts every request: nothing but the engine keeps it from acting twice.
  "POST /plain": (request, response) => {
    const { run } = JSON.parse(request.body.toString());
    plain.set(run, (plain.get(run) ?? 0) + 1);
    void json({ done: true }, 201)(request, response);
  },
  "POST /keyed": (request, response) => {
    const key = String(request.headers["idempotency-key"]);
    keyed.set(key, (keyed.get(key) ?? 0) + 1);
    void json({ done: true }, 201)(request, response);
  },
});
const cluster = await Cluster.start(folder);
const replicas: ServiceProcess[] = [];
const acknowledged: Acknowledged[] = [];
const refusals = new Map<string, number>();
const stop = new AbortController();

try {
  const primary = await cluster.primary();
  await withClient(`postgres://postgres@${primary.host}/postgres`, (client) =>
    client.query("CREATE DATABASE service"),
  );
  const env = {
    DATABASE_URL: cluster.url("service"),
    SVC_TRUSTED_HOSTS: "127.0.0.1",
    SVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  };
  for (let n = 0; n < 3; n++) replicas.push(await startServiceProcess(env));
  const [first] = replicas;
  assert.ok(first !== undefined);
  const workflowId = await prepare(first);
  const clients = replicas.flatMap((service, replica) =>
    Array.from({ length: CLIENTS_EACH }, () => keepStarting(service, replica, workflowId)),
  );
  await untilAllAcknowledge(90_000);

  const rows: string[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    const node = await cluster.primary();
    rows.push(
      await during(`primary killed (SIGKILL of the whole node), ${kill}`, () => node.signal("SIGKILL")),
    );
    node.start();
    await cluster.whole(120_000);
  }
  const frozen = await cluster.primary();
  rows.push(await during("primary frozen (SIGSTOP of the whole node)", () => frozen.signal("SIGSTOP")));
  frozen.signal("SIGCONT");
  await cluster.whole(120_000);
  if (cluster.network !== null)
    for (const cut of ["other nodes and etcd", "everything"] as const) {
      const alone = await cluster.primary();
      rows.push(await during(`primary cut off from ${cut}`, () => cluster.network?.cut(alone.name, cut)));
      cluster.network.heal(alone.name);
      await cluster.whole(120_000);
      assert.notEqual(await cluster.primary(), alone, "another node is the primary");
    }
  else console.log("skipped: to cut nodes off needs ip, ping and the right to make network namespaces");
  if (cluster.hasSmallDisks) {
    const full = await cluster.primary();
    rows.push(
      await during("disk of the primary full", async () => {
        await fill(full.folder);
        // The next segments of the write-ahead log have no room: the server ends, and another takes its place.
        const address = `postgres://postgres@${full.host}/service`;
        for (let segment = 0; segment < 20 && (await cluster.primary()) === full; segment++) {
          await withClient(address, (client) => client.query("SELECT pg_switch_wal()")).catch(
            () => undefined,
          );
          await sleep(200);
        }
      }),
    );
    assert.notEqual(await cluster.primary(), full, "another node is the primary");
    rmSync(join(full.folder, "ballast"));
    await cluster.whole(120_000);
  } else console.log("skipped: the full disk needs the right to mount a tmpfs");

  stop.abort();
  await Promise.all(clients);
  const states = await settle(first);
  const twice = [...plain].filter(([, count]) => count > 1);
  const repeatedUnderKey = [...keyed.values()].reduce((sum, count) => sum + count - 1, 0);
  const { problems } = await checkDatabase(cluster.url("service"));
  console.log(
    [
      "",
      "| fault | writes refused or waiting for at most | acknowledged before → after |",
      "|---|---|---|",
      ...rows,
      "",
      `Acknowledged runs: ${acknowledged.length}; by state: ${JSON.stringify(Object.fromEntries(states))}.`,
      `Effects without a key: ${plain.size}, repeated: ${twice.length}. Effects under a key: ${keyed.size}, requests repeated under their key: ${repeatedUnderKey}.`,
      `Refused requests: ${JSON.stringify(Object.fromEntries(refusals))}. db check: ${problems.length} problems.`,
      `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model ?? arch()}, Node ${process.version}`,
    ].join("\n"),
  );
  assert.deepEqual(twice, [], "an effect was repeated");
  assert.deepEqual(problems, []);
  assert.equal(states.get("missing") ?? 0, 0, "an acknowledged run is gone");
  assert.equal(states.get("running") ?? 0, 0, "a run did not end");
} finally {
  stop.abort();
  await Promise.all(replicas.map((service) => service.stop("SIGKILL")));
  await oracle.close();
  cluster.stop();
}
process.exit(0);

/** Connects the oracle and makes the workflow: a call that may not be repeated, and one under a key. */
async function prepare(service: ServiceProcess): Promise<string> {
  const body = { type: "object", properties: { run: { type: "string" } } };
  const requests = ["plain", "keyed"].map((name) => ({ name, method: "POST", path: `/${name}`, body }));
  const mine = { ...service, key: TEST_KEY };
  const connection = {
    name: "oracle",
    kind: "http",
    url: oracle.url,
    document: { requests },
    allowPrivateOrigin: true,
  };
  const added = await rest(mine, "POST", "", connection);
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const edited = await rest(mine, "PATCH", "/oracle/definitions/keyed", {
    idempotencyHeader: "Idempotency-Key",
  });
  assert.equal(edited.status, 200, JSON.stringify(edited.body));
  const graph = {
    name: "Failover",
    nodes: [
      { id: "plain", type: "tool", tool: "oracle:plain", with: { body: { run: { $ref: "$inputs.mark" } } } },
      {
        id: "keyed",
        type: "tool",
        tool: "oracle:keyed",
        with: { body: {} },
        retry: { maxAttempts: 5, backoffMs: 50 },
      },
    ],
    edges: [{ from: "plain", to: "keyed" }],
  };
  const inputs = { type: "object", properties: { mark: { type: "string" } } };
  const meta = { "svc/document": { policy: { requireApproval: "none" }, inputs } };
  const created = await service.call("create_workflow", graph, { key: true, meta });
  assert.equal(created.envelope?.ok, true, created.text);
  return created.envelope.data.workflow.id;
}

async function keepStarting(service: ServiceProcess, replica: number, id: string): Promise<void> {
  while (!stop.signal.aborted) {
    try {
      const mark = `${replica}-${performance.now()}-${Math.random()}`;
      const answer = await service.call("run_workflow", { id, inputs: { mark } }, { key: true });
      if (answer.envelope?.ok)
        acknowledged.push({ id: answer.envelope.data.run.id, replica, at: performance.now() });
      else
        note(
          answer.envelope?.data.error?.code ?? answer.envelope?.data.reason ?? answer.json?.error?.data?.code,
        );
    } catch (error) {
      note(String(error));
    }
    await sleep(40);
  }
}

function note(what: unknown): void {
  const name = String(what);
  refusals.set(name, (refusals.get(name) ?? 0) + 1);
}

/** Waits until every replica acknowledges runs at a good pace. */
async function untilAllAcknowledge(timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const isBack = (replica: number): boolean =>
    acknowledged.filter(({ at, replica: by }) => by === replica && at > performance.now() - 1_000).length >=
    3;
  while (!replicas.every((_, replica) => isBack(replica))) {
    if (performance.now() > deadline) throw new Error("writes do not work");
    await sleep(50);
  }
}

/** Does harm, waits until every replica has acknowledged again for a while, and says how long none was acknowledged. */
async function during(name: string, harm: () => void | Promise<void>): Promise<string> {
  const before = acknowledged.length;
  const began = performance.now();
  await harm();
  await sleep(CALM_MS);
  await untilAllAcknowledge(90_000);
  const gaps = replicas.map((_, replica) => {
    const times = [
      began,
      ...acknowledged.filter((one) => one.replica === replica && one.at > began).map(({ at }) => at),
    ];
    return Math.max(...times.map((at, nth) => at - (times[nth - 1] ?? at)));
  });
  const row = `| ${name} | ${(Math.max(...gaps) / 1_000).toFixed(1)} s | ${before} → ${acknowledged.length} |`;
  console.log(row);
  return row;
}

/** Fills a disk to its last byte. */
async function fill(disk: string): Promise<void> {
  for (let mebibytes = 64; mebibytes >= 1; mebibytes /= 2) {
    try {
      for (;;) await writeFile(join(disk, "ballast"), Buffer.alloc(mebibytes * 1_048_576), { flag: "a" });
    } catch {
      // It does not fit any more; a smaller piece may.
    }
  }
}

/** Waits until every acknowledged run has ended or waits for a person; counts them by state. */
async function settle(service: ServiceProcess): Promise<Map<string, number>> {
  const deadline = performance.now() + 60_000;
  const states = new Map<string, number>();
  for (const { id } of acknowledged) {
    for (;;) {
      const answer = await service.call("get_workflow_run", { id }, { key: true });
      const state: string = answer.envelope?.data.run?.status ?? "missing";
      if ((state === "running" || state === "queued") && performance.now() < deadline) {
        await sleep(100);
        continue;
      }
      if (state !== "succeeded") console.log(JSON.stringify(answer.envelope));
      states.set(state, (states.get(state) ?? 0) + 1);
      break;
    }
  }
  return states;
}
