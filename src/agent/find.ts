import { LRUCache } from "lru-cache";
import MiniSearch from "minisearch";
import { isJsonObject, type JsonObject, textOr } from "../kernel/json.ts";
import { contextWith } from "../ports/call-context.ts";
import { maySee, type DefinitionHead } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { findRunning } from "../workflows/seen.ts";
import { builtInTemplates } from "../workflows/templates/index.ts";
import { briefly, objectsIn } from "./answers.ts";

/** What can be found. */
export const ENTRY_KINDS = ["tool", "connected", "workflow", "template", "artifact"] as const;
type EntryKind = (typeof ENTRY_KINDS)[number];

interface Entry {
  readonly id: string;
  readonly kind: EntryKind;
  readonly title: string;
  readonly description: string;
  readonly effect?: string;
  /** The names of its arguments. */
  readonly args: string;
}

/** Something that was found, the best first. */
interface Hit extends JsonObject {
  readonly kind: EntryKind;
  readonly name: string;
  readonly title: string;
  readonly summary: string;
}

/** What a search gave. */
interface Findings {
  readonly hits: readonly Hit[];
  readonly cut: readonly EntryKind[];
}

const FIELDS = ["id", "title", "description", "args"];
const OPTIONS = {
  fields: FIELDS,
  storeFields: ["kind"],
  // Names are written in every style: createOrder, create_order, create-order.
  tokenize: (text: string): string[] =>
    text
      .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== ""),
};
const SEARCH = {
  boost: { id: 4, title: 3, args: 1.5 },
  prefix: (word: string): boolean => word.length > 2,
  fuzzy: (word: string): number => (word.length > 4 ? 0.2 : 0),
};
/** Connections with more definitions are found by name, title and description; reading all schemas would take long. */
const MOST_WITH_ARGUMENTS = 500;
/** The newest workflows and artifacts that are searched. */
export const RECORDS = 100;
const SUMMARY = 110;
const INPUT_NAMES = new LRUCache<string, string>({ max: 2_000 });

/** Finds tools, workflows and records by what they are called and what they say. */
export class Finder {
  #own: Index | null = null;
  #connected: { readonly heads: readonly DefinitionHead[]; readonly index: Promise<Index> } | null = null;

