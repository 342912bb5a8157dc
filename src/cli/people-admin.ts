import type { Envelope } from "../kernel/envelope.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import type { PersonChanges } from "../people/people.ts";
import type { Caller } from "../ports/caller.ts";
import { objects, text } from "./answers.ts";
import type { Cli } from "./command.ts";
import { databaseUrl } from "./database-url.ts";
import { Failure } from "./failure.ts";

const PEOPLE = "/api/svc/people";
const CLOCK = { now: (): number => Date.now() };
/** An operator with the database could change every row of it; the log names what did. */
const DATABASE: Caller = { kind: "system", id: "database", scopes: new Set(["admin"]) };

/** What an operator does to people, over the service or on the database itself. */
export interface PeopleAdmin {
  list(limit: number | undefined, cursor: string | undefined): Promise<Envelope>;
  invite(email: string, role: string, name: string | undefined): Promise<Envelope>;
  link(id: string): Promise<Envelope>;
  change(id: string, changes: JsonObject): Promise<Envelope>;
}

/** Runs work on people: with `--database` on the database, which needs no key, otherwise over the service. */
export async function withPeopleAdmin<T>(cli: Cli, work: (admin: PeopleAdmin) => Promise<T>): Promise<T> {
  return cli.given.flag("database") ? onDatabase(cli, work) : work(overService(cli));
}

/** The id that is meant: an id, an e-mail address or `latest`. */
export async function personId(admin: PeopleAdmin, given: string): Promise<string> {
  if (given !== "latest" && !given.includes("@")) return given;
  let cursor: string | undefined;
  do {
    const { data } = await admin.list(100, cursor);
    const found = objects(data["people"]).find(
      (person) => given === "latest" || person["email"] === given.toLowerCase(),
    );
    if (isObject(found)) return text(found["id"]);
    cursor = typeof data["nextCursor"] === "string" ? data["nextCursor"] : undefined;
  } while (cursor !== undefined);
  throw new Failure(
    "missing",
    given === "latest" ? "There is no person yet." : `Nobody has the address ${given}.`,
    {
      next: "suitectl people list shows everybody.",
    },
  );
}

function overService(cli: Cli): PeopleAdmin {
  const path = (id: string): string => `${PEOPLE}/${encodeURIComponent(id)}`;
  return {
    list: (limit, cursor) => cli.client().get(PEOPLE, { limit, cursor }),
    invite: (email, role, name) =>
      cli.client().post(PEOPLE, { email, role, ...(name !== undefined && { name }) }),
    link: (id) => cli.client().post(`${path(id)}/link`),
    change: (id, changes) => cli.client().patch(path(id), changes),
  };
}

/** The same routes as the service's, called on a store of our own. */
async function onDatabase<T>(cli: Cli, work: (admin: PeopleAdmin) => Promise<T>): Promise<T> {
  const [
    { openStore },
    { createProvenance },
    { openPeople },
    { changeView, personView },
    names,
    { roleNamed },
  ] = await Promise.all([
    import("../storage/open.ts"),
    import("../provenance/provenance.ts"),
    import("../people/open.ts"),
    import("../people/people.ts"),
    import("../people/names.ts"),
    import("../people/roles.ts"),
  ]);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openStore(databaseUrl(cli.variables), { clock: CLOCK, log });
  const provenance = createProvenance({ store, clock: CLOCK });
  const { people } = openPeople({ store, clock: CLOCK, log, provenance, settings: { baseUrl: cli.url() } });
  try {
    return await work({
      async list(limit, cursor) {
        const page = await people.list({ limit: limit ?? 50, ...(cursor !== undefined && { cursor }) });
        return { ok: true, data: { people: page.items.map(personView), nextCursor: page.nextCursor } };
      },
      async invite(email, role, name) {
        const invited = {
          email: names.emailIn(email),
          role: roleNamed(role),
          name: names.nameOf(name ?? email),
        };
        const { person, link } = await people.invite(invited, DATABASE);
        return { ok: true, data: { person: personView(person), invitation: { ...link } } };
      },
      async link(id) {
        const { person, link, kind } = await people.newLink(id, DATABASE);
        return { ok: true, data: { person: personView(person), invitation: { ...link }, kind } };
      },
      async change(id, changes) {
        const { role, state } = changes;
        const wanted: PersonChanges = {
          ...(role !== undefined && { role: roleNamed(role) }),
          ...(state !== undefined && { state: state === "disabled" ? "disabled" : "active" }),
        };
        return { ok: true, data: changeView(await people.change(id, wanted, DATABASE)) };
      },
    });
  } finally {
    await store.close();
  }
}
