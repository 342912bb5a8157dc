import type { Person, Scope } from "@workflow-ui/client";
import { external } from "../lib/external.ts";

/*
 * The API key lives in this module's memory and nowhere else: no storage, no cookie, no URL, no state that a
 * developer tool or a crash report would serialise. Closing the page forgets it.
 */
let key: string | null = null;

/** The person who is signed in. The session itself is a cookie that no script can read. */
export interface SessionPerson extends Pick<Person, "id" | "name" | "email" | "role"> {
  readonly scopes: readonly Scope[];
}

/** Whether a key is held, and why one is being asked for; never the key itself. */
export interface SessionView {
  /** Calls go out with a key or a session. */
  readonly keyed: boolean;
  readonly person: SessionPerson | null;
  /** The last answer refused the key that was sent. */
  readonly refused: boolean;
  /** Grows with every change of key, so that cached answers are kept apart. */
  readonly generation: number;
  /** The session ended while a person was at work; what they did stays here. */
  readonly ended: boolean;
  /** Set while a person is asked to sign in, or for a key. */
  readonly asking: { readonly reason: string; readonly for: "sign-in" | "key" } | null;
}

/** What the page may know about the session. */
export const session = external<SessionView>({
  keyed: false,
  person: null,
  refused: false,
  generation: 0,
  ended: false,
  asking: null,
});

let waiting: ((given: boolean) => void)[] = [];

/** The header that carries the key, when there is one; otherwise the one that lets a session count. */
export function authHeaders(): Record<string, string> {
  return key === null ? { "X-Suite-Page": "1" } : { Authorization: `Bearer ${key}` };
}

/** A person has signed in, or out. */
export function setPerson(person: SessionPerson | null): void {
  session.update((view) => ({
    ...view,
    person,
    keyed: key !== null || person !== null,
    refused: false,
    generation: view.generation + 1,
    ended: false,
    asking: null,
  }));
  settle(person !== null);
}

/** Takes a key, closes the field and lets waiting calls go on. */
export function giveKey(given: string): void {
  key = given;
  session.update((view) => ({
    ...view,
    keyed: true,
    refused: false,
    generation: view.generation + 1,
    asking: null,
  }));
  settle(true);
}

/** The service did not accept the key: the page says so instead of showing nothing. */
export function markRefused(generation: number): void {
  // An answer to an earlier key says nothing about this one.
  if (session.get().generation !== generation) return;
  if (key !== null) session.update((view) => (view.refused ? view : { ...view, refused: true }));
  // Without a key it was the session that did not count any more.
  else if (session.get().person !== null) {
    setPerson(null);
    session.update((view) => ({ ...view, ended: true }));
  }
}

/** Forgets the key. */
export function forgetKey(): void {
  key = null;
  session.update((view) => ({
    ...view,
    keyed: view.person !== null,
    refused: false,
    generation: view.generation + 1,
  }));
}

/** Opens the key field; resolves true when a key was given, false when the person closed it. */
export function askForKey(reason: string, refused = false): Promise<boolean> {
  return ask({ reason, for: "key" }, refused);
}

/** Asks a person to sign in; resolves true when who is there is known, false when it was declined. */
export function askToSignIn(reason: string): Promise<boolean> {
  return ask({ reason, for: "sign-in" }, false);
}

function ask(asking: SessionView["asking"], refused: boolean): Promise<boolean> {
  session.update((view) => ({ ...view, refused, asking }));
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
