import type { Clock } from "../ports/platform.ts";
import type { ConnectionRecord, DefinitionHead, DefinitionRecord } from "../ports/connections.ts";
import type { Store } from "../ports/store.ts";

/** How long another replica's change may go unnoticed. */
const CHECK_MS = 1_000;
const MOST_KEPT = 500;

/**
 * What is known of connections and definitions, kept in memory while the revision stands. Heads are few bytes each and
 * all kept, so that a search and the engine's decisions need no query; schemas are kept for those that are used.
 */
export class DefinitionIndex {
  readonly #store: Store;
  readonly #clock: Clock;
  #revision = -1;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #heads: readonly DefinitionHead[] = [];
  #byId = new Map<string, DefinitionHead>();
  #texts: readonly string[] = [];
  readonly #definitions = new Map<string, DefinitionRecord | null>();
  readonly #connections = new Map<string, ConnectionRecord | null>();
  #loading: Promise<void> | null = null;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads again what has changed since the last look. */
  async refresh(force = false): Promise<void> {
    if (!force && this.#clock.now() - this.#checkedAt < CHECK_MS) return;
    await (this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    }));
  }

  async #load(): Promise<void> {
    const { connections } = this.#store.read;
    const revision = await connections.revision();
    if (revision !== this.#revision) {
      const heads = await connections.heads();
      this.#heads = heads;
      this.#byId = new Map();
      for (const head of heads) {
        const source = `${head.connection}:${head.sourceName}`;
        if (!this.#byId.has(source)) this.#byId.set(source, head);
      }
      for (const head of heads) this.#byId.set(`${head.connection}:${head.name}`, head);
      this.#texts = heads.map(({ connection, name, title, description }) =>
        `${connection}:${name} ${title} ${description}`.toLowerCase(),
      );
      this.#definitions.clear();
      this.#connections.clear();
      this.#revision = revision;
    }
    this.#checkedAt = this.#clock.now();
  }

  /** What is known at once; as old as the last refresh. */
  head(id: string): DefinitionHead | undefined {
    return this.#byId.get(id);
  }

  get heads(): readonly DefinitionHead[] {
    return this.#heads;
  }

  async connection(name: string): Promise<ConnectionRecord | null> {
    await this.refresh();
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const record = await this.#store.read.connections.get(name);
    keep(this.#connections, name, record);
    return record;
  }

  /** What was just observed of a connection, without a query. */
  observed(name: string, state: ConnectionRecord["state"], problem: string | null): void {
    const known = this.#connections.get(name);
    if (known && known.state !== "syncing") this.#connections.set(name, { ...known, state, problem });
  }

  async definition(connection: string, name: string): Promise<DefinitionRecord | null> {
    await this.refresh();
    const id = `${connection}:${name}`;
    const known = this.#definitions.get(id);
    if (known !== undefined) return known;
    const record = await this.#store.read.connections.definition(connection, name);
    keep(this.#definitions, id, record);
    return record;
  }

  /** Those that have every word, the better match first: in the name, in the title, anywhere. */
  async search(text: string, limit: number): Promise<readonly DefinitionHead[]> {
    await this.refresh();
    const words = text.toLowerCase().match(/[^\s]+/g) ?? [];
    const ranks: DefinitionHead[][] = [[], [], []];
    this.#heads.forEach((head, index) => {
      if (head.state !== "active") return;
      const whole = this.#texts[index] ?? "";
      if (!words.every((word) => whole.includes(word))) return;
      const name = `${head.connection}:${head.name}`.toLowerCase();
      const isName = words.every((word) => name.includes(word));
      const isTitle = !isName && words.every((word) => head.title.toLowerCase().includes(word));
      ranks[isName ? 0 : isTitle ? 1 : 2]?.push(head);
    });
    return ranks.flat().slice(0, limit);
  }
}

/** The oldest makes room. */
function keep<T>(cache: Map<string, T>, key: string, value: T): void {
  const oldest = cache.size >= MOST_KEPT ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}
