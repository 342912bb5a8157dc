import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { isObject } from "../kernel/json.ts";
import { Client } from "./client.ts";
import { credentialsFile, readCredentials, writeCredentials, type StoredToken } from "./credentials.ts";
import { Failure } from "./failure.ts";

const CLIENT = "suitectl";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPES = "read-private run write handoff approve admin";
/** A token that ends within this time is replaced before it is used. */
const EARLY_MS = 30_000;
const LOCK_MS = 15_000;

/** What the service answered to a form. */
interface Answer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Signs in as a person: shows an address and a code, and waits until the person has decided in a browser. */
export async function signInWithCode(url: string, say: (text: string) => void): Promise<StoredToken> {
  const { status, json: begun } = await post(url, "/oauth/device", {
    client_id: CLIENT,
    scope: SCOPES,
    resource: url,
  });
  const { device_code: code, user_code: shown, verification_uri: page, expires_in: seconds } = begun;
  if (status !== 200 || typeof code !== "string" || typeof shown !== "string" || typeof page !== "string") {
    throw new Failure("refused", `The service at ${url} does not sign people in: ${reasonIn(begun)}.`, {
      next: "Use the address of BASE_URL, or log in with an API key: suitectl login.",
    });
  }
  say(`Open ${page} in a browser, sign in, and type the code ${shown}`);
  say("Waiting for your decision there …");
  const ends = Date.now() + 1_000 * (typeof seconds === "number" ? seconds : 600);
  const { interval } = begun;
  let pauseMs = 1_000 * (typeof interval === "number" ? interval : 5);
  while (Date.now() < ends) {
    await wait(pauseMs);
    const answer = await post(url, "/oauth/token", {
      grant_type: DEVICE_GRANT,
      client_id: CLIENT,
      device_code: code,
    });
    if (answer.status === 200) return tokenIn(answer.json);
    const { error } = answer.json;
    if (error === "slow_down") pauseMs += 5_000;
    else if (error !== "authorization_pending") {
      throw new Failure("refused", `You are not signed in: ${reasonIn(answer.json)}.`);
    }
  }
  throw new Failure("refused", "The code has expired: it was not confirmed in time.", {
    next: "suitectl login --device",
  });
}

/** The access token for a service, replaced when it ends; one process at a time replaces it. */
export async function freshToken(folder: string, url: string): Promise<string | null> {
  const kept = readCredentials(folder).tokens[url];
  if (kept === undefined) return null;
  if (isFresh(kept)) return kept.access;
  return locked(folder, async () => {
    const all = readCredentials(folder);
    const current = all.tokens[url];
    if (current === undefined) return null;
    if (isFresh(current)) return current.access;
    const answer = await post(url, "/oauth/token", {
      grant_type: "refresh_token",
      client_id: CLIENT,
      refresh_token: current.refresh,
    });
    if (answer.status === 200) {
      const next = tokenIn(answer.json);
      writeCredentials(folder, { ...all, tokens: { ...all.tokens, [url]: next } });
      return next.access;
    }
    throw new Failure("refused", `Your sign-in at ${url} has ended: ${reasonIn(answer.json)}.`, {
      next: "Sign in again: suitectl login --device",
    });
  });
}

/** Gives the sign-in back to the service; false when it could not be reached. */
export async function revokeToken(url: string, token: StoredToken): Promise<boolean> {
  try {
    const { status } = await post(url, "/oauth/revoke", { client_id: CLIENT, token: token.refresh });
    return status === 200;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

async function post(url: string, path: string, form: Readonly<Record<string, string>>): Promise<Answer> {
  const { status, text } = await new Client(url, null).exchange({
    method: "POST",
    path,
    body: new URLSearchParams(form).toString(),
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
  });
  try {
    const json: unknown = text === "" ? {} : JSON.parse(text);
    if (isObject(json)) return { status, json };
  } catch {
    // Whatever it is, it is not an answer of the service.
  }
  throw new Failure("unavailable", `What answers at ${url} is not this service.`);
}

function tokenIn(json: Readonly<Record<string, unknown>>): StoredToken {
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = json;
  if (typeof access !== "string" || typeof refresh !== "string" || typeof seconds !== "number") {
    throw new Failure("unavailable", "The service answered without tokens.");
  }
  return { access, refresh, expiresAt: new Date(Date.now() + seconds * 1_000).toISOString() };
}

function isFresh({ expiresAt }: StoredToken): boolean {
  return Date.parse(expiresAt) - EARLY_MS > Date.now();
}

function reasonIn(json: Readonly<Record<string, unknown>>): string {
  const data = isObject(json["data"]) && isObject(json["data"]["error"]) ? json["data"]["error"] : {};
  const reason = json["error_description"] ?? json["error"] ?? data["message"];
  return typeof reason === "string" ? reason : "no reason was given";
}

/** A refresh token works once: two processes that use it at the same time would end the sign-in. */
async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = `${credentialsFile(folder)}.lock`;
  const ends = Date.now() + LOCK_MS;
  for (;;) {
    try {
      closeSync(openSync(file, "wx", 0o600));
      break;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      // The process that made it is gone.
      if (age > LOCK_MS) rmSync(file, { force: true });
      else if (Date.now() > ends) throw new Failure("failed", `${file} is held by another suitectl.`);
      await wait(50);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}
