import type { InputOf, OutputOf } from "../../packages/client/client.ts";
import type { Envelope } from "../kernel/envelope.ts";
import type { Cli } from "./command.ts";
import { databaseUrl } from "./database-url.ts";
import { Failure } from "./failure.ts";
import { resolveId } from "./newest.ts";

const CLOCK = { now: (): number => Date.now() };

/** What an operator does to keys, over the service or on the database itself. */
export interface KeyAdmin {
  list(page: InputOf<"list_keys">): Promise<Envelope<OutputOf<"list_keys">>>;
  create(input: InputOf<"create_key">): Promise<Envelope<OutputOf<"create_key">>>;
  rotate(input: InputOf<"rotate_key">): Promise<Envelope<OutputOf<"rotate_key">>>;
  revoke(id: string): Promise<Envelope<OutputOf<"revoke_key">>>;
  /** The id that a person means. */
  resolve(given: string): Promise<string>;
}

/** Runs work on keys: with `--database` on the database, which needs no key, otherwise over the service. */
export async function withKeyAdmin<T>(cli: Cli, work: (admin: KeyAdmin) => Promise<T>): Promise<T> {
  return cli.given.flag("database") ? onDatabase(cli, work) : work(overService(cli));
}

function overService(cli: Cli): KeyAdmin {
  return {
    list: (page) => cli.client().run("list_keys", page),
    create: (input) => cli.client().run("create_key", input),
    rotate: (input) => cli.client().run("rotate_key", input),
    revoke: (id) => cli.client().run("revoke_key", { id }),
    resolve: (given) => resolveId(cli, given, "key"),
  };
}

/** An operator who can write the database may make keys: that is how a lost one is replaced. */
async function onDatabase<T>(cli: Cli, work: (admin: KeyAdmin) => Promise<T>): Promise<T> {
  const [{ openStore }, { createKeyring }, { keyView }, { createProvenance }] = await Promise.all([
    import("../storage/open.ts"),
    import("../access/keys/keyring.ts"),
    import("../access/keys/operations.ts"),
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
  try {
    return await work({
      async list({ limit = 50, cursor }) {
        const page = await keyring.list({ limit, ...(cursor !== undefined && { cursor }) });
        return { ok: true, data: { keys: page.items.map(keyView), nextCursor: page.nextCursor } };
      },
      async create({ name, scopes, expiresAt = null }) {
        const { record, token } = await keyring.create({ name, scopes: [...scopes], expiresAt });
        return { ok: true, data: { key: keyView(record), token } };
      },
      async rotate({ id, graceSeconds }) {
        const { record, token } = await keyring.rotate(id, graceSeconds);
        return { ok: true, data: { key: keyView(record), token, replaces: id } };
      },
      revoke: async (id) => ({ ok: true, data: { key: keyView(await keyring.revoke(id)) } }),
      async resolve(given) {
        if (given !== "latest") return given;
        const [newest] = (await keyring.list({ limit: 1 })).items;
        if (newest === undefined) throw new Failure("missing", "There is no key in the database yet.");
        return newest.id;
      },
    });
  } finally {
    await keyring.close();
    await store.close();
  }
}
