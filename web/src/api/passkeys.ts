import type { JsonObject, InputOf } from "@workflow-ui/client";
import { at, bagAt, isBag } from "../lib/read.ts";
import { followLink, signedIn } from "./account.ts";
import { rest } from "./rest.ts";
import { call } from "./operations.ts";

/*
 * Passkeys with what the browser brings along: options and answers are JSON on both sides, so no package is needed.
 */

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
  const options = await optionsAt("/api/svc/passkeys/sign-in-options", {});
  if (!isRequest(options)) throw new Error("The service sent no options for a passkey.");
  const passkey = await used(PublicKeyCredential.parseRequestOptionsFromJSON(options));
  await rest("/api/svc/passkeys/sign-in", { body: { passkey }, interactive: false });
  await signedIn();
}

/** Follows a one-time link with a new passkey instead of a password. */
export async function followLinkWithPasskey(body: object): Promise<void> {
  const passkey = await made(await optionsAt("/api/svc/invitations/passkey-options", body));
  await followLink({ ...body, passkey });
}

/** Adds a passkey to the signed-in person's account. */
export async function addPasskey(name: string, password: string): Promise<void> {
  const confirmed = password === "" ? {} : { password };
  const passkey = await made(await optionsAt("/api/svc/passkeys/options", confirmed));
  await rest("/api/svc/passkeys", { body: { name, passkey }, interactive: false });
}

/** Asks the person for the passkey that signs a decision with its reason and values. */
export async function signDecision(decision: InputOf<"get_step_up_options">): Promise<JsonObject> {
  const { publicKey } = await call("get_step_up_options", decision, { interactive: false });
  if (!isRequest(publicKey)) throw new Error("The service sent no options for a passkey.");
  return used(PublicKeyCredential.parseRequestOptionsFromJSON(publicKey));
}

async function optionsAt(path: string, body: object): Promise<unknown> {
  return at(bagAt(await rest(path, { body, interactive: false }), "data"), "publicKey");
}

async function made(options: unknown): Promise<JsonObject> {
  if (!isCreation(options)) throw new Error("The service sent no options for a passkey.");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return jsonOf(await asked(() => navigator.credentials.create({ publicKey })));
}

async function used(publicKey: PublicKeyCredentialRequestOptions): Promise<JsonObject> {
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
  return isBag(value) && isBag(value["user"]) && typeof value["challenge"] === "string";
}

function isRequest(value: unknown): value is PublicKeyCredentialRequestOptionsJSON {
  return isBag(value) && typeof value["challenge"] === "string";
}
