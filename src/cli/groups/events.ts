import process from "node:process";
import { object, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { followEvents } from "../event-stream.ts";
import { Failure } from "../failure.ts";
import { oneLine } from "../terminal-text.ts";

/** The event stream. */
export const handlers: Handlers = { "events tail": tail };

async function tail(cli: Cli): Promise<number> {
  const { given, output } = cli;
  const count = given.integer("count", 1) ?? Number.POSITIVE_INFINITY;
  const after = given.integer("after", 0);
  const subject = given.option("subject");
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  let seen = 0;
  const messages = followEvents(cli.client({ isQuiet: true }), {
    types: given.list("type"),
    ...(subject !== undefined && { subject }),
    ...(after !== undefined && { after: String(after) }),
    signal: stop.signal,
    onBreak: () => output.note("The connection broke; trying again."),
  });
  for await (const { name, data } of messages) {
    if (name === "resync") {
      output.note(`${text(data["reason"])} What is missing must be read again.`);
      if (after !== undefined) throw new Failure("missing", "The events you asked for are no longer kept.");
    }
    if (name !== "message") continue;
    if (output.mode === "json") output.write(`${JSON.stringify(data)}\n`);
    else if (output.mode === "yaml") await output.document([data]);
    else if (output.mode === "quiet") output.write(`${text(data["id"])}\n`);
    else output.write(`${eventLine(data)}\n`);
    seen += 1;
    if (seen >= count) break;
  }
  stop.abort();
  return 0;

  function eventLine(event: Readonly<Record<string, unknown>>): string {
    const cells = [event["time"], event["type"], event["subject"], summaryOf(object(event["data"]))].map(
      (item) => oneLine(text(item)),
    );
    if (!output.isTerminal) return cells.join("\t");
    const [time = "", type = "", ...rest] = cells;
    return [output.paint("dim", time.slice(11, 23)), output.paint("cyan", type), ...rest].join("  ");
  }
}

/** The members of an event that say most, as `name=value`. */
function summaryOf(data: Readonly<Record<string, unknown>>): string {
  return ["stepId", "status", "title", "name", "state"]
    .filter((name) => typeof data[name] === "string")
    .map((name) => `${name}=${text(data[name])}`)
    .join(" ");
}
