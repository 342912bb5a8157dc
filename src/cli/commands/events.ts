import process from "node:process";
import { isObject } from "../../kernel/json.ts";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import { cell } from "../results.ts";
import { oneLine } from "../terminal-text.ts";
import { example, group, option } from "../spec.ts";

/** The event stream. */
export const events = group("events", {
  tail: {
    summary: "Follow the service's events as they happen.",
    about:
      "One line an event; with --json one CloudEvent a line. A lost connection is taken up again where it broke. Without a key only what is public is shown.",
    access: "public",
    options: [
      option("--type <TYPE...>", "An event such as svc.run.failed, or svc.run.*; all when left out."),
      option("--subject <ID>", "Only events about this record."),
      option("--after <SEQUENCE>", "Begin after this event; 0 for everything that is kept."),
      option("--count <N>", "End after N events."),
    ],
    examples: [
      example("The first three events about runs that are kept", "--type 'svc.run.*' --after 0 --count 3", [
        "key",
        "run",
      ]),
    ],
    run: tail,
  },
});

async function tail(cli: Cli): Promise<number> {
  const { given, output } = cli;
  const count = given.integer("count", 1) ?? Number.POSITIVE_INFINITY;
  const after = given.integer("after", 0);
  const subject = given.option("subject");
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  let seen = 0;
  const { followEvents } = await import("../event-stream.ts");
  const messages = followEvents(cli.client({ isQuiet: true }), {
    types: given.list("type"),
    ...(subject !== undefined && { subject }),
    ...(after !== undefined && { after: String(after) }),
    signal: stop.signal,
    onBreak: () => output.note("The connection broke; trying again."),
  });
  for await (const { name, data } of messages) {
    if (name === "resync") {
      output.note(`${cell(data["reason"])} What is missing must be read again.`);
      if (after !== undefined) throw new Failure("missing", "The events you asked for are no longer kept.");
    }
    if (name !== "message") continue;
    if (output.mode === "json") output.write(`${JSON.stringify(data)}\n`);
    else if (output.mode === "yaml") await output.document([data]);
    else if (output.mode === "quiet") output.write(`${cell(data["id"])}\n`);
    else output.write(`${eventLine(data)}\n`);
    seen += 1;
    if (seen >= count) break;
  }
  stop.abort();
  return 0;

  function eventLine(event: Readonly<Record<string, unknown>>): string {
    const cells = [event["time"], event["type"], event["subject"], summaryOf(event["data"])].map((item) =>
      oneLine(String(cell(item) ?? "")),
    );
    if (!output.isTerminal) return cells.join("\t");
    const [time = "", type = "", ...rest] = cells;
    return [output.paint("dim", time.slice(11, 23)), output.paint("cyan", type), ...rest].join("  ");
  }
}

/** The members of an event that say most, as `name=value`. */
function summaryOf(data: unknown): string {
  if (!isObject(data)) return "";
  return ["stepId", "status", "title", "name", "state"]
    .filter((name) => typeof data[name] === "string")
    .map((name) => `${name}=${String(data[name])}`)
    .join(" ");
}
