import { createWriteStream } from "node:fs";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption } from "../conventions.ts";
import { Failure, failureOfText } from "../failure.ts";
import { page } from "../from-operation.ts";
import { listResult } from "../results.ts";
import { example, group, option } from "../spec.ts";

const FILTERS = ["actor", "action", "subject", "from", "to"] as const;
type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string | undefined>>>;

/** Who did what when. */
export const audit = group("", {
  audit: {
    summary: "Who did what when: changes of rights, sign-ins and decisions, newest first.",
    about:
      "With --export all entries that match are written as JSON lines, each with the names of today and the id of its provenance record. Needs the scope admin.",
    options: [
      option("--actor <WHO>", "Only what this id or e-mail address did."),
      option("--action <ACTION>", "Only this action, or a kind such as person.*."),
      option("--subject <SUBJECT>", "Only what was done to this, such as people/person_…."),
      option("--from <TIME>", "From this day or time on (2027-01-31 is its beginning in UTC)."),
      option("--to <TIME>", "Before this day or time."),
      option("--export <FILE>", "Write JSON lines to a new file; - for the standard output."),
      limitOption,
      cursorOption,
    ],
    examples: [
      example("What happened last", "--limit 5"),
      example(
        "Everything about people since a day, as a file",
        "--action 'person.*' --from 2026-01-01 --export audit.jsonl",
        [],
        { id: "audit-export" },
      ),
    ],
    async run(cli) {
      const { given } = cli;
      const filter: Filter = Object.fromEntries(FILTERS.map((name) => [name, given.option(name)]));
      const file = given.option("export");
      if (file !== undefined) return exportTo(cli, file, filter);
      const envelope = await cli.client().run("list_audit", { ...filter, ...page(cli) });
      return listResult(cli, envelope, "entries", {
        TIME: "time",
        WHO: ({ actor }) => actor.name,
        WHAT: "what",
        "TO WHAT": ({ subject }) => subject.name,
        RECORD: "provenanceId",
      });
    },
  },
});

/** Writes the lines as they arrive, so that the size of the list does not matter. */
async function exportTo(cli: Cli, file: string, filter: Filter): Promise<number> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  const response = await cli.client({ isQuiet: true }).open({
    method: "GET",
    path: `/api/svc/audit/export?${query.toString()}`,
    headers: { accept: "application/jsonl" },
  });
  response.setEncoding("utf8");
  if (response.statusCode !== 200) throw failureOfText(await whole(response), "The list could not be read.");
  let lines = 0;
  let last = "";
  const counted = async function* (chunks: AsyncIterable<unknown>): AsyncGenerator<string> {
    for await (const chunk of chunks) {
      const part = String(chunk);
      lines += part.split("\n").length - 1;
      last = (last + part).split("\n").slice(-2).join("\n");
      yield part;
    }
  };
  const target =
    file === "-" ? process.stdout : createWriteStream(file, { flags: "wx", mode: 0o600, encoding: "utf8" });
  try {
    await pipeline(response, counted, target, { end: file !== "-" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new Failure("conflict", `${file} exists already; it was left untouched.`);
    }
    throw new Failure("unavailable", "The export broke off; the file is not complete.");
  }
  // The service says so when the right to read ended on the way.
  if (last.includes('"incomplete":true')) throw new Failure("refused", "The right to read the list ended.");
  if (file !== "-") cli.output.note(`${lines} entries are in ${file}.`);
  return 0;
}

async function whole(chunks: AsyncIterable<unknown>): Promise<string> {
  let all = "";
  for await (const chunk of chunks) all += String(chunk);
  return all;
}
