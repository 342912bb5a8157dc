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
import { Network } from "./network.ts";

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
  /** Address and port of its PostgreSQL. */
  readonly host: string;
  readonly folder: string;
  readonly #api: string;
  readonly #config: string;
  readonly #network: Network | null;
  #child: ChildProcess | undefined;

  constructor(
    folder: string,
    name: string,
    ports: readonly [number, number],
    etcd: string,
    network: Network | null,
  ) {
    this.name = name;
    const address = network?.address(name) ?? "127.0.0.1";
    [this.host, this.#api] = [`${address}:${ports[0]}`, `${address}:${ports[1]}`];
    this.#network = network;
    this.folder = join(folder, name);
    this.#config = join(folder, `${name}.json`);
    mkdirSync(this.folder);
    writeFileSync(this.#config, JSON.stringify(this.#settings(etcd)));
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
    const [program = "patroni", ...words] =
      this.#network?.command(this.name, unprivileged(), "patroni") ?? [];
    this.#child = spawn(program, [...words, this.#config], {
      // A namespace is entered as root; the command then becomes the other user.
      ...(this.#network === null && unprivileged()),
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
      const answer = await fetch(`http://${this.#api}/patroni`, {
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

  #settings(etcd: string): unknown {
    const from = this.#network?.range ?? "127.0.0.1/32";
    const trust = ["local all all trust", `host all all ${from} trust`, `host replication all ${from} trust`];
    return {
      scope: "ha",
      name: this.name,
      restapi: { listen: this.#api, connect_address: this.#api },
      etcd3: { host: etcd },
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
        listen: this.host,
        connect_address: this.host,
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

/**
 * Three PostgreSQL servers with a synchronous standby under Patroni, and an etcd, on this machine: in network namespaces
 * where this user may make them, otherwise on loopback.
 */
export class Cluster {
  readonly nodes: readonly Node[];
  /** False when the nodes' disks cannot be filled without filling the machine's. */
  readonly hasSmallDisks: boolean;
  /** Null when nodes cannot be cut off from each other here. */
  readonly network: Network | null;
  readonly #folder: string;
  readonly #etcd: ChildProcess;

  private constructor(folder: string, nodes: readonly Node[], etcd: ChildProcess, network: Network | null) {
    this.#folder = folder;
    this.#etcd = etcd;
    this.network = network;
    this.nodes = nodes;
    this.hasSmallDisks = nodes.every((node) => node.mount());
    for (const node of nodes) node.own();
  }

  static async start(folder: string): Promise<Cluster> {
    rmSync(LOGS, { recursive: true, force: true });
    mkdirSync(LOGS, { recursive: true });
    const names = ["one", "two", "three"];
    const network = Network.open(names);
    const host = `${network?.etcd ?? "127.0.0.1"}:${await freePort()}`;
    const address = `http://${host}`;
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
    for (const name of names)
      nodes.push(new Node(folder, name, [await freePort(), await freePort()], host, network));
    const cluster = new Cluster(folder, nodes, etcd, network);
    for (const node of nodes) {
      node.start();
      await sleep(500);
    }
    await cluster.whole(120_000);
    return cluster;
  }

  url(database: string): string {
    const hosts = this.nodes.map(({ host }) => host).join(",");
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
    this.network?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
