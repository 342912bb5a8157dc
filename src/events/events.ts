import type { Clock, Fetcher, Log } from "../ports/platform.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import { createEventHub } from "./hub.ts";
import { startJanitor } from "./janitor.ts";
import type { EventOperationParts } from "./operations.ts";
import { createEventStream } from "./stream.ts";
import { createWebhookAdmin } from "./webhook-admin.ts";
import { startDeliverer } from "./webhook-deliverer.ts";

/** What events need. */
export interface EventParts {
  readonly store: Store;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly provenance: Provenance;
  readonly log: Log;
  readonly settings: Pick<Settings, "baseUrl" | "role" | "anonymousForms">;
  /** Nothing is sent before a hold is over. */
  readonly hold: { whenOver<T>(begin: () => T): () => T | null };
}

/** The ways out of the outbox, running. */
export interface Events extends EventOperationParts {
  close(): Promise<void>;
}

/** Starts to follow the outbox: the stream everywhere, webhooks and tidying in processes that work. */
export async function startEvents(parts: EventParts): Promise<Events> {
  const { store, fetcher, clock, log, settings, provenance } = parts;
  const source = `${settings.baseUrl}/api/svc`;
  const hub = await createEventHub(store, log);
  const works = settings.role !== "gateway" && store.kind !== "none";
  const deliverer = parts.hold.whenOver(() =>
    works ? startDeliverer({ store, fetcher, clock, log, source }) : null,
  );
  const janitor = works ? startJanitor(store, clock, log, settings.anonymousForms) : null;
  return {
    webhooks: createWebhookAdmin({ store, clock, provenance }),
    eventStream: createEventStream({ store, hub, source }),
    async close() {
      hub.close();
      await janitor?.close();
      await deliverer()?.close();
    },
  };
}
