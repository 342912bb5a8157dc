import { SCOPES, type Scope } from "../../ports/caller.ts";
import { grantedScopes } from "../../ports/oauth.ts";
import type { PersonRecord, Role } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { PresentRights, Rights, RunActor } from "../../ports/rights.ts";
import type { Store } from "../../ports/store.ts";
import { isPersonId } from "./behind.ts";
import { scopesOf, scopesWithin } from "./roles.ts";

/** How long what was read counts: a right that was taken away is held by running steps this long at most. */
const FRESH_MS = 1_000;
/** Actors that are remembered. */
const MAX_REMEMBERED = 10_000;
/** The service itself, and the key that the operator configured: they are not stored, and nothing takes their rights. */
const CONFIGURED: PresentRights = { scopes: new Set(["admin"]) };

interface Remembered {
  readonly at: number;
  readonly rights: PresentRights | Promise<PresentRights>;
}

/** What the starters of runs may do now. A run asks at each step, so what was read is kept for a second. */
export class StoredRights implements Rights {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #known = new Map<string, Remembered>();

  constructor(parts: { readonly store: Store; readonly clock: Clock }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
  }

  of(actor: RunActor): PresentRights | Promise<PresentRights> {
    const known = this.#known.get(nameOf(actor));
    return known !== undefined && performance.now() - known.at < FRESH_MS ? known.rights : this.read(actor);
  }

  async read(actor: RunActor): Promise<PresentRights> {
    const name = nameOf(actor);
    const at = performance.now();
    const reading = this.#lookUp(actor);
    this.#keep(name, { at, rights: reading });
    try {
      const rights = await reading;
      this.#keep(name, { at, rights });
      return rights;
    } catch (error) {
      this.#known.delete(name);
      throw error;
    }
  }

  #keep(name: string, entry: Remembered): void {
    this.#known.delete(name);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, entry);
  }

  async #lookUp({ actsFor, actsVia }: RunActor): Promise<PresentRights> {
    if (isPersonId(actsFor)) return this.#ofPerson(actsFor, actsVia);
    if (actsFor.startsWith("tok_")) return this.#ofToken(actsFor);
    if (!actsFor.startsWith("key_")) return CONFIGURED;
    const key = await this.#store.read.keys.get(actsFor);
    if (key === null) return { ended: "the API key does not exist any more" };
    const what = `the API key "${key.name}"`;
    if (key.revokedAt !== null) return { ended: `${what} was revoked` };
    return this.#isOver(key.expiresAt) ? { ended: `${what} has expired` } : { scopes: new Set(key.scopes) };
  }

  async #ofPerson(id: string, via: string | null): Promise<PresentRights> {
    const own = rightsOf(await this.#store.read.people.get(id));
    if ("ended" in own || via === null || via.startsWith("external ")) return own;
    if (via.startsWith("tok_")) return this.#ofToken(via);
    const client = await this.#store.read.oauth.client(via);
    if (client === null || this.#isOver(client.expiresAt))
      return { ended: `the client with which ${own.name} started it is no longer connected` };
    return {
      scopes: scopesWithin(
        SCOPES.filter((scope) => grantedScopes(client).includes(scope)),
        own.role,
      ),
    };
  }

  /** A personal token, or a service key: what it was given, as far as the person's role still reaches. */
  async #ofToken(id: string): Promise<PresentRights> {
    const token = await this.#store.read.tokens.get(id);
    if (token === null) return { ended: "the token with which it was started does not exist any more" };
    const what = `the token "${token.name}"`;
    if (token.revokedAt !== null) return { ended: `${what} was revoked` };
    if (this.#isOver(token.expiresAt)) return { ended: `${what} has expired` };
    const own = rightsOf(await this.#store.read.people.get(token.personId));
    return "ended" in own ? own : { scopes: scopesWithin(token.scopes, own.role) };
  }

  #isOver(expiresAt: string | null): boolean {
    return expiresAt !== null && Date.parse(expiresAt) <= this.#clock.now();
  }
}

/** What the role of a person gives, while the person may sign in. */
function rightsOf(
  person: PersonRecord | null,
):
  | { readonly scopes: ReadonlySet<Scope>; readonly role: Role; readonly name: string }
  | { readonly ended: string } {
  if (person === null) return { ended: "the person does not exist any more" };
  const { name, role, state } = person;
  if (state !== "active") return { ended: `the account of ${name} is ${state}` };
  return { scopes: scopesOf(role), role, name };
}

function nameOf({ actsFor, actsVia }: RunActor): string {
  return actsVia === null ? actsFor : `${actsFor} ${actsVia}`;
}
