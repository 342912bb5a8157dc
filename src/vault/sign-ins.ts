import { hash, randomBytes } from "node:crypto";
import { sha256Hex } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { CredentialView } from "../model/credentials.ts";
import type { Caller } from "../ports/caller.ts";
import type { CredentialRecord, OAuthFlowRecord } from "../ports/records.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { MasterKeys } from "./master-keys.ts";
import type { OAuth } from "./oauth-client.ts";
import { ConsentNeeded } from "./oauth-errors.ts";
import {
  flowJson,
  readFlow,
  readSecret,
  secretJson,
  type OAuthFlow,
  type OAuthTokens,
} from "./oauth-records.ts";
import { readOAuthSettings } from "./oauth-settings.ts";
import { detailsOf, openSecret, withSecret } from "./records.ts";
import { open, seal, type SealedFor } from "./sealing.ts";

/** What the browser brings back from the authorization server. */
export interface CallbackAnswer {
  readonly state: string | null;
  /** What the page on which the sign-in began left in this browser. */
  readonly ticket: string | null;
  readonly code: string | null;
  readonly iss: string | null;
  readonly error: string | null;
}

/** A sign-in as the page on which it begins shows it. */
export interface BegunSignIn {
  readonly name: string;
  /** Empty for everybody. */
  readonly owner: string;
  readonly startedBy: string;
  readonly state: string;
  readonly authorizationUrl: string;
}

/** What sign-ins work with. */
export interface SignInParts {
  readonly store: Store;
  readonly keys: MasterKeys;
  readonly oauth: OAuth;
  readonly record: (
    tx: StoreTx,
    change: "authorized",
    credential: CredentialRecord,
    by: string,
  ) => Promise<void>;
}

const STATE_BYTES = 32;
const LIFETIME_MS = 10 * 60_000;

/** Sign-ins with an authorization server: begun by an operator, ended by the browser with a state that works once. */
export class SignIns {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** Gives the address that a person opens. */
  async begin(
    record: CredentialRecord,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
    const { store, keys, oauth } = this.#parts;
    const settings = readOAuthSettings(record.settings);
    if (record.kind !== "oauth2" || settings.grant !== "authorization_code") {
      throw new AppError("conflict", `The credential "${record.name}" needs no sign-in.`, {
        nextAction: "Only credentials of kind oauth2 with the grant authorization_code are signed in to.",
      });
    }
    const secret = readSecret(openSecret(record, keys));
    const ticket = randomBytes(STATE_BYTES).toString("base64url");
    const state = stateOf(ticket);
    const flow = await oauth.begin(settings, secret, state, signal);
    const stateDigest = digestOf(state);
    const sealed = seal(flowJson(flow), flowTarget(record, stateDigest), keys.current());
    const expiresAt = await store.transact(async (tx) => {
      const now = await tx.now();
      const end = new Date(Date.parse(now) + LIFETIME_MS).toISOString();
      await tx.credentials.trimFlows(now);
      await tx.credentials.insertFlow({
        stateDigest,
        name: record.name,
        owner: record.owner,
        ...sealed,
        startedBy: caller.id,
        expiresAt: end,
      });
      // A client that was registered just now is kept: the next sign-in uses it again.
      const latest = await tx.credentials.get(record);
      if (latest !== null && secret.client?.clientId !== flow.client.clientId) {
        const known = secretJson({ ...readSecret(openSecret(latest, keys)), client: flow.client });
        const next = { ...withSecret(latest, known, keys), revision: latest.revision + 1, updatedAt: now };
        await tx.credentials.update(next, latest.revision);
      }
      return end;
    });
    return { ticket, expiresAt };
  }

  /** What the page shows on which a person begins: a link that was sent to a person says what it is for. */
  async look(ticket: string): Promise<BegunSignIn> {
    const { store } = this.#parts;
    const state = stateOf(ticket);
    const found = await store.read.credentials.flow(digestOf(state));
    const record = found && (await store.read.credentials.get(found));
    const flow = found && record && this.#openFlow(found, record);
    if (found === null || record === null || flow === null || flow.authorizationUrl === "")
      throw unknownSignIn();
    const { name, owner } = record;
    return { name, owner, startedBy: found.startedBy, state, authorizationUrl: flow.authorizationUrl };
  }

