import type { Client } from "pg";
import type { Log } from "../../ports/platform.ts";
import { loadDriver } from "./pool.ts";

/** The channel on which replicas tell each other of new events. */
export const EVENT_CHANNEL = "workflow_ui_events";

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** A replica that died before it told of its last events is noticed after at most this time. */
const LOOK_EVERY_MS = 3_000;

/** Hears how far the outbox goes whenever a replica commits events, over a connection of its own that comes back by itself. */
export class EventListener {
  readonly #url: string;
  readonly #log: Log;
  readonly #onNotice: (sequence: number | null) => void;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #delay = FIRST_DELAY_MS;
  #closed = false;

  constructor(url: string, log: Log, onNotice: (sequence: number | null) => void) {
    this.#url = url;
    this.#log = log;
    this.#onNotice = onNotice;
  }

  async start(): Promise<void> {
    if (this.#closed) return;
    this.#look ??= setInterval(() => this.#onNotice(null), LOOK_EVERY_MS).unref();
    const driver = await loadDriver();
    const client = new driver.Client({
      connectionString: this.#url,
      keepAlive: true,
      connectionTimeoutMillis: MAX_DELAY_MS,
      application_name: "workflow-ui events",
    });
    this.#client = client;
    client.on("notification", ({ payload }) =>
      this.#onNotice(payload === undefined ? null : Number(payload)),
    );
    client.on("error", () => this.#again(client));
    client.on("end", () => this.#again(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${EVENT_CHANNEL}`);
      this.#delay = FIRST_DELAY_MS;
      // Whatever was committed while nobody listened.
      this.#onNotice(null);
    } catch {
      this.#again(client);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#look);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #again(lost: Client): void {
    if (this.#closed || this.#client !== lost) return;
    this.#client = undefined;
    void lost.end().catch(() => {});
    this.#log.warn("store.listener_lost", { store: "postgres" });
    this.#timer = setTimeout(() => void this.start(), this.#delay);
    this.#timer.unref();
    this.#delay = Math.min(MAX_DELAY_MS, this.#delay * 2);
  }
}
