import { isoTime } from "../../kernel/time.ts";
import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { PersonChangeView, PersonView } from "../../model/people.ts";
import type { Caller } from "../../ports/caller.ts";
import type { InvitationKind, PersonFilter, PersonRecord, PersonState, Role } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Page, PageRequest, Store, StoreTx } from "../../ports/store.ts";
import { disconnectAll, recordPerson } from "./audit.ts";
import { leftOverOf, type LeftOver } from "./left-over.ts";
import type { PersonTokens } from "./person-tokens.ts";
import { mayManage } from "./roles.ts";
import type { Sessions } from "./sessions.ts";
import { digestOfToken, newLinkToken } from "./tokens.ts";

const DAY = 24 * 60 * 60 * 1_000;
/** How long each link works. */
const LINK_MS: Readonly<Record<InvitationKind, number>> = { owner: DAY, invite: 7 * DAY, reset: DAY };

/** What the accounts work with. */
export interface PeopleParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
  readonly baseUrl: string;
  readonly sessions: Sessions;
  readonly tokens: PersonTokens;
  /** Stops runs that act for callers whose rights ended. */
  readonly recheckRuns: (actors: readonly string[]) => Promise<void>;
}

/** A one-time link, shown once to the caller who made it. */
export interface Link {
  readonly url: string;
  readonly expiresAt: string;
}

/** Who is to be invited. */
export interface NewPerson {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

/** What an admin changes of a person. */
export interface PersonChanges {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  readonly state?: Exclude<PersonState, "invited"> | undefined;
}

/** What ended with a person's account, counted. */
export type Ended = Readonly<Record<"sessions" | "tokens" | "clients" | "invitations", number>>;

/** A person after a change; where it disabled the person, what ended and what goes on working. */
export interface ChangedPerson {
  readonly person: PersonRecord;
  readonly ended: Ended | null;
  readonly goesOn: readonly LeftOver[] | null;
}

/** The accounts, as an admin manages them. */
export class People {
  readonly #parts: PeopleParts;

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  list(page: PageRequest, filter: PersonFilter = {}): Promise<Page<PersonRecord>> {
    return this.#parts.store.read.people.list(page, filter);
  }

  async get(id: string): Promise<PersonRecord> {
    const person = await this.#parts.store.read.people.get(id);
    if (person === null) throw noPerson();
    return person;
  }

  /** The link with which the first owner is made; null when there is an owner or nothing can be kept. */
  async ownerLink(): Promise<Link | null> {
    const { store, clock } = this.#parts;
    if (store.kind === "none" || (await store.read.people.owners()).length > 0) return null;
    return store.transact(async (tx) => {
      await tx.people.trimInvitations(isoTime(clock.now()));
      return this.#link(tx, "owner", null, "system");
    });
  }

