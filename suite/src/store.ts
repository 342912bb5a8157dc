import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomHex } from "../../src/kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";

const SAFE = /^[A-Za-z0-9_-]{1,160}$/;

/** Results on disk, so that an address given once answers again after a restart. */
export interface ResultStore {
  put(id: string, record: JsonObject): Promise<void>;
  get(id: string): Promise<JsonObject | null>;
  putFile(id: string, ending: string, content: string | Uint8Array): Promise<void>;
  file(id: string, ending: string): Promise<Uint8Array | null>;
  /** The ids that were put, in no order. */
  ids(): Promise<readonly string[]>;
}

/** A store in a folder of its own: one file a record, written whole or not at all. */
export async function openResults(folder: string): Promise<ResultStore> {
  await mkdir(folder, { recursive: true });
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    const draft = join(folder, `.${name}.${randomHex(6)}`);
    await writeFile(draft, content);
    await rename(draft, join(folder, name));
  };
  const read = async (name: string): Promise<Uint8Array | null> => {
    try {
      return await readFile(join(folder, name));
    } catch {
      return null;
    }
  };
  return {
    put: (id, record) => write(`${checked(id)}.json`, JSON.stringify(record)),
    async get(id) {
      if (!SAFE.test(id)) return null;
      const bytes = await read(`${id}.json`);
      if (bytes === null) return null;
      const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
      return isJsonObject(value) ? value : null;
    },
    putFile: (id, ending, content) => write(`${checked(id)}.${checked(ending)}`, content),
    file: async (id, ending) => (SAFE.test(id) && SAFE.test(ending) ? read(`${id}.${ending}`) : null),
    async ids() {
      const names = await readdir(folder);
      return names
        .filter((name) => name.endsWith(".json") && !name.startsWith("."))
        .map((name) => name.slice(0, -5));
    },
  };
}

function checked(name: string): string {
  if (!SAFE.test(name)) throw new Error("The name of a result is not safe for a file.");
  return name;
}

const HERE = "{{sibling-url}}";

/** The same store for records that name the sibling's own address: kept without it, so that they move along with it. */
export function movable(results: ResultStore, url: string): ResultStore {
  return {
    ...results,
    put: (id, record) => results.put(id, swapped(record, url, HERE)),
    async get(id) {
      const record = await results.get(id);
      return record === null ? null : swapped(record, HERE, url);
    },
  };
}

function swapped(record: JsonObject, from: string, to: string): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(record).replaceAll(from, to));
  return isJsonObject(value) ? value : {};
}