  /** Stores the tokens that the code is exchanged for. The state is used up before anything else happens. */
  async finish(answer: CallbackAnswer, signal: AbortSignal): Promise<CredentialView> {
    const { store, oauth, keys } = this.#parts;
    if (answer.ticket === null || stateOf(answer.ticket) !== answer.state) throw otherBrowser();
    const { record, flow, startedBy } = await this.#take(answer.state);
    if (answer.error !== null || answer.code === null) {
      const code = /^[a-z_]{1,60}$/.exec(answer.error ?? "")?.[0] ?? "no code came back";
      throw new AppError("conflict", `The authorization server did not agree: ${code}.`, {
        nextAction: "Begin the sign-in again.",
      });
    }
    const settings = readOAuthSettings(record.settings);
    const tokens = await oauth
      .finish(
        settings,
        readSecret(openSecret(record, keys)),
        flow,
        { code: answer.code, iss: answer.iss },
        signal,
      )
      .catch((error: unknown) => {
        if (!(error instanceof ConsentNeeded)) throw error;
        throw new AppError("conflict", "The authorization server did not take the code.", {
          nextAction: "Begin the sign-in again.",
        });
      });
    const signedIn = await store.transact(async (tx) => {
      const latest = await tx.credentials.get(record);
      if (latest === null) throw new AppError("not_found", `There is no credential named "${record.name}".`);
      const next = this.#signedIn(latest, flow, tokens, await tx.now());
      await tx.credentials.update(next, latest.revision);
      await this.#parts.record(tx, "authorized", next, startedBy);
      return next;
    });
    return detailsOf(signedIn, keys);
  }

  #signedIn(latest: CredentialRecord, flow: OAuthFlow, tokens: OAuthTokens, now: string): CredentialRecord {
    const { keys } = this.#parts;
    const { client, server, resource } = flow;
    const secret = {
      ...readSecret(openSecret(latest, keys)),
      client,
      server,
      resource,
      tokens,
      wantedScope: null,
    };
    const { expiresIn } = tokens;
    return {
      ...withSecret(latest, secretJson(secret), keys),
      state: "ready",
      revision: latest.revision + 1,
      tokenIssuedAt: now,
      tokenExpiresAt: expiresIn === null ? null : new Date(Date.parse(now) + expiresIn * 1_000).toISOString(),
      leaseBy: null,
      leaseUntil: null,
      updatedAt: now,
    };
  }

  async #take(
    state: string | null,
  ): Promise<{ readonly record: CredentialRecord; readonly flow: OAuthFlow; readonly startedBy: string }> {
    const { store } = this.#parts;
    if (state === null || !/^[\w-]{43}$/.test(state)) throw unknownSignIn();
    const found = await store.transact(async (tx) => {
      const taken = await tx.credentials.takeFlow(digestOf(state));
      return taken !== null && taken.expiresAt > (await tx.now()) ? taken : null;
    });
    const record = found && (await store.read.credentials.get(found));
    const flow = found && record && this.#openFlow(found, record);
    if (found === null || record === null || flow === null) throw unknownSignIn();
    return { record, flow, startedBy: found.startedBy };
  }

  #openFlow(found: OAuthFlowRecord, record: CredentialRecord): OAuthFlow | null {
    const master = this.#parts.keys.find(found.masterKeyId);
    const opened = master && open(found, flowTarget(record, found.stateDigest), master);
    return opened && readFlow(opened);
  }
}

function flowTarget({ name, owner, kind }: CredentialRecord, stateDigest: string): SealedFor {
  return { purpose: "flow", name, owner, kind, bound: { stateDigest } };
}

/** The state goes to the authorization server; the ticket that it is made from stays in the browser. */
function stateOf(ticket: string): string {
  return hash("sha256", `state of ${ticket}`, "base64url");
}

function otherBrowser(): AppError {
  return new AppError(
    "invalid_input",
    "This sign-in is not known here: it did not begin in this browser, it was used already, or its ten minutes are over.",
    { nextAction: "Begin the sign-in again, and open its address in the browser that you sign in with." },
  );
}

/** Only the digest of a state is stored: a reader of the database cannot complete a sign-in. */
function digestOf(state: string): string {
  return `sha256:${sha256Hex(state)}`;
}

function unknownSignIn(): AppError {
  return new AppError(
    "invalid_input",
    "This sign-in is not known here: it was used already, or its ten minutes are over.",
    {
      nextAction: "Begin the sign-in again.",
    },
  );
}
