import type { ClientRequestView } from "../../model/oauth.ts";
import type { Scope } from "../../ports/caller.ts";
import type { Role } from "../../ports/people.ts";
import { roleAllows } from "../people/roles.ts";

/** What each scope lets a client do, in the words of the consent page. */
const WORDS: Readonly<Record<Scope, string>> = {
  "read-private": "See everything you can see: workflows, runs, artifacts, handoffs and their contents.",
  run: "Run workflows and operations of connections, which can change things in other systems.",
  write: "Create, change and delete workflows and artifacts.",
  handoff: "Hand work over to other services of the suite.",
  approve: "Decide approvals in your name, without you.",
  admin: "Everything, and manage keys, people, connections and credentials.",
};

/** The scopes that clients are asked to request; `admin` is given only to a client that names it. */
export const OFFERED_SCOPES = [
  "read-private",
  "run",
  "write",
  "handoff",
  "approve",
] as const satisfies readonly Scope[];
/** Every scope that a client can get. */
export const OAUTH_SCOPES: readonly Scope[] = [...OFFERED_SCOPES, "admin"];
/** What a client gets to ask for when it names no scope of ours. */
const USUAL_SCOPES: readonly Scope[] = ["read-private", "run", "write", "handoff"];
/** What a person switches on, never the page: an agent with it acts where a person was meant to. */
const OFF_AT_FIRST: ReadonlySet<Scope> = new Set<Scope>(["approve", "admin"]);

/** The scopes of ours in a list that is separated by spaces. */
export function scopesIn(text: unknown): readonly Scope[] {
  const named = new Set(typeof text === "string" ? text.split(" ") : []);
  return OAUTH_SCOPES.filter((scope) => named.has(scope));
}

/** What a client asks for: the scopes that it names, or the usual ones. */
export function requestedScopes(text: unknown): readonly Scope[] {
  const named = scopesIn(text);
  return named.length === 0 ? USUAL_SCOPES : named;
}

/** What a client asks for, as a person of this role is shown it. */
export function askedScopes(requested: readonly Scope[], role: Role): ClientRequestView["scopes"] {
  return requested.map((name) => {
    const allowed = roleAllows(role, name);
    return { name, about: WORDS[name], allowed, preset: allowed && !OFF_AT_FIRST.has(name) };
  });
}
