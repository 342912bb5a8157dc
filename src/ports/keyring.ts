import type { Caller } from "./caller.ts";

/** Knows which keys are valid. */
export interface Keyring {
  /** The caller behind a key, or null for every reason it may not be valid. Takes the same time for each of them. */
  authenticate(key: string): Promise<Caller | null> | Caller | null;
}