  async find(query: string, kinds: readonly EntryKind[], context: CallContext): Promise<Findings> {
    const { services, caller } = context;
    const wants = (kind: EntryKind): boolean => kinds.includes(kind);
    const found: (Entry & { readonly score: number; readonly words: number })[] = [];
    const add = ({ index, entries }: Index): void => {
      for (const { id, score, queryTerms } of index.search(query, SEARCH)) {
        const entry = entries.get(String(id));
        if (entry !== undefined && wants(entry.kind))
          found.push({ ...entry, score, words: new Set(queryTerms).size });
      }
    };
    this.#own ??= indexOf(builtInEntries(services));
    add(this.#own);
    if (wants("connected") && maySee(caller, "")) add(await this.#connectedIndex(services));
    const records = await recordEntries(kinds, context);
    if (records.entries.length > 0) add(indexOf(records.entries));
    return {
      // Only the newest records of these kinds were looked at.
      cut: records.cut,
      // Scores of several indexes do not compare well; how many of the words were found does.
      hits: found
        .sort((one, other) => other.words - one.words || other.score - one.score)
        .map(({ kind, id, title, description, effect, args }) => ({
          kind,
          name: id,
          title,
          summary: briefly(description, SUMMARY),
          ...(effect !== undefined && { effect }),
          ...(args !== "" && { args }),
        })),
    };
  }

  /** Kept while the definitions stay as they are. */
  async #connectedIndex(services: Services): Promise<Index> {
    const heads = await services.connections.heads();
    if (this.#connected?.heads !== heads) this.#connected = { heads, index: connectedIndex(heads, services) };
    return this.#connected.index;
  }
}

interface Index {
  readonly index: MiniSearch<Entry>;
  readonly entries: Map<string, Entry>;
}

function indexOf(entries: readonly Entry[]): Index {
  const index = new MiniSearch<Entry>(OPTIONS);
  index.addAll(entries);
  return { index, entries: new Map(entries.map((entry) => [entry.id, entry])) };
}

function builtInEntries({ catalog }: Services): Entry[] {
  const tools = catalog.tools.map(({ name, title, description, effect, input }): Entry => ({
    id: name,
    kind: "tool",
    title,
    description,
    effect,
    args: argumentNames(JSON.parse(JSON.stringify(input))),
  }));
  const templates = builtInTemplates.map(({ id, name, description }): Entry => ({
    id,
    kind: "template",
    title: name,
    description,
    args: "",
  }));
  return [...tools, ...templates];
}

async function connectedIndex(heads: readonly DefinitionHead[], { store }: Services): Promise<Index> {
  const active = heads.filter(({ state }) => state === "active");
  const args = new Map<string, string>();
  for (const connection of new Set(active.map((head) => head.connection))) {
    if (active.filter((head) => head.connection === connection).length > MOST_WITH_ARGUMENTS) continue;
    for (const { name, definition } of await store.read.connections.definitions(connection))
      args.set(`${connection}:${name}`, argumentNames(definition["inputSchema"]));
  }
  const entries = active.map(({ connection, name, title, description, effect }): Entry => {
    const id = `${connection}:${name}`;
    return { id, kind: "connected", title, description, effect, args: args.get(id) ?? "" };
  });
  const index = new MiniSearch<Entry>(OPTIONS);
  // In pieces: others are served while a large offer is read.
  await index.addAllAsync(entries, { chunkSize: 200 });
  return { index, entries: new Map(entries.map((entry) => [entry.id, entry])) };
}

/** What the caller may see of the newest records, and the kinds that have more. */
async function recordEntries(
  kinds: readonly EntryKind[],
  context: CallContext,
): Promise<{ readonly entries: Entry[]; readonly cut: EntryKind[] }> {
  const { catalog } = context.services;
  const newest = contextWith(context, { meta: { "svc/limit": RECORDS } });
  const found: Entry[] = [];
  const cut: EntryKind[] = [];
  const itemsOf = async (kind: EntryKind): Promise<readonly JsonObject[]> => {
    if (!kinds.includes(kind)) return [];
    const { data } = await catalog.call(`list_${kind}s`, {}, newest);
    if (typeof data["nextCursor"] === "string") cut.push(kind);
    return objectsIn(data[`${kind}s`]);
  };
  for (const item of await itemsOf("workflow"))
    found.push({
      id: textOr(item["id"], ""),
      kind: "workflow",
      title: textOr(item["name"], ""),
      description: textOr(item["description"], ""),
      args: await inputNames(item, context),
    });
  for (const item of await itemsOf("artifact"))
    found.push({
      id: textOr(item["id"], ""),
      kind: "artifact",
      title: textOr(item["title"], ""),
      description: textOr(item["type"], ""),
      args: "",
    });
  return { entries: found, cut };
}

/** The names of a workflow's inputs, of the version that runs. They are read once for each change of it. */
async function inputNames(item: JsonObject, context: CallContext): Promise<string> {
  const { id = "", publishedVersion = null, updatedAt = "", revision = "" } = item;
  const key = JSON.stringify([id, publishedVersion, updatedAt, revision]);
  const known = INPUT_NAMES.get(key);
  if (known !== undefined) return known;
  const { document } = await findRunning(textOr(id, ""), context);
  const names = argumentNames(document["inputs"]);
  INPUT_NAMES.set(key, names);
  return names;
}

/** The names of the arguments, those of grouped ones (path, query, body) too; optional ones end with a question mark. */
export function argumentNames(schema: unknown): string {
  return namesIn(schema, 0).slice(0, 20).join(", ");
}

function namesIn(schema: unknown, depth: number): string[] {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return [];
  const required = JSON.stringify(schema["required"] ?? []);
  return Object.entries(schema["properties"]).flatMap(([name, member]) => {
    const inner = depth < 2 ? namesIn(member, depth + 1) : [];
    const own = required.includes(JSON.stringify(name)) ? name : `${name}?`;
    return inner.length > 0 && depth === 0 ? inner.map((item) => `${name}.${item}`) : [own];
  });
}
