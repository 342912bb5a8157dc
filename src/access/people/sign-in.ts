import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { KeepableAccess } from "../../model/person-states.ts";
import type { PasskeyRecord } from "../../ports/passkeys.ts";
import type { InvitationRecord, PersonRecord } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store, StoreTx } from "../../ports/store.ts";
import { createAttempts, type Attempts } from "./attempts.ts";
import { disconnectAll, recordPerson, recordRefusal } from "./audit.ts";
import { createPasswords, type PasswordCost, type Passwords } from "./passwords.ts";
import { changedMeanwhile } from "./people.ts";
import type { NewPasskey, Passkeys } from "./passkeys.ts";
import type { PersonTokens } from "./person-tokens.ts";
import type { NewSession, Origin, Sessions } from "./sessions.ts";
import { digestOfCode, digestOfToken, newRecoveryCodes } from "./tokens.ts";

/** After signing in with a passkey or a recovery code the password is not asked for this long. */
const FRESH_MS = 15 * 60_000;

/** What signing in works with. */
export interface SignInParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
  readonly sessions: Sessions;
  readonly tokens: PersonTokens;
  readonly passkeys: Passkeys;
  readonly passwordCost?: PasswordCost;
}

/** A person who has just signed in. */
export interface SignInResult {
  readonly person: PersonRecord;
  readonly session: NewSession;
}

/** What a person who follows a link sees before accepting it. */
interface LinkView {
  readonly kind: InvitationRecord["kind"];
  readonly person: PersonRecord | null;
}

