import { isObject } from "#kernel/json.ts";
import type { JsonObject, InputOf } from "@workflow-ui/client";
import { followLink, signedIn } from "./account.ts";
import { call } from "./operations.ts";

/*
 * Passkeys with what the browser brings along: options and answers are JSON on both sides, so no package is needed.
 */

/** A sign-in page asks for no key. */
const QUIET = { interactive: false };

/** Whether this browser can make and use passkeys on this address. */
export function passkeysWork(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential === "function" &&
    "parseCreationOptionsFromJSON" in PublicKeyCredential &&
    // Browsers bind passkeys to names, not to IP addresses.
    !/^(?:[\d.]+|\[.*\])$/.test(window.location.hostname)
  );
}

/** The same page under `localhost`, where passkeys work; null when this address is not a loopback one. */
export function localhostPage(): string | null {
  const { hostname, port, pathname, search } = window.location;
  return /^127\.|^\[::1\]$/.test(hostname) ? `http://localhost:${port}${pathname}${search}` : null;
}

/** Signs in with a passkey that the person chooses. */
export async function signInWithPasskey(): Promise<void> {
  const { publicKey } = await call("get_passkey_sign_in_options", {}, QUIET);
  await call("sign_in_with_passkey", { passkey: await used(publicKey) }, QUIET);
  await signedIn();
}

/** Follows a one-time link with a new passkey instead of a password. */
export async function followLinkWithPasskey(given: InputOf<"follow_link">): Promise<void> {
  const { token, name, email } = given;
  const { publicKey } = await call("get_link_passkey_options", { token, name, email }, QUIET);
  await followLink({ ...given, passkey: await made(publicKey) });
}

/** Adds a passkey to the signed-in person's account. */
export async function addPasskey(name: string, password: string): Promise<void> {
  const confirmed = password === "" ? {} : { password };
  const { publicKey } = await call("get_passkey_options", confirmed, QUIET);
  await call("add_passkey", { name, passkey: await made(publicKey) }, QUIET);
}

/** Asks the person for the passkey that signs a decision with its reason and values. */
export async function signDecision(decision: InputOf<"get_step_up_options">): Promise<JsonObject> {
  const { publicKey } = await call("get_step_up_options", decision, QUIET);
  return used(publicKey);
}

async function made(options: JsonObject): Promise<JsonObject> {
  if (!isCreation(options)) throw new Error("The service sent no options for a passkey.");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return jsonOf(await asked(() => navigator.credentials.create({ publicKey })));
}

async function used(options: JsonObject): Promise<JsonObject> {
  if (!isRequest(options)) throw new Error("The service sent no options for a passkey.");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return jsonOf(await asked(() => navigator.credentials.get({ publicKey })));
}

/** What a browser throws here is for developers; people read what happened. */
async function asked(ask: () => Promise<Credential | null>): Promise<Credential | null> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
}

function whyNot(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "This device holds a passkey for this account already.";
  if (name === "SecurityError")
    return "Passkeys do not work at this address. Open the address that the service was set up with.";
  return "No passkey was given: it was cancelled, or the time was over.";
}

function jsonOf(credential: Credential | null): JsonObject {
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser gave no passkey.");
  const json: JsonObject = JSON.parse(JSON.stringify(credential));
  return json;
}

function isCreation(value: unknown): value is PublicKeyCredentialCreationOptionsJSON {
  if (!isObject(value)) return false;
  const { rp, user, challenge, pubKeyCredParams } = value;
  return isObject(rp) && isObject(user) && typeof challenge === "string" && Array.isArray(pubKeyCredParams);
}

function isRequest(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return isObject(value) && typeof value["challenge"] === "string";
}
