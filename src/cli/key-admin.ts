import type { Envelope } from "../kernel/envelope.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { SCOPES } from "../ports/caller.ts";
import { objects, resolveId, text } from "./answers.ts";
import type { Cli } from "./command.ts";
import { databaseUrl } from "./database-url.ts";
import { Failure } from "./failure.ts";

const KEYS = "/api/svc/keys";
const CLOCK = { now: (): number => Date.now() };

/** What an operator does to keys, over the service or on the database itself. */
export interface KeyAdmin {
  list(limit: number | undefined, cursor: string | undefined): Promise<Envelope>;
  create(name: string, scopes: readonly string[], expiresAt: string | null): Promise<Envelope>;
  rotate(id: string, graceSeconds: number | undefined): Promise<Envelope>;
  revoke(id: string): Promise<Envelope>;
  /** The id that a person means. */
  resolve(given: string): Promise<string>;
}

/** Runs work on keys: with `--database` on the database, which needs no key, otherwise over the service. */
export async function withKeyAdmin<T>(cli: Cli, work: (admin: KeyAdmin) => Promise<T>): Promise<T> {
  return cli.given.flag("database") ? onDatabase(cli, work) : work(overService(cli));
}

function overService(cli: Cli): KeyAdmin {
  const path = (id: string): string => `${KEYS}/${encodeURIComponent(id)}`;
  return {
    list: (limit, cursor) => cli.client().get(KEYS, { limit, cursor }),
    create: (name, scopes, expiresAt) =>
      cli.client().post(KEYS, { name, scopes: [...scopes], ...(expiresAt !== null && { expiresAt }) }),
    rotate: (id, graceSeconds) =>
      cli.client().post(`${path(id)}/rotate`, graceSeconds === undefined ? {} : { graceSeconds }),
    revoke: (id) => cli.client().post(`${path(id)}/revoke`),
    resolve: (given) => resolveId(cli, given, "key"),
  };
}

/** An operator who can write the database may make keys: that is how a lost one is replaced. */
async function onDatabase<T>(cli: Cli, work: (admin: KeyAdmin) => Promise<T>): Promise<T> {
  const [{ openStore }, { createKeyring }, { keyView }, { createProvenance }] = await Promise.all([
    import("../storage/open.ts"),
    import("../keys/keyring.ts"),
    import("../keys/operations.ts"),
    import("../provenance/provenance.ts"),
  ]);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openStore(databaseUrl(cli.variables), { clock: CLOCK, log });
  const keyring = createKeyring({
    store,
    settings: { apiKey: null },
    clock: CLOCK,
    provenance: createProvenance({ store, clock: CLOCK }),
  });
  const list = async (limit: number | undefined, cursor: string | undefined): Promise<Envelope> => {
    const page = await keyring.list({ limit: limit ?? 50, ...(cursor !== undefined && { cursor }) });
    return { ok: true, data: { keys: page.items.map(keyView), nextCursor: page.nextCursor } };
  };
  const issued = (data: JsonObject): Envelope => ({ ok: true, data });
  try {
    return await work({
      list,
      async create(name, scopes, expiresAt) {
        const known = SCOPES.filter((scope) => scopes.includes(scope));
        const { record, token } = await keyring.create({ name, scopes: known, expiresAt });
        return issued({ key: keyView(record), token });
      },
      async rotate(id, graceSeconds) {
        const { record, token } = await keyring.rotate(id, graceSeconds);
        return issued({ key: keyView(record), token, replaces: id });
      },
      revoke: async (id) => issued({ key: keyView(await keyring.revoke(id)) }),
      async resolve(given) {
        if (given !== "latest") return given;
        const [newest] = objects((await list(1, undefined)).data["keys"]);
        if (!isObject(newest)) throw new Failure("missing", "There is no key in the database yet.");
        return text(newest["id"]);
      },
    });
  } finally {
    await keyring.close();
    await store.close();
  }
}
