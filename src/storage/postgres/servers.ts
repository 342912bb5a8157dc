import type pg from "pg";
import type { Client, ClientConfig } from "pg";
import type { Log } from "../../ports/platform.ts";

type Driver = Pick<typeof pg, "Pool" | "Client" | "types">;

/** How often several servers are asked which of them takes writes, and how long one may take to answer. */
const LOOK_EVERY_MS = 500;
const ANSWER_MS = 1_000;
/** The primary has less time: when it is frozen, another one that says that it takes writes does not wait for it. */
const PRIMARY_ANSWER_MS = 400;

/** The timeline in which a server takes writes, 0 when it takes none. Each promotion of a standby begins a higher one. */
const TIMELINE = `SELECT CASE WHEN current_setting('transaction_read_only') = 'on' THEN 0
  ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::int END AS timeline`;

/** Loads the driver: users of SQLite never pay for it. */
export async function loadDriver(): Promise<Driver> {
  const module = await import("pg");
  return module.default;
}

/** One URL for each host that a database URL names: `postgres://user:password@a:5432,b:5432/database?…`. */
export function serverUrls(url: string): readonly string[] {
  const from = url.indexOf("://") + 3;
  const length = url.slice(from).search(/[/?#]/);
  const to = length === -1 ? url.length : from + length;
  const hosts = Math.max(from, url.lastIndexOf("@", to) + 1);
  return url
    .slice(hosts, to)
    .split(",")
    .map((host) => `${url.slice(0, hosts)}${host}${url.slice(to)}`);
}

/**
 * The servers of a cluster, one of which takes writes. All are asked twice a second; when another one has become the
 * primary, connections to the earlier one are cut, also when it is frozen, or cut off from its standbys, and would keep
 * them waiting.
 */
export class Servers {
  /** Makes connections to the server that takes writes. */
  readonly Client: new (options?: string | ClientConfig) => Client;
  readonly #urls: readonly string[];
  readonly #driver: Driver;
  readonly #log: Log | null;
  readonly #open = new Set<Client>();
  #primary: string;
  /** Of the newest primary that was seen: an earlier one that still takes writes is never gone back to. */
  #timeline = 1;
  #timer: NodeJS.Timeout | undefined;

  private constructor(url: string, driver: Driver, log: Log | null) {
    this.#urls = serverUrls(url);
    this.#primary = this.#urls[0] ?? url;
    this.#driver = driver;
    this.#log = log;
    const primary = (): string => this.#primary;
    const opened = (client: Client): void => this.#opened(client);
    this.Client = class extends driver.Client {
      constructor(options?: string | ClientConfig) {
        super({ ...(typeof options === "object" && options), connectionString: primary() });
        opened(this);
      }
    };
  }

  static async of(url: string, log: Log | null = null): Promise<Servers> {
    const servers = new Servers(url, await loadDriver(), log);
    if (servers.#urls.length === 1) return servers;
    await servers.#look();
    servers.#timer = setInterval(() => void servers.#look(), LOOK_EVERY_MS).unref();
    return servers;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #opened(client: Client): void {
    this.#open.add(client);
    client.once("end", () => this.#open.delete(client));
  }

  async #look(): Promise<void> {
    const timelines = await Promise.all(this.#urls.map((url) => this.#timelineOf(url)));
    const newest = Math.max(...timelines);
    if (newest < this.#timeline) return;
    this.#timeline = newest;
    if (timelines[this.#urls.indexOf(this.#primary)] === newest) return;
    this.#primary = this.#urls[timelines.indexOf(newest)] ?? this.#primary;
    this.#log?.warn("store.other_primary", { store: "postgres", host: new URL(this.#primary).host });
    for (const client of this.#open) client.connection.stream.destroy();
  }

  async #timelineOf(url: string): Promise<number> {
    const answerMs = url === this.#primary ? PRIMARY_ANSWER_MS : ANSWER_MS;
    const client = new this.#driver.Client({
      connectionString: url,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      application_name: "workflow-ui primary",
    });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ timeline: number }>(TIMELINE);
      return rows[0]?.timeline ?? 0;
    } catch {
      return 0;
    } finally {
      client.connection.stream.destroy();
    }
  }
}
