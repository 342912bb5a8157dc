import type { InputOf, OutputOf } from "../../packages/client/client.ts";
import type { Envelope } from "../kernel/envelope.ts";
import type { Caller } from "../ports/caller.ts";
import type { Cli } from "./command.ts";
import { databaseUrl } from "./database-url.ts";
import { Failure } from "./failure.ts";
import { argument } from "./spec.ts";

/** The argument that names a person. */
export const personArgument = argument(
  "person",
  "The id or the e-mail address of the person; `latest` is the newest one.",
);

const CLOCK = { now: (): number => Date.now() };
/** An operator with the database could change every row of it; the log names what did. */
const DATABASE: Caller = { kind: "system", id: "database", scopes: new Set(["admin"]) };

/** A person with the link that lets them in. */
export type Invited = OutputOf<"invite_person">;

/** What an operator does to people, over the service or on the database itself. */
export interface PeopleAdmin {
  list(page: InputOf<"list_people">): Promise<Envelope<OutputOf<"list_people">>>;
  invite(input: InputOf<"invite_person">): Promise<Envelope<Invited>>;
  link(id: string): Promise<Envelope<Invited>>;
  change(input: InputOf<"change_person">): Promise<Envelope<OutputOf<"change_person">>>;
}

/** Runs work on people: with `--database` on the database, which needs no key, otherwise over the service. */
export async function withPeopleAdmin<T>(cli: Cli, work: (admin: PeopleAdmin) => Promise<T>): Promise<T> {
  return cli.given.flag("database") ? onDatabase(cli, work) : work(overService(cli));
}

/** The id of the person that the command line names. */
export function givenPerson(cli: Cli): Promise<string> {
  return withPeopleAdmin(cli, (admin) => personId(admin, cli.given.argument("person")));
}

/** The id that is meant: an id, an e-mail address or `latest`. */
export async function personId(admin: PeopleAdmin, given: string): Promise<string> {
  if (given !== "latest" && !given.includes("@")) return given;
  let cursor: string | undefined;
  do {
    const { people, nextCursor } = (await admin.list({ limit: 100, cursor })).data;
    const found = people.find(({ email }) => given === "latest" || email === given.toLowerCase());
    if (found !== undefined) return found.id;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new Failure(
    "missing",
    given === "latest" ? "There is no person yet." : `No person has the address ${given}.`,
    { next: "suitectl people list shows everybody." },
  );
}

function overService(cli: Cli): PeopleAdmin {
  return {
    list: (page) => cli.client().run("list_people", page),
    invite: (input) => cli.client().run("invite_person", input),
    link: (id) => cli.client().run("create_person_link", { id }),
    change: (input) => cli.client().run("change_person", input),
  };
}

/** The same operations as the service's, called on a store of our own. */
async function onDatabase<T>(cli: Cli, work: (admin: PeopleAdmin) => Promise<T>): Promise<T> {
  const [{ openStore }, { createProvenance }, { openPeople }, { changeView, personView }, names] =
    await Promise.all([
      import("../storage/open.ts"),
      import("../provenance/provenance.ts"),
      import("../access/people/open.ts"),
      import("../access/people/people.ts"),
      import("../access/people/names.ts"),
    ]);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openStore(databaseUrl(cli.variables), { clock: CLOCK, log });
  const provenance = createProvenance({ store, clock: CLOCK });
  const { people } = openPeople({ store, clock: CLOCK, log, provenance, settings: { baseUrl: cli.url() } });
  try {
    return await work({
      async list({ limit = 50, cursor }) {
        const page = await people.list({ limit, ...(cursor !== undefined && { cursor }) });
        return { ok: true, data: { people: page.items.map(personView), nextCursor: page.nextCursor } };
      },
      async invite({ email, role, name = email }) {
        const invited = { email: names.emailIn(email), role, name: names.nameOf(name) };
        const { person, link } = await people.invite(invited, DATABASE);
        return { ok: true, data: { person: personView(person), invitation: { ...link } } };
      },
      async link(id) {
        const { person, link, kind } = await people.newLink(id, DATABASE);
        return { ok: true, data: { person: personView(person), invitation: { ...link }, kind } };
      },
      async change({ id, role, state }) {
        const wanted = { ...(role !== undefined && { role }), ...(state !== undefined && { state }) };
        return { ok: true, data: changeView(await people.change(id, wanted, DATABASE)) };
      },
    });
  } finally {
    await store.close();
  }
}
