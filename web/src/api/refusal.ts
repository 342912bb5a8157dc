import { lackedFor, OperationError, type OperationName, type Rights } from "@workflow-ui/client";
import { SCOPE_WORDS, SCOPES } from "#model/scopes.ts";
import { session, type SessionView } from "./session.ts";

/** Why an operation cannot be called, in one sentence, and whom to ask; empty when it can. */
export function refusalOf(name: string, rights: Rights, person: SessionView["person"]): string {
  const lacked = lackedFor(name, rights);
  if (lacked === null) return "";
  // Where one of several rights is enough, reading is the least of them.
  const scope = lacked.includes("read-private") ? "read-private" : SCOPES.find((one) => lacked.includes(one));
  const what =
    scope !== undefined ? SCOPE_WORDS[scope] : /^(?:list|get)_/.test(name) ? "see this" : "do this";
  if (rights.kind === "anonymous") return `Sign in to ${what}.`;
  return person === null
    ? `This key may not ${what}.`
    : `As ${person.role} you may not ${what}. Ask an admin.`;
}

/** What a session may do as far as it says itself: of a key only the service knows. */
export function rightsOf({ keyed, person, refused }: SessionView): Rights | null {
  if (person !== null) return { kind: "person", scopes: person.scopes };
  return keyed && !refused ? null : { kind: "anonymous", scopes: [] };
}

/** Whether a person is signed in is being asked. */
let account: Promise<unknown> = Promise.resolve();

/** What needs rights waits until it is known who is signed in. */
export function waitFor(asked: Promise<unknown>): void {
  account = asked;
}

/** Refuses what the service would refuse, without asking it. */
export async function checkMay(name: OperationName): Promise<void> {
  if (lackedFor(name, { kind: "anonymous", scopes: [] }) === null) return;
  await account;
  const view = session.get();
  const rights = rightsOf(view);
  const message = rights === null ? "" : refusalOf(name, rights, view.person);
  if (message !== "")
    throw view.person === null
      ? new OperationError(401, { code: "unauthorized", message, effect: "not_sent" })
      : new OperationError(403, { code: "forbidden", message, effect: "not_sent" });
}