  /** Adds a person who can sign in after following the link. */
  async invite(
    given: NewPerson,
    by: Caller,
  ): Promise<{ readonly person: PersonRecord; readonly link: Link }> {
    checkMayManage(by, given.role);
    const { store, provenance } = this.#parts;
    const at = this.#now();
    const person: PersonRecord = {
      id: newId("person"),
      ...given,
      state: "invited",
      password: null,
      revision: 1,
      createdBy: by.id,
      createdAt: at,
      updatedBy: by.id,
      updatedAt: at,
      lastSignInAt: null,
    };
    return store.transact(async (tx) => {
      if (!(await tx.people.insert(person))) throw addressTaken();
      await recordPerson(tx, provenance, person, "invited", by.id);
      return { person, link: await this.#link(tx, "invite", person.id, by.id) };
    });
  }

  /** A new link for a person: to accept the invitation, or to set a new password. Earlier links stop working. */
  async newLink(
    id: string,
    by: Caller,
  ): Promise<{ readonly person: PersonRecord; readonly link: Link; readonly kind: InvitationKind }> {
    const { store, provenance } = this.#parts;
    return store.transact(async (tx) => {
      const person = await this.#managed(tx, id, by);
      if (person.state === "disabled") {
        throw new AppError("conflict", "The person is disabled.", { nextAction: "Enable the person first." });
      }
      const kind = person.state === "invited" ? "invite" : "reset";
      await tx.people.dropInvitations(id);
      await recordPerson(tx, provenance, person, "link_made", by.id);
      return { person, kind, link: await this.#link(tx, kind, id, by.id) };
    });
  }

  /** Changes name, role or state. What a disabled person signs in with ends, and the person's runs stop. */
  async change(id: string, changes: PersonChanges, by: Caller): Promise<ChangedPerson> {
    const { store, provenance, recheckRuns } = this.#parts;
    const changed = await store.transact(async (tx) => {
      const person = await this.#managed(tx, id, by);
      const next: PersonRecord = {
        ...person,
        name: changes.name ?? person.name,
        role: changes.role ?? person.role,
        state: stateAfter(person, changes.state),
        revision: person.revision + 1,
        updatedBy: by.id,
        updatedAt: this.#now(),
      };
      if (next.role !== person.role) checkMayManage(by, next.role);
      await keepAnOwner(tx, person, next);
      if (!(await tx.people.update(next, person.revision))) throw changedMeanwhile();
      const ended = next.state === "disabled" ? await this.#endAll(tx, id, by) : null;
      const change =
        next.state === person.state ? "updated" : next.state === "disabled" ? "disabled" : "enabled";
      await recordPerson(tx, provenance, next, change, by.id, ended ?? {});
      return { person: next, ended };
    });
    if (changed.ended === null) return { ...changed, goesOn: null };
    const tokens = await store.read.tokens.ofPerson(id);
    await recheckRuns([id, ...tokens.map((token) => token.id)]);
    return { ...changed, goesOn: await leftOverOf(store.read, id, this.#now()) };
  }

  /** Ends everything with which a person, or a program for the person, can come in. */
  async #endAll(tx: StoreTx, id: string, by: Caller): Promise<Ended> {
    const { provenance, sessions, tokens } = this.#parts;
    await tx.people.dropInvitations(id);
    return {
      sessions: await sessions.endAll(tx, id, null, "the person was disabled", by.id),
      tokens: (await tokens.revokeAll(tx, id, by.id)).length,
      clients: (await disconnectAll(tx, provenance, id, by.id)).length,
      invitations: await tx.people.dropInvitationsBy(id),
    };
  }

  /** Ends every session of a person. */
  async signOut(id: string, by: Caller): Promise<number> {
    const { store, sessions } = this.#parts;
    return store.transact(async (tx) => {
      await this.#managed(tx, id, by);
      return sessions.endAll(tx, id, null, "signed out by an admin", by.id);
    });
  }

  async #managed(tx: StoreTx, id: string, by: Caller): Promise<PersonRecord> {
    const person = await tx.people.get(id);
    if (person === null) throw noPerson();
    checkMayManage(by, person.role);
    return person;
  }

  async #link(tx: StoreTx, kind: InvitationKind, personId: string | null, by: string): Promise<Link> {
    const now = this.#parts.clock.now();
    const token = newLinkToken();
    const expiresAt = isoTime(now + LINK_MS[kind]);
    const digest = digestOfToken(token);
    await tx.people.insertInvitation({
      digest,
      kind,
      personId,
      createdBy: by,
      createdAt: isoTime(now),
      expiresAt,
    });
    // Behind the #, so that no server log and no Referer header ever holds it.
    return { url: `${this.#parts.baseUrl}/join#${token}`, expiresAt };
  }

  #now(): string {
    return isoTime(this.#parts.clock.now());
  }
}

/** A person as it may be shown: never the password's hash. */
export function personView(person: PersonRecord): PersonView {
  const { password, ...shown } = person;
  return { ...shown, hasPassword: password !== null };
}

/** A change of a person as it is shown. */
export function changeView({ person, ended, goesOn }: ChangedPerson): PersonChangeView {
  const shown = { person: personView(person) };
  return ended === null ? shown : { ...shown, ended, goesOn: [...(goesOn ?? [])] };
}

/** Without an active owner nobody could ever make one again. */
async function keepAnOwner(tx: StoreTx, before: PersonRecord, after: PersonRecord): Promise<void> {
  const was = before.role === "owner" && before.state === "active";
  const stays = after.role === "owner" && after.state === "active";
  if (!was || stays) return;
  const owners = await tx.people.owners();
  if (owners.some((id) => id !== before.id)) return;
  throw new AppError("conflict", "This is the last owner; there must always be one.", {
    nextAction: "Make another person an owner first.",
  });
}

/** A person who never joined is invited again, not active, when enabled. */
function stateAfter(person: PersonRecord, wanted: "active" | "disabled" | undefined): PersonState {
  if (wanted === undefined) return person.state;
  if (wanted === "disabled") return "disabled";
  if (person.state === "invited") {
    throw new AppError("conflict", "The person has not accepted the invitation yet.", {
      nextAction: "Make a new link with POST /api/svc/people/{id}/link and send it to the person.",
    });
  }
  return person.lastSignInAt === null ? "invited" : "active";
}

function checkMayManage(by: Caller, role: Role): void {
  if (mayManage(by, role)) return;
  throw new AppError("forbidden", `You may not make or change people with the role ${role}.`, {
    nextAction:
      role === "owner"
        ? "Sign in as an owner, or run suitectl people with --database on the machine that holds the database."
        : "Ask an admin; a token needs the scope approve for roles that hold it.",
  });
}

/** There is no such person. */
export function noPerson(): AppError {
  return new AppError("not_found", "There is no person with this id.", {
    nextAction: "GET /api/svc/people lists them.",
  });
}

function addressTaken(): AppError {
  return new AppError("conflict", "There is a person with this e-mail address already.", {
    nextAction: "Make a new link for that person instead: POST /api/svc/people/{id}/link.",
  });
}

/** Two changes of the same person met. */
export function changedMeanwhile(): AppError {
  return new AppError("conflict", "The person was changed at the same moment.", {
    nextAction: "Look at the person again and repeat the change.",
  });
}