/** Signs people in, and lets them change what they sign in with. */
export class SignIn {
  readonly #parts: SignInParts;
  readonly #attempts: Attempts;
  readonly #passwords: Passwords;

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.#attempts = createAttempts(parts.store, parts.clock);
    this.#passwords = createPasswords(parts.passwordCost);
  }

  /** Signs in with a password. Whatever is wrong, the answer and its cost are the same. */
  async withPassword(email: string, password: string, from: Origin): Promise<SignInResult> {
    const person = await this.#parts.store.read.people.byEmail(email);
    const isKnown = person !== null && from.knownPerson === person.id;
    await this.#attempts.begin(email, from.address, isKnown);
    const matches = await this.#passwords.matches(password, person?.password ?? null);
    if (!matches || person?.state !== "active") throw await this.#refuse(person, "password", from);
    await this.#attempts.succeeded(email, from.address, isKnown);
    // The password may have been changed since it was compared.
    return this.#begin(person, "password", from, async (_, current) => current.password === person.password);
  }

  /** Signs in with a recovery code, which counts once. */
  async withRecoveryCode(email: string, code: string, from: Origin): Promise<SignInResult> {
    await this.#attempts.begin(`recovery ${email}`, from.address);
    const person = await this.#parts.store.read.people.byEmail(email);
    if (person?.state !== "active") throw await this.#refuse(person, "recovery", from);
    const result = await this.#begin(person, "recovery", from, (tx, current) =>
      tx.people.takeRecoveryCode(current.id, digestOfCode(current.id, code)),
    );
    await this.#attempts.succeeded(`recovery ${email}`, from.address);
    return result;
  }

  /** What the browser needs to sign in with a passkey; those that are never answered are limited. */
  async passkeyOptions(address: string): Promise<JsonObject> {
    await this.#attempts.begin(null, address);
    return this.#parts.passkeys.signInOptions();
  }

  /** Signs in with a passkey, which names the person. */
  async withPasskey(response: unknown, from: Origin): Promise<SignInResult> {
    const { store, passkeys } = this.#parts;
    const found = await passkeys.verifySignIn(response);
    const person = found === null ? null : await store.read.people.get(found.passkey.personId);
    if (found === null || person?.state !== "active") {
      await this.#refuse(person, "passkey", from);
      throw refusedPasskey();
    }
    const result = await this.#begin(person, "passkey", from, (tx) =>
      tx.passkeys.used(found.passkey.id, found.counter, this.#now()),
    );
    await this.#attempts.succeeded(null, from.address);
    return result;
  }

  /** Keeps a passkey that the person made with options of their own. */
  async addPasskey(personId: string, name: string, response: unknown): Promise<PasskeyRecord> {
    const { store, passkeys } = this.#parts;
    const { subject, passkey } = await passkeys.verifyCreation("register", response);
    if (subject !== personId) throw refusedPasskey();
    return store.transact((tx) => passkeys.keep(tx, passkey, name, personId));
  }

  /** What a link is for. */
  async look(token: string, address: string): Promise<LinkView> {
    const digest = digestOfToken(token);
    await this.#attempts.begin(digest, address);
    const link = await this.#parts.store.read.people.invitation(digest);
    const view = link === null ? null : await this.#viewOf(link);
    if (view === null) throw deadLink();
    await this.#attempts.succeeded(digest, address);
    return view;
  }

  /** Follows a link: makes the owner, lets an invited person in, or sets a new password. Works once. */
  async follow(
    token: string,
    given: {
      readonly email: string;
      readonly name: string | undefined;
      readonly password?: string;
      readonly passkey?: unknown;
      /** With a link that sets a new password: what does not end. */
      readonly keep?: readonly KeepableAccess[];
    },
    from: Origin,
  ): Promise<SignInResult> {
    await this.look(token, from.address);
    const { store, sessions, passkeys } = this.#parts;
    const password = given.password === undefined ? null : await this.#passwords.hash(given.password);
    const made = password === null ? await passkeys.verifyCreation("join", given.passkey) : null;
    return store.transact(async (tx) => {
      const link = await tx.people.takeInvitation(digestOfToken(token));
      if (link === null || Date.parse(link.expiresAt) <= this.#parts.clock.now()) throw deadLink();
      const person =
        link.kind === "owner"
          ? await this.#makeOwner(tx, given.email, given.name ?? given.email, password, made?.subject)
          : await this.#letIn(tx, link, given.name, password, given.keep ?? []);
      if (made !== null) await this.#firstPasskey(tx, person, made);
      return { person, session: await sessions.begin(tx, person, "invitation", from) };
    });
  }

  /** Sets a new password and ends every other session. The old one is asked for, unless a code was just used. */
  async setPassword(
    person: PersonRecord,
    sessionId: string,
    current: string | null,
    next: string,
    from: Origin,
  ): Promise<void> {
    await this.confirm(person, sessionId, current, from);
    const password = await this.#passwords.hash(next);
    const { store, sessions, provenance } = this.#parts;
    await store.transact(async (tx) => {
      const changed = {
        ...person,
        password,
        revision: person.revision + 1,
        updatedBy: person.id,
        updatedAt: this.#now(),
      };
      if (!(await tx.people.update(changed, person.revision))) throw changedMeanwhile();
      await tx.people.dropInvitations(person.id);
      await sessions.endAll(tx, person.id, sessionId, "the password was changed", person.id);
      await recordPerson(tx, provenance, changed, "password_set", person.id);
    });
  }

  /** New recovery codes, shown this once; those before stop working. */
  async newCodes(
    person: PersonRecord,
    sessionId: string,
    password: string | null,
    from: Origin,
  ): Promise<readonly string[]> {
    await this.confirm(person, sessionId, password, from);
    const codes = newRecoveryCodes();
    const { store, provenance } = this.#parts;
    await store.transact(async (tx) => {
      await tx.people.setRecoveryCodes(
        person.id,
        codes.map((code) => digestOfCode(person.id, code)),
      );
      await recordPerson(tx, provenance, person, "recovery_codes_made", person.id);
    });
    return codes;
  }

  /** A stolen session must not be enough to take the account over: the password, or a sign-in just now. */
  async confirm(
    person: PersonRecord,
    sessionId: string,
    password: string | null,
    from: Origin,
  ): Promise<void> {
    if (password === null && (await this.#isFresh(person, sessionId))) return;
    await this.#attempts.begin(person.email, from.address, true);
    if (!(await this.#passwords.matches(password ?? "", person.password))) {
      await this.#refuse(person, "current password", from, person.id);
      throw new AppError("invalid_input", "The current password is not right.", {
        nextAction: "Give your current password, or sign in again with a passkey or a recovery code.",
        problems: [{ pointer: "/password", message: "is not your current password" }],
      });
    }
    await this.#attempts.succeeded(person.email, from.address, true);
  }

  /** Signed in just now, by something that a thief of the session does not have. */
  async #isFresh(person: PersonRecord, sessionId: string): Promise<boolean> {
    const session = await this.#parts.store.read.people.session(sessionId);
    if (session === null) return false;
    if (this.#parts.clock.now() - Date.parse(session.createdAt) >= FRESH_MS) return false;
    return person.password === null || session.method === "recovery" || session.method === "passkey";
  }

  /** The passkey that a link was followed with belongs to the person of the link and nobody else. */
  async #firstPasskey(
    tx: StoreTx,
    person: PersonRecord,
    made: { readonly subject: string; readonly passkey: NewPasskey },
  ): Promise<void> {
    if (made.subject !== person.id) throw refusedPasskey();
    await this.#parts.passkeys.keep(tx, made.passkey, "First passkey", person.id);
  }

  async #begin(
    person: PersonRecord,
    method: "password" | "recovery" | "passkey",
    from: Origin,
    prove: (tx: StoreTx, current: PersonRecord) => Promise<boolean>,
  ): Promise<SignInResult> {
    const { store, sessions } = this.#parts;
    const result = await store.transact(async (tx) => {
      const current = await tx.people.get(person.id);
      if (current?.state !== "active" || !(await prove(tx, current))) return null;
      return { person: current, session: await sessions.begin(tx, current, method, from) };
    });
    if (result === null) throw await this.#refuse(person, method, from);
    return result;
  }

  /** Notes a refused sign-in, at the same cost whether or not there is such a person. */
  async #refuse(
    person: PersonRecord | null,
    method: string,
    { address }: Origin,
    by?: string,
  ): Promise<AppError> {
    await this.#parts.store.transact((tx) => recordRefusal(tx, person?.id ?? null, method, address, by));
    return refused();
  }

  async #viewOf(link: InvitationRecord): Promise<LinkView | null> {
    const { store, clock } = this.#parts;
    if (Date.parse(link.expiresAt) <= clock.now()) return null;
    if (link.personId === null) {
      const owners = await store.read.people.owners();
      return owners.length === 0 ? { kind: link.kind, person: null } : null;
    }
    const person = await store.read.people.get(link.personId);
    return person === null || person.state === "disabled" ? null : { kind: link.kind, person };
  }

  async #makeOwner(
    tx: StoreTx,
    email: string,
    name: string,
    password: string | null,
    id: string = newId("person"),
  ): Promise<PersonRecord> {
    const at = this.#now();
    const person: PersonRecord = {
      id,
      email,
      name,
      role: "owner",
      state: "active",
      password,
      revision: 1,
      createdBy: "system",
      createdAt: at,
      updatedBy: "system",
      updatedAt: at,
      lastSignInAt: at,
    };
    if ((await tx.people.owners()).length > 0) throw deadLink();
    // Two links that are followed at once both find no owner; one of them makes it.
    const first = await tx.idempotency.insert({
      scope: "people",
      key: "first owner",
      requestDigest: person.id,
      answer: {},
      createdAt: at,
    });
    if (!first) throw deadLink();
    if (!(await tx.people.insert(person))) {
      throw new AppError("conflict", "There is a person with this e-mail address already.");
    }
    await tx.people.dropInvitations(null);
    await recordPerson(tx, this.#parts.provenance, person, "joined", person.id);
    return person;
  }

  async #letIn(
    tx: StoreTx,
    link: InvitationRecord,
    name: string | undefined,
    password: string | null,
    keep: readonly KeepableAccess[],
  ): Promise<PersonRecord> {
    const person = link.personId === null ? null : await tx.people.get(link.personId);
    if (person === null || person.state !== (link.kind === "invite" ? "invited" : "active")) throw deadLink();
    const next: PersonRecord = {
      ...person,
      name: link.kind === "invite" ? (name ?? person.name) : person.name,
      state: "active",
      password,
      revision: person.revision + 1,
      updatedBy: person.id,
      updatedAt: this.#now(),
    };
    if (!(await tx.people.update(next, person.revision))) throw changedMeanwhile();
    await tx.people.dropInvitations(person.id);
    const { provenance } = this.#parts;
    const ended = link.kind === "invite" ? {} : await this.#endWhatWasNotKept(tx, person.id, keep);
    const change = link.kind === "invite" ? "joined" : "password_set";
    await recordPerson(tx, provenance, next, change, next.id, ended);
    return next;
  }

  /** Who asks for a new password may have had the old one stolen: what was made with it ends, unless it is kept. */
  async #endWhatWasNotKept(
    tx: StoreTx,
    id: string,
    keep: readonly KeepableAccess[],
  ): Promise<Partial<Record<KeepableAccess, number>>> {
    const { sessions, tokens, passkeys, provenance } = this.#parts;
    const ended: Partial<Record<KeepableAccess, number>> = {};
    if (!keep.includes("sessions"))
      ended.sessions = await sessions.endAll(tx, id, null, "the password was changed", id);
    if (!keep.includes("tokens")) ended.tokens = (await tokens.revokeAll(tx, id, id)).length;
    if (!keep.includes("passkeys")) ended.passkeys = await passkeys.removeAll(tx, id);
    if (!keep.includes("clients")) ended.clients = (await disconnectAll(tx, provenance, id, id)).length;
    return ended;
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** One answer for an unknown address, a wrong password, a used code and a disabled person. */
function refused(): AppError {
  return new AppError("unauthorized", "The e-mail address and the password or code do not match.", {
    nextAction: "Check both, use a recovery code, or ask an admin for a link that sets a new password.",
  });
}

/** One answer for every reason a passkey may not count. */
function refusedPasskey(): AppError {
  return new AppError("unauthorized", "This passkey does not sign anybody in here.", {
    nextAction: "Try again, use another passkey, or sign in with the password.",
  });
}

/** One answer for every reason a link may not work. */
function deadLink(): AppError {
  return new AppError("not_found", "This link does not work: it was used, replaced or is over.", {
    nextAction: "Ask an admin for a new one; the owner's link is printed when the service starts.",
  });
}
