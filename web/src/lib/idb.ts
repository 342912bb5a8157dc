import type { JsonObject } from "@workflow-ui/client";
import type { StoredDraft } from "./drafts.ts";

/** A call as this device remembers it. */
interface PastCall {
  readonly id: string;
  readonly tool: string;
  readonly at: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly note: string;
  /** The arguments as JSON text. */
  readonly args: string;
}

/*
 * What the page keeps on this device: drafts of artifacts and workflows, edits with their undo, pinned
 * samples of steps, and a history of calls without secrets.
 * Everything is optional: when the browser forbids storage, the page works and keeps nothing.
 */

const NAME = "workflow-ui";
const STORES = ["drafts", "history", "edits", "pins"] as const;

/** What each store holds. Records of an earlier version may lack members. */
interface Stores {
  readonly drafts: StoredDraft;
  readonly history: PastCall;
  readonly edits: { readonly id: string } & JsonObject;
  readonly pins: { readonly id: string; readonly steps: JsonObject };
}
type LocalStore = keyof Stores;

let opening: Promise<IDBDatabase> | null = null;

function open(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 3);
    request.addEventListener("upgradeneeded", () => {
      const known = request.result.objectStoreNames;
      for (const store of STORES)
        if (!known.contains(store)) request.result.createObjectStore(store, { keyPath: "id" });
    });
    request.addEventListener("success", () => {
      // A page of a later version in another tab may change the stores.
      request.result.addEventListener("versionchange", () => {
        request.result.close();
        opening = null;
      });
      resolve(request.result);
    });
    request.addEventListener("error", () => reject(new Error("Local storage is not available.")));
  });
  return opening;
}

function settle<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(new Error("Local storage refused.")));
  });
}

/** Writes a record under its `id`. */
export async function putLocal(
  store: LocalStore,
  record: { readonly id: string } & Record<string, unknown>,
): Promise<void> {
  const database = await open();
  const transaction = database.transaction(store, "readwrite");
  const written = settle(transaction.objectStore(store).put(record));
  // At once: a page that goes away before the answer comes would lose it.
  transaction.commit();
  await written;
}

/** One record, or undefined. */
export async function getLocal<S extends LocalStore>(store: S, id: string): Promise<Stores[S] | undefined> {
  const database = await open();
  return settle<Stores[S] | undefined>(database.transaction(store).objectStore(store).get(id));
}

/** Every record of a store. */
export async function allLocal<S extends LocalStore>(store: S): Promise<readonly Stores[S][]> {
  const database = await open();
  return settle<Stores[S][]>(database.transaction(store).objectStore(store).getAll());
}

/** Removes a record. */
export async function dropLocal(store: LocalStore, id: string): Promise<void> {
  const database = await open();
  await settle(database.transaction(store, "readwrite").objectStore(store).delete(id));
}
