import { at, bagAt, isBag, textAt, textsAt } from "../lib/read.ts";
import { queryClient } from "./operations.ts";
import { rest } from "./rest.ts";
import { setPerson, type SessionPerson } from "./session.ts";

/** Asks who is signed in: after a reload the cookie still is. */
export async function loadAccount(): Promise<void> {
  try {
    const data = bagAt(await rest("/api/svc/account"), "data");
    if (isBag(at(data, "person"))) setPerson(personOf(data));
  } catch {
    // Without the service, or with a session that ended, the page is public.
  }
}

/** Signs in and takes over who that is. */
export async function signIn(body: object): Promise<void> {
  await rest("/api/svc/sessions", { body, interactive: false });
  await signedIn();
}

/** Follows a one-time link and takes over who that is. */
export async function followLink(body: object): Promise<void> {
  await rest("/api/svc/invitations/follow", { body, interactive: false });
  await signedIn();
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  try {
    await rest("/api/svc/sessions/current", { method: "DELETE", interactive: false });
  } finally {
    setPerson(null);
    // What was read with the session must not stay on the screen.
    await queryClient.resetQueries();
  }
}

/** Takes over who has just signed in. */
export async function signedIn(): Promise<void> {
  await loadAccount();
  await queryClient.invalidateQueries();
}

function personOf(data: unknown): SessionPerson {
  const person = bagAt(data, "person");
  return {
    id: textAt(person, "id"),
    name: textAt(person, "name"),
    email: textAt(person, "email"),
    role: textAt(person, "role"),
    scopes: textsAt(data, "scopes"),
  };
}
