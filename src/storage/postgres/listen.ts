import type { Client } from "pg";
import type { Log } from "../../ports/platform.ts";
import { EVENT_CHANNEL, RUN_CHANNEL } from "../channels.ts";
import type { Servers } from "./servers.ts";

/** What the connection is called; a newer build finds processes of an older one by it, so it stays as it was in 0.10.0. */
export const LISTENER = "workflow-ui events";
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** A replica that died before it announced its last events is noticed after at most this time. */
const LOOK_EVERY_MS = 3_000;

/** What a listener receives: how far the outbox goes and which runs are wanted; null when something may have been missed. */
export interface Notices {
  events(sequence: number | null): void;
  wanted(runIds: readonly string[] | null): void;
}

/** Receives the notifications of replicas, over a connection of its own that reconnects by itself. */
export class NoticeListener {
  readonly #servers: Servers;
  readonly #log: Log;
  readonly #notices: Notices;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #delay = FIRST_DELAY_MS;
  #closed = false;

  constructor(servers: Servers, log: Log, notices: Notices) {
    this.#servers = servers;
    this.#log = log;
    this.#notices = notices;
  }

  async start(): Promise<void> {
    if (this.#closed) return;
    this.#look ??= setInterval(() => this.#notices.events(null), LOOK_EVERY_MS).unref();
    const client = new this.#servers.Client({
      keepAlive: true,
      connectionTimeoutMillis: MAX_DELAY_MS,
      application_name: LISTENER,
    });
    this.#client = client;
    client.on("notification", ({ channel, payload = "" }) => {
      if (channel === RUN_CHANNEL) this.#notices.wanted(payload === "" ? null : payload.split(","));
      else this.#notices.events(payload === "" ? null : Number(payload));
    });
    client.on("error", () => this.#again(client));
    client.on("end", () => this.#again(client));
    try {
      await client.connect();
      await client.query(`LISTEN ${EVENT_CHANNEL}; LISTEN ${RUN_CHANNEL}`);
      this.#delay = FIRST_DELAY_MS;
      // Whatever was committed while nobody listened.
      this.#notices.events(null);
      this.#notices.wanted(null);
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
