import type { Caller } from "./caller.ts";

/** Knows which keys are valid. */
export interface Keyring {
  /** The caller behind a key, or null for every reason it may not be valid. Takes the same time for each of them. */
  authenticate(key: string): Promise<Caller | null> | Caller | null;
}

/** A keyring for what begins with a certain text, such as tokens of people. */
export interface PrefixedKeyring extends Keyring {
  readonly prefix: string;
}
