import { LRUCache } from "lru-cache";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CredentialView, RotationView } from "../model/credentials.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { Alongside, AuthorizeOptions, Authorization, Credentials } from "../ports/credentials.ts";
import type { Clock, Fetcher, Log } from "../ports/platform.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { CredentialRecord } from "../ports/records.ts";
import type { Settings } from "../ports/settings.ts";
import type { CredentialKey, PageRequest, Store, StoreTx } from "../ports/store.ts";
import { checkTarget } from "./hosts.ts";
import {
  bearer,
  checkChange,
  checkCredential,
  present,
  type ChangedCredential,
  type NewCredential,
} from "./kinds.ts";
import type { MasterKeys } from "./master-keys.ts";
import { OAuth, SIGN_IN_PATH } from "./oauth-client.ts";
import { readSecret, secretJson } from "./oauth-records.ts";
import { detailsOf, openSecret, targetOf, viewOf, withSecret } from "./records.ts";
import { rewrap } from "./sealing.ts";
import { SignIns, type BegunSignIn, type CallbackAnswer } from "./sign-ins.ts";
import { consentRequired, Tokens } from "./tokens.ts";
import { recordChange, recordEntry } from "../audit/record.ts";

/* Long on purpose: one class, the only one that opens secrets. */

/** What the vault works with. */
export interface VaultParts {
  readonly store: Store;
  readonly settings: Pick<Settings, "baseUrl">;
  readonly keys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetcher: Fetcher;
  readonly provenance: Provenance;
}

/** What happens to a credential. */
type CredentialChange =
  | "created"
  | "updated"
  | "replaced"
  | "rewrapped"
  | "authorized"
  | "consent_required"
  | "removed";

const PAGE = 100;
const MAX_OPENED = 100;
const MAX_CREDENTIALS = 10_000;

/** Credentials that leave this service only inside the requests they were made for. */
export class Vault implements Credentials {
  readonly #parts: VaultParts;
  readonly #tokens: Tokens;
  readonly #signIns: SignIns;
  /** Variables by their whole row, which is read each time: opening one is a tenth of a webhook's work. */
  readonly #opened = new LRUCache<string, string>({ max: MAX_OPENED });
  readonly oauth: OAuth;

