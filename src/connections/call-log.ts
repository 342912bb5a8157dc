import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { maskSecrets } from "../kernel/secrets.ts";
import { traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { ConnectionCallRecord, DefinitionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { NewEvent } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";

/** How many calls of a definition are kept. */
const KEEP_EACH = 50;
const MAX_KEPT_CHARS = 16_000;
const FLUSH_MS = 200;
const MAX_WAITING = 500;
/** How long an answer waits for the record of its call: the effect has happened, whatever the store does. */
const ANSWER_WAIT_MS = 1_000;
const CLOSE_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const BATCH = 100;
/** While the store is away, this many records are kept whole, and this many more without their values. */
const MAX_WHOLE = 1_000;
const MAX_OWED = 20_000;

/** How a call ended. */
export interface EndedCall {
  readonly record: DefinitionRecord;
  readonly args: JsonObject;
  readonly ok: boolean;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly elapsedMs: number;
  readonly result: JsonObject | null;
  readonly context: CallContext;
}

interface WaitingCall {
  readonly ended: EndedCall;
  readonly at: string;
  /** Made with the call: history is in the order of ids, and reads are written later than writes. */
  readonly id: string;
}

interface Entry {
  readonly call: ConnectionCallRecord;
  readonly event: NewEvent | null;
  readonly fact: ProvenanceFact | null;
}

/**
 * Keeps the last calls of each definition. Calls that can change something are on disk with their event and provenance
 * before their answer is given; reads are written a little later, many at once. While the store is away records wait in
 * memory: an answer says what its server did, never that its record could not be written.
 */
export class CallLog {
  readonly #services: () => Services;
  /** Reads that are not written yet, by definition: no more of each than are kept. */
  #waiting = new Map<string, WaitingCall[]>();
  #timer: NodeJS.Timeout | null = null;
  #owed: Entry[] = [];
  #writing: Promise<void> | null = null;
  #dropped = 0;
  #closed = false;

  constructor(services: () => Services) {
    this.#services = services;
  }

  /** Notes a call; resolves when what must be durable is, or when the store takes too long. */
  async add(ended: EndedCall): Promise<void> {
    const services = this.#services();
    if (services.store.kind === "none" || ended.context.dryRun === true) return;
    const at = new Date(services.clock.now()).toISOString();
    const call = { ended, at, id: newId("call") };
    if (ended.record.effect === "read") this.#wait(call);
    else await atMost(ANSWER_WAIT_MS, this.#owe([entryOf(call)]));
  }

  #wait(call: WaitingCall): void {
    const { connection, sourceName } = call.ended.record;
    const key = `${connection}:${sourceName}`;
    const calls = this.#waiting.get(key);
    // When storage is slower than the calls, reads are not all remembered.
    if (calls === undefined && this.#waiting.size < MAX_WAITING) this.#waiting.set(key, [call]);
    else if (calls !== undefined && calls.push(call) > KEEP_EACH) calls.shift();
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes what waits, for as long as a service that ends may wait. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const entries = [...this.#waiting.values()].flat().map(entryOf);
    this.#waiting = new Map();
    return atMost(CLOSE_WAIT_MS, this.#owe(entries));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    this.#dropped += this.#owed.length;
    this.#owed = [];
    this.#sayDropped();
  }

  /** Resolves when everything that is owed now is written. */
  #owe(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      if (this.#owed.length >= MAX_OWED) this.#dropped++;
      else this.#owed.push(this.#owed.length < MAX_WHOLE ? entry : withoutValues(entry));
    }
    if (this.#writing === null && this.#owed.length > 0) {
      this.#writing = this.#writeAll().finally(() => {
        this.#writing = null;
      });
    }
    return this.#writing ?? Promise.resolve();
  }

  async #writeAll(): Promise<void> {
    const services = this.#services();
    let retryMs = FIRST_RETRY_MS;
    let isRepeated = false;
    // A batch stays the same until it is written: one that was committed unseen is recognised by its first id.
    for (let size = 0; this.#owed.length > 0;) {
      size = isRepeated ? size : Math.min(this.#owed.length, BATCH);
      try {
        await write(services, this.#owed.slice(0, size));
      } catch (error) {
        const code = error instanceof AppError ? error.code : "internal";
        if (code === "storage_unavailable" && !this.#closed) {
          isRepeated = true;
          services.log.warn("call records delayed", { retryMs, count: this.#owed.length });
          await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
          retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
          continue;
        }
        if (!(code === "conflict" && isRepeated)) {
          services.log.warn("calls not kept", { code, dropped: size }, error);
        }
      }
      this.#owed.splice(0, size);
      isRepeated = false;
      retryMs = FIRST_RETRY_MS;
      this.#sayDropped();
    }
  }

  #sayDropped(): void {
    if (this.#dropped === 0) return;
    this.#services().log.error("calls not kept", { code: "storage_unavailable", dropped: this.#dropped });
    this.#dropped = 0;
  }
}

function withoutValues({ call, event, fact }: Entry): Entry {
  return { call: { ...call, arguments: null, result: null }, event, fact };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}

async function write(services: Services, entries: readonly Entry[]): Promise<void> {
  const events = entries.flatMap(({ event }) => event ?? []);
  const facts = entries.flatMap(({ fact }) => fact ?? []);
  await services.store.transact(async (tx) => {
    await tx.connections.insertCalls(
      entries.map(({ call }) => call),
      KEEP_EACH,
    );
    if (events.length > 0) await tx.events.append(events);
    if (facts.length > 0) await services.provenance.append(tx, facts);
  });
}

function entryOf({ ended, at, id: callId }: WaitingCall): Entry {
  const { record, args, ok, outcome, httpStatus, elapsedMs, result, context } = ended;
  const masked = maskSecrets(args);
  const call: ConnectionCallRecord = {
    id: callId,
    connection: record.connection,
    definition: record.sourceName,
    at,
    by: context.caller.id,
    ok,
    outcome,
    httpStatus,
    elapsedMs: Math.round(elapsedMs),
    digest: record.digest,
    runId: runOfCall(context.meta),
    arguments: isJsonObject(masked) ? bounded(masked) : null,
    result: result === null ? null : boundedResult(result),
  };
  if (record.effect === "read") return { call, event: null, fact: null };
  const id = `${record.connection}:${record.name}`;
  const about = { id: call.id, connection: record.connection, definition: record.name };
  return {
    call,
    event: {
      type: "svc.connection.called",
      subject: id,
      traceparent: traceparentOf(context.trace),
      data: { ...about, effect: record.effect, ok, outcome, by: call.by, elapsedMs: call.elapsedMs },
      publicData: null,
      madeIn: call.runId,
    },
    fact: {
      kind: "connection_call",
      subjectId: call.id,
      ...(call.runId !== null && { runId: call.runId }),
      digest: digestOf({ definition: record.digest, arguments: call.arguments, ok, outcome }),
      privacy: "confidential",
      predicate: {
        ...about,
        definitionDigest: record.digest,
        effect: record.effect,
        ok,
        outcome,
        by: call.by,
      },
    },
  };
}

function bounded(value: JsonObject): JsonObject | null {
  return JSON.stringify(value).length <= MAX_KEPT_CHARS ? value : null;
}

function boundedResult(result: JsonObject): JsonObject | null {
  // Masking walks everything: what is surely too long is not masked to find that out.
  if (JSON.stringify(result).length > MAX_KEPT_CHARS * 4) return null;
  const masked = maskSecrets(result);
  return isJsonObject(masked) ? bounded(masked) : null;
}
