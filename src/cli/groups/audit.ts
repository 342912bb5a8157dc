import { createWriteStream } from "node:fs";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { listResult, object } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure, failureOfText } from "../failure.ts";
import type { Result } from "../output.ts";

const AUDIT = "/api/svc/audit";
const FILTERS = ["actor", "action", "subject", "from", "to"];

/** Who did what when. */
export const handlers: Handlers = { audit };

async function audit(cli: Cli): Promise<Result | number> {
  const { given } = cli;
  const filter = Object.fromEntries(FILTERS.map((name) => [name, given.option(name)]));
  const file = given.option("export");
  if (file !== undefined) return exportTo(cli, file, filter);
  const query = { ...filter, limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
  return listResult(cli, await cli.client().get(AUDIT, query), "entries", [
    ["TIME", "time"],
    ["WHO", (entry) => object(entry["actor"])["name"]],
    ["WHAT", "what"],
    ["TO WHAT", (entry) => object(entry["subject"])["name"]],
    ["RECORD", "provenanceId"],
  ]);
}

/** Writes the lines as they arrive, so that the size of the list does not matter. */
async function exportTo(
  cli: Cli,
  file: string,
  filter: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  const response = await cli.client({ isQuiet: true }).open({
    method: "GET",
    path: `${AUDIT}/export?${query.toString()}`,
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
