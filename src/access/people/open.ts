import type { Engine } from "../../ports/engine.ts";
import type { Clock, Fetcher, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Store } from "../../ports/store.ts";
import { Devices } from "./device.ts";
import { Groups } from "./groups.ts";
import { Oidc } from "./oidc.ts";
import { Passkeys } from "./passkeys.ts";
import type { PasswordCost } from "./passwords.ts";
import { People } from "./people.ts";
import { PersonTokens } from "./person-tokens.ts";
import { Sessions } from "./sessions.ts";
import { SignIn } from "./sign-in.ts";

/** Accounts, groups, sessions and the ways to sign in. */
export interface Accounts {
  readonly people: People;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly tokens: PersonTokens;
  readonly passkeys: Passkeys;
  readonly devices: Devices;
  readonly groups: Groups;
  /** Null without a company's provider. */
  readonly oidc: Oidc | null;
}

/** What the operations of people work with. */
export interface AccountParts {
  readonly accounts: Accounts;
}

/** Wires the accounts. */
export function openPeople(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly provenance: Provenance;
  readonly settings: Pick<Settings, "baseUrl"> & Partial<Pick<Settings, "oidc">>;
  /** Needed for sign-in at a company's provider. */
  readonly fetcher?: Fetcher;
  /** Missing where no runs are carried out: they stop when a worker takes their next step. */
  readonly engine?: Pick<Engine, "recheck">;
  readonly passwordCost?: PasswordCost;
}): Accounts {
  const { store, clock, log, provenance, passwordCost } = parts;
  const { baseUrl } = parts.settings;
  const { fetcher } = parts;
  const settings = parts.settings.oidc ?? null;
  const sessions = new Sessions({ store, clock, log, provenance });
  const tokens = new PersonTokens({ store, clock, provenance });
  const recheckRuns = async (actors: readonly string[]): Promise<void> => parts.engine?.recheck(actors);
  const people = new People({ store, clock, provenance, baseUrl, sessions, tokens, recheckRuns });
  const passkeys = new Passkeys({ store, clock, log, provenance, baseUrl });
  const signIn = new SignIn({
    store,
    clock,
    provenance,
    sessions,
    tokens,
    passkeys,
    ...(passwordCost && { passwordCost }),
  });
  const devices = new Devices(provenance);
  const oidc =
    settings === null || fetcher === undefined
      ? null
      : new Oidc({ store, clock, log, provenance, sessions, fetcher, baseUrl, settings });
  return {
    people,
    sessions,
    signIn,
    tokens,
    passkeys,
    devices,
    groups: new Groups({ store, clock, provenance }),
    oidc,
  };
}
