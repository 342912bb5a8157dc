import { external } from "../lib/external.ts";

/*
 * The API key lives in this module's memory and nowhere else: no storage, no cookie, no URL, no state that a
 * developer tool or a crash report would serialise. Closing the page forgets it.
 */
let key: string | null = null;

/** Whether a key is held, and why one is being asked for; never the key itself. */
export interface SessionView {
  readonly keyed: boolean;
  /** The last answer refused the key that was sent. */
  readonly refused: boolean;
  /** Grows with every change of key, so that cached answers can be told apart. */
  readonly generation: number;
  /** Set while the key field is open. */
  readonly asking: { readonly reason: string } | null;
}

/** What the page may know about the session. */
export const session = external<SessionView>({ keyed: false, refused: false, generation: 0, asking: null });

let waiting: ((given: boolean) => void)[] = [];

/** The header that carries the key, when there is one. */
export function authHeaders(): Record<string, string> {
  return key === null ? {} : { Authorization: `Bearer ${key}` };
}

/** Takes a key, closes the field and lets waiting calls go on. */
export function giveKey(given: string): void {
  key = given;
  session.update((view) => ({ keyed: true, refused: false, generation: view.generation + 1, asking: null }));
  settle(true);
}

/** The service did not accept the key: the page says so instead of showing nothing. */
export function markRefused(): void {
  if (key !== null) session.update((view) => (view.refused ? view : { ...view, refused: true }));
}

/** Forgets the key. */
export function forgetKey(): void {
  key = null;
  session.update((view) => ({ ...view, keyed: false, refused: false, generation: view.generation + 1 }));
}

/** Opens the key field; resolves true when a key was given, false when the person closed it. */
export function askForKey(reason: string, refused = false): Promise<boolean> {
  session.update((view) => ({ ...view, refused, asking: { reason } }));
  return new Promise((resolve) => waiting.push(resolve));
}

/** Closes the field without a key. */
export function dismissKey(): void {
  session.update((view) => ({ ...view, asking: null }));
  settle(false);
}

function settle(given: boolean): void {
  const all = waiting;
  waiting = [];
  for (const resolve of all) resolve(given);
}
