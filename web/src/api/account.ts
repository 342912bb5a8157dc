import type { InputOf } from "@workflow-ui/client";
import { call, queryClient } from "./operations.ts";
import { waitFor } from "./refusal.ts";
import { setPerson } from "./session.ts";

/** Asks who is signed in: after a reload the cookie still is. */
export function loadAccount(): Promise<void> {
  const asked = askAccount();
  waitFor(asked);
  return asked;
}

async function askAccount(): Promise<void> {
  try {
    const { person, scopes = [] } = await call("get_account", {});
    if (person !== null) setPerson({ ...person, scopes });
  } catch {
    // Without the service, or with a session that ended, the page is public.
  }
}

/** Signs in and takes over who that is. */
export async function signIn(given: InputOf<"sign_in">): Promise<void> {
  await call("sign_in", given, { interactive: false });
  await signedIn();
}

/** Follows a one-time link and takes over who that is. */
export async function followLink(given: InputOf<"follow_link">): Promise<void> {
  await call("follow_link", given, { interactive: false });
  await signedIn();
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  try {
    await call("end_session", { id: "current" }, { interactive: false });
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