  constructor(parts: VaultParts) {
    this.#parts = parts;
    this.oauth = new OAuth(parts.fetcher, parts.settings.baseUrl);
    const record = (
      tx: StoreTx,
      change: CredentialChange,
      credential: CredentialRecord,
      by: string,
    ): Promise<void> => this.#record(tx, change, credential, by);
    this.#tokens = new Tokens({
      ...parts,
      oauth: this.oauth,
      consentLost: (tx, credential) => record(tx, "consent_required", credential, "vault"),
    });
    this.#signIns = new SignIns({ ...parts, oauth: this.oauth, record });
  }

  async describe(name: string, caller: Caller): ReturnType<Credentials["describe"]> {
    const record = await this.#find(name, caller);
    return record === null ? null : viewOf(record, this.#parts.keys);
  }

  async authorize(name: string, url: URL, options: AuthorizeOptions): Promise<Authorization> {
    const { caller, signal, refused, challenge } = options;
    const record = (await this.#find(name, caller)) ?? missing(name);
    const { kind, hosts, settings } = record;
    checkTarget({ name, hosts, allowHttp: settings["allowHttp"] === true }, url);
    if (kind !== "oauth2") return present(kind, settings, openSecret(record, this.#parts.keys));
    const scope = challenge === undefined ? null : requiredScope(challenge);
    if (scope !== null)
      throw consentRequired(await this.#want(record, scope), `the resource asks for ${scope}`);
    const old = refused?.headers["authorization"]?.slice("Bearer ".length) ?? null;
    return { ...bearer(await this.#tokens.token(record, old, signal)), renewable: true };
  }

  async variable(name: string, connection: string, caller: Caller): Promise<string> {
    const record = (await this.#find(name, caller)) ?? missing(name);
    if (record.kind !== "environment" || !record.hosts.includes(connection))
      throw notForProgram(name, connection);
    const { name: of, owner, hosts, settings, masterKeyId, wrappedKey, sealed } = record;
    const row = JSON.stringify([of, owner, hosts, settings, masterKeyId, wrappedKey, sealed]);
    const known = this.#opened.get(row);
    if (known !== undefined) return known;
    const { secret } = openSecret(record, this.#parts.keys);
    const value = typeof secret === "string" ? secret : "";
    this.#opened.set(row, value);
    return value;
  }

  async keepVariable(
    name: string,
    connection: string,
    value: string,
    caller: Caller,
    alongside?: Alongside,
  ): Promise<void> {
    const known = await this.#find(name, caller);
    if (known === null) {
      await this.create({ name, kind: "environment", hosts: [connection], secret: value }, caller, alongside);
      return;
    }
    if (known.kind !== "environment" || !known.hosts.includes(connection))
      throw notForProgram(name, connection);
    await this.change(name, known.owner === "" ? null : known.owner, { secret: value }, caller, alongside);
  }

  async dropVariable(name: string, connection: string, caller: Caller, alongside?: Alongside): Promise<void> {
    const known = await this.#find(name, caller);
    if (known?.kind === "environment" && known.hosts.includes(connection))
      await this.remove(name, known.owner === "" ? null : known.owner, caller, alongside);
    else if (alongside !== undefined) await this.#parts.store.transact(alongside);
  }

  /** Makes a credential. What was given as its secret is sealed and forgotten. */
  async create(given: NewCredential, caller: Caller, alongside?: Alongside): Promise<CredentialView> {
    const { secret, ...input } = checkCredential(given);
    const { store, keys, clock } = this.#parts;
    const now = new Date(clock.now()).toISOString();
    const needsConsent = input.kind === "oauth2" && input.settings.grant !== "client_credentials";
    const record = withSecret(
      {
        ...input,
        owner: ownerOf(given.owner ?? "shared", caller),
        state: needsConsent ? "consent_required" : "ready",
        masterKeyId: "",
        wrappedKey: "",
        sealed: "",
        revision: 1,
        tokenIssuedAt: null,
        tokenExpiresAt: null,
        leaseBy: null,
        leaseUntil: null,
        createdBy: caller.id,
        createdAt: now,
        updatedAt: now,
      },
      secret,
      keys,
    );
    await store.transact(async (tx) => {
      const counts = await tx.credentials.countByMasterKey();
      if (counts.reduce((sum, { count }) => sum + count, 0) >= MAX_CREDENTIALS) {
        throw new AppError("conflict", `There are ${MAX_CREDENTIALS} credentials already; remove some.`);
      }
      if (!(await tx.credentials.insert(record))) {
        throw new AppError("conflict", `There is a credential named "${record.name}" already.`, {
          nextAction: "Choose another name, or replace the secret of the one that is there.",
        });
      }
      await this.#record(tx, "created", record, caller.id);
      await alongside?.(tx);
    });
    return detailsOf(record, keys);
  }

  /** Credentials without their secrets, by name. */
  async list(page: PageRequest): Promise<{ credentials: CredentialView[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.#parts.store.read.credentials.list(page);
    return { credentials: items.map((record) => detailsOf(record, this.#parts.keys)), nextCursor };
  }

  /** One credential without its secret. */
  async get(name: string, owner: string | null, caller: Caller): Promise<CredentialView> {
    return detailsOf(await this.#named(this.#parts.store.read, name, owner, caller), this.#parts.keys);
  }

  /**
   * Replaces the secret or the hosts. A host is added only by who knows the secret, or signs in again: otherwise a person
   * who may change credentials could send them to another host. Tokens that came from the old secret are dropped.
   */
  async change(
    name: string,
    owner: string | null,
    given: ChangedCredential,
    caller: Caller,
    alongside?: Alongside,
  ): Promise<CredentialView> {
    const { store, keys, clock } = this.#parts;
    const changed = await store.transact(async (tx) => {
      const record = await this.#named(tx, name, owner, caller);
      checkOwner(record, caller);
      const { hosts, secret } = checkChange(record.kind, record.settings, given);
      const isSignedIn = record.kind === "oauth2" && record.settings["grant"] !== "client_credentials";
      const added = (hosts ?? []).filter((host) => !record.hosts.includes(host));
      const needsConsent = isSignedIn && (secret !== null || added.length > 0);
      if (added.length > 0 && secret === null && !isSignedIn) throw secretNeeded(name, added);
      // The secret stays when only hosts go, so the record must open; a new secret replaces one that does not.
      const kept = secret ?? withoutTokens(openSecret(record, keys), needsConsent);
      const next: CredentialRecord = {
        ...withSecret({ ...record, hosts: hosts ?? record.hosts }, kept, keys),
        revision: record.revision + 1,
        updatedAt: new Date(clock.now()).toISOString(),
        ...((secret !== null || needsConsent) && {
          state: needsConsent ? "consent_required" : "ready",
          tokenIssuedAt: null,
          tokenExpiresAt: null,
        }),
        leaseBy: null,
        leaseUntil: null,
      };
      if (!(await tx.credentials.update(next, record.revision))) throw changedMeanwhile(name);
      await this.#record(tx, secret === null ? "updated" : "replaced", next, caller.id);
      await alongside?.(tx);
      return next;
    });
    return detailsOf(changed, keys);
  }

  /** Removes a credential; the ciphertext goes with it. */
  async remove(name: string, owner: string | null, caller: Caller, alongside?: Alongside): Promise<void> {
    await this.#parts.store.transact(async (tx) => {
      const record = await this.#named(tx, name, owner, caller);
      await tx.credentials.remove(record);
      await this.#record(tx, "removed", record, caller.id);
      await alongside?.(tx);
    });
  }

  /** Begins a sign-in: gives the address of the page that a person opens. */
  async beginSignIn(
    name: string,
    owner: string | null,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<{ readonly authorizationUrl: string; readonly expiresAt: string }> {
    const record = await this.#named(this.#parts.store.read, name, owner, caller);
    checkOwner(record, caller);
    const { ticket, expiresAt } = await this.#signIns.begin(record, caller, signal);
    return { authorizationUrl: `${this.#parts.settings.baseUrl}${SIGN_IN_PATH}/${ticket}`, expiresAt };
  }

  /** A sign-in that was begun, for the page on which a person goes on with it. */
  lookAtSignIn(ticket: string): Promise<BegunSignIn> {
    return this.#signIns.look(ticket);
  }

  /** Ends a sign-in with what the browser brought back. */
  finishSignIn(answer: CallbackAnswer, signal: AbortSignal): Promise<CredentialView> {
    return this.#signIns.finish(answer, signal);
  }

  /** Wraps every data key with the newest master key; a key file gets a new one first. Secrets are not touched. */
  async rotate(caller: Caller): Promise<RotationView> {
    const { store, keys } = this.#parts;
    const current = keys.source === "file" ? keys.renew() : keys.current();
    const unusable: string[] = [];
    let rewrapped = 0;
    let cursor: string | undefined;
    do {
      const page = await store.read.credentials.list({
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { name, owner } of page.items) {
        const outcome = await this.#rewrap({ name, owner }, caller);
        if (outcome === "unusable") unusable.push(name);
        else if (outcome === "rewrapped") rewrapped += 1;
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    await store.transact((tx) =>
      recordEntry(tx, {
        action: "master_key.rotated",
        by: caller.id,
        subject: `master-keys/${current.id}`,
        detail: { rewrapped, unusable: unusable.length },
        provenanceId: null,
      }),
    );
    return { masterKeyId: current.id, rewrapped, unusable };
  }

  #rewrap(key: CredentialKey, caller: Caller): Promise<"rewrapped" | "unusable" | "done"> {
    const { store, keys } = this.#parts;
    return store.transact(async (tx) => {
      const record = await tx.credentials.get(key);
      const current = keys.current();
      if (record === null || record.masterKeyId === current.id) return "done";
      const from = keys.find(record.masterKeyId);
      const wrapped = from && rewrap(record, targetOf(record), from, current);
      if (wrapped === null) return "unusable";
      const next = { ...record, ...wrapped, revision: record.revision + 1 };
      if (!(await tx.credentials.update(next, record.revision))) throw changedMeanwhile(record.name);
      await this.#record(tx, "rewrapped", next, caller.id);
      return "rewrapped";
    });
  }

  /** Remembers scopes that the resource asked for, so that the next consent includes them. */
  #want(record: CredentialRecord, scope: string): Promise<CredentialRecord> {
    const { store, keys } = this.#parts;
    return store.transact(async (tx) => {
      const latest = (await tx.credentials.get(record)) ?? missing(record.name);
      const secret = readSecret(openSecret(latest, keys));
      const wanted = [
        ...new Set(`${secret.wantedScope ?? ""} ${secret.tokens?.scope ?? ""} ${scope}`.split(" ")),
      ];
      const wantedScope = wanted.filter((item) => item !== "").join(" ");
      if (latest.state === "consent_required" && secret.wantedScope === wantedScope) return latest;
      const next: CredentialRecord = {
        ...withSecret(latest, secretJson({ ...secret, wantedScope }), keys),
        state: "consent_required",
        revision: latest.revision + 1,
        updatedAt: await tx.now(),
      };
      await tx.credentials.update(next, latest.revision);
      await this.#record(tx, "consent_required", next, "vault");
      return next;
    });
  }

  #find(name: string, caller: Caller): Promise<CredentialRecord | null> {
    return this.#parts.store.read.credentials.find(name, caller.id);
  }

  /** What an operator names: with an owner exactly that one, else the caller's own or the shared one. */
  async #named(
    records: Pick<StoreTx, "credentials">,
    name: string,
    owner: string | null,
    caller: Caller,
  ): Promise<CredentialRecord> {
    const found =
      owner === null
        ? await records.credentials.find(name, caller.id)
        : await records.credentials.get({ name, owner: ownerOf(owner, caller) });
    return found ?? missing(name);
  }

  /** The event and the provenance of a change, in its transaction. Neither holds anything of the secret. */
  async #record(tx: StoreTx, change: CredentialChange, record: CredentialRecord, by: string): Promise<void> {
    const { provenance } = this.#parts;
    const { name, kind, hosts, revision, masterKeyId } = record;
    const owner = record.owner === "" ? "shared" : record.owner;
    const data = { name, kind, hosts, owner, revision, state: record.state, by };
    await recordChange(tx, provenance, {
      action: `credential.${change}`,
      by,
      subject: `credentials/${name}`,
      data,
      fact: {
        kind: "credential",
        subjectId: name,
        digest: digestOf({ name, owner, kind, hosts, settings: record.settings, revision }),
        privacy: "restricted",
        predicate: { change, name, kind, owner, hosts, revision, masterKeyId, by },
      },
    });
  }
}

/** `shared`, `me` or the id of a caller, as it is stored. A stranger's credential is made by an operator only. */
function ownerOf(given: string, caller: Caller): string {
  if (given === "shared") return "";
  const owner = given === "me" ? caller.id : given;
  if (owner !== caller.id && !allows(caller, "admin")) {
    throw new AppError("forbidden", "Only an operator names another caller's credential.");
  }
  return owner;
}

/** A credential of one caller is changed and signed in to by that caller only; an operator may remove it. */
function checkOwner({ name, owner }: CredentialRecord, caller: Caller): void {
  if (owner === "" || owner === caller.id) return;
  throw new AppError("forbidden", `The credential "${name}" belongs to ${owner}, who alone changes it.`, {
    nextAction: "Ask its owner, or remove it and make a new one.",
  });
}

function secretNeeded(name: string, added: readonly string[]): AppError {
  return new AppError("invalid_input", `To send "${name}" to ${added.join(", ")}, give its secret again.`, {
    nextAction: "Send secret together with hosts.",
    problems: [{ pointer: "/secret", message: "is needed when a host is added", expected: "the secret" }],
  });
}

/** The sealed part of an OAuth credential that has to be signed in to again. */
function withoutTokens(sealed: JsonObject, drop: boolean): JsonObject {
  return drop ? secretJson({ ...readSecret(sealed), tokens: null }) : sealed;
}

/** The scopes of a challenge that says that those of the token do not suffice. */
function requiredScope(challenge: string): string | null {
  if (!/\berror="?insufficient_scope"?/i.test(challenge)) return null;
  const scope = /\bscope="([\x20-\x21\x23-\x5b\x5d-\x7e]{1,1000})"/i.exec(challenge)?.[1]?.trim();
  return scope === undefined || scope === "" ? null : scope;
}

function missing(name: string): never {
  throw new AppError("not_found", `There is no credential named "${name}".`, {
    nextAction:
      "Create it first, or remove its name from what uses it; suitectl vault list shows those that exist.",
  });
}

function changedMeanwhile(name: string): AppError {
  return new AppError("conflict", `The credential "${name}" was changed at the same moment.`, {
    nextAction: "Read it again and repeat the change.",
  });
}

function notForProgram(name: string, connection: string): AppError {
  return new AppError("blocked", `The credential "${name}" is not for the program of ${connection}.`, {
    nextAction: `Name a credential of kind environment whose hosts have "${connection}".`,
  });
}
