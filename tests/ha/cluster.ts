import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  createWriteStream,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isObject } from "../../src/kernel/json.ts";
import { freePort } from "../support/ports.ts";
import { unprivileged } from "../support/postgres.ts";

/** Seconds after which a leader that says nothing is replaced. Patroni's default is 30. */
const TTL_SECONDS = 5;
const DISK_MB = 700;
/** What Patroni said in the last series. */
const LOGS = fileURLToPath(new URL("../../node_modules/.cache/ha/", import.meta.url));

/** Why the cluster cannot be started here; null when it can. */
export function missingPrograms(): string | null {
  for (const name of ["patroni", "etcd"]) {
    if (spawnSync("which", [name]).status !== 0)
      return `${name} is not installed (apt-get install patroni etcd-server python3-psycopg2)`;
  }
  return binFolder() === undefined ? "PostgreSQL's server programs are not installed" : null;
}

function binFolder(): string | undefined {
  return globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
}

/** One PostgreSQL server under Patroni. */
class Node {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly #api: number;
  readonly #config: string;
  #child: ChildProcess | undefined;

  constructor(folder: string, name: string, ports: readonly [number, number], etcdPort: number) {
    this.name = name;
    [this.port, this.#api] = ports;
    this.folder = join(folder, name);
    this.#config = join(folder, `${name}.json`);
    mkdirSync(this.folder);
    writeFileSync(this.#config, JSON.stringify(this.#settings(etcdPort)));
  }

  /** Puts the node's data on a small disk of its own, when this user may mount one. */
  mount(): boolean {
    return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", this.folder]).status === 0;
  }

  own(): void {
    const { uid, gid } = unprivileged();
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
    chmodSync(this.folder, 0o700);
  }

  start(): void {
    this.#child = spawn("patroni", [this.#config], {
      ...unprivileged(),
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: `${binFolder() ?? ""}:${process.env["PATH"] ?? ""}`, HOME: this.folder, LC_ALL: "C" },
    });
    const log = createWriteStream(join(LOGS, `${this.name}.log`), { flags: "a" });
    this.#child.stdout?.pipe(log, { end: false });
    this.#child.stderr?.pipe(log, { end: false });
  }

  /** Patroni and every process of its PostgreSQL. */
  signal(signal: NodeJS.Signals): void {
    const pidFile = join(this.folder, "data", "postmaster.pid");
    const postmaster = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8").split("\n")[0]) : 0;
    const patroni = this.#child?.pid ?? 0;
    const children = (pid: number): readonly number[] =>
      pid === 0
        ? []
        : spawnSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
            .stdout.split("\n")
            .map(Number)
            .filter((child) => child > 0);
    for (const pid of [patroni, postmaster, ...children(postmaster)]) {
      if (pid === 0) continue;
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended already.
      }
    }
  }

  /** What Patroni says of this node; null when it does not answer. */
  async state(): Promise<{ readonly role: string; readonly state: string; readonly sync: boolean } | null> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#api}/patroni`, {
        signal: AbortSignal.timeout(1_000),
      });
      const state: unknown = await answer.json();
      if (!isObject(state)) return null;
      return {
        role: String(state["role"]),
        state: String(state["state"]),
        sync: state["sync_standby"] === true,
      };
    } catch {
      return null;
    }
  }

  #settings(etcdPort: number): unknown {
    const trust = [
      "local all all trust",
      "host all all 127.0.0.1/32 trust",
      "host replication all 127.0.0.1/32 trust",
    ];
    return {
      scope: "ha",
      name: this.name,
      restapi: { listen: `127.0.0.1:${this.#api}`, connect_address: `127.0.0.1:${this.#api}` },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ttl: TTL_SECONDS,
          loop_wait: 1,
          retry_timeout: 2,
          primary_start_timeout: 0,
          master_start_timeout: 0,
          synchronous_mode: true,
          postgresql: {
            use_pg_rewind: true,
            parameters: {
              max_connections: 200,
              shared_buffers: "64MB",
              wal_log_hints: "on",
              wal_keep_size: "64MB",
              max_wal_size: "128MB",
              min_wal_size: "32MB",
              wal_recycle: "off",
            },
          },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C" }],
        pg_hba: trust,
      },
      postgresql: {
        listen: `127.0.0.1:${this.port}`,
        connect_address: `127.0.0.1:${this.port}`,
        data_dir: join(this.folder, "data"),
        bin_dir: binFolder(),
        pg_hba: trust,
        authentication: {
          superuser: { username: "postgres" },
          replication: { username: "replicator" },
          rewind: { username: "postgres" },
        },
        parameters: { unix_socket_directories: this.folder },
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
      },
    };
  }
}

/** Three PostgreSQL servers with a synchronous standby under Patroni, and an etcd, on this machine. */
export class Cluster {
  readonly nodes: readonly Node[];
  /** False when the nodes' disks cannot be filled without filling the machine's. */
  readonly hasSmallDisks: boolean;
  readonly #folder: string;
  readonly #etcd: ChildProcess;

  private constructor(folder: string, nodes: readonly Node[], etcd: ChildProcess) {
    this.#folder = folder;
    this.#etcd = etcd;
    this.nodes = nodes;
    this.hasSmallDisks = nodes.every((node) => node.mount());
    for (const node of nodes) node.own();
  }

  static async start(folder: string): Promise<Cluster> {
    rmSync(LOGS, { recursive: true, force: true });
    mkdirSync(LOGS, { recursive: true });
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const peer = `http://127.0.0.1:${await freePort()}`;
    const etcd = spawn(
      "etcd",
      [
        "--data-dir",
        join(folder, "etcd"),
        "--listen-client-urls",
        address,
        "--advertise-client-urls",
        address,
        "--listen-peer-urls",
        peer,
        "--initial-advertise-peer-urls",
        peer,
        "--initial-cluster",
        `default=${peer}`,
      ],
      // etcd starts on this processor only with the setting that says that it is not tested there.
      { stdio: "ignore", env: { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch } },
    );
    const nodes: Node[] = [];
    for (const name of ["one", "two", "three"])
      nodes.push(new Node(folder, name, [await freePort(), await freePort()], port));
    const cluster = new Cluster(folder, nodes, etcd);
    for (const node of nodes) {
      node.start();
      await sleep(500);
    }
    await cluster.whole(120_000);
    return cluster;
  }

  url(database: string): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  }

  async primary(): Promise<Node> {
    for (let waited = 0; waited < 600; waited++) {
      for (const node of this.nodes) {
        const state = await node.state();
        if (state?.state === "running" && (state.role === "master" || state.role === "primary")) return node;
      }
      await sleep(100);
    }
    throw new Error("the cluster has no primary");
  }

  /** Waits until all nodes run and one is a synchronous standby. */
  async whole(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const states = await Promise.all(this.nodes.map((node) => node.state()));
      const isWhole =
        states.every((state) => state?.state === "running" || state?.state === "streaming") &&
        states.filter((state) => state?.role === "replica").length === 2 &&
        states.some((state) => state?.sync === true);
      if (isWhole) return;
      if (performance.now() > deadline) throw new Error(`not whole again: ${JSON.stringify(states)}`);
      await sleep(200);
    }
  }

  stop(): void {
    for (const node of this.nodes) {
      node.signal("SIGKILL");
      if (this.hasSmallDisks) spawnSync("umount", ["-l", node.folder]);
    }
    this.#etcd.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
