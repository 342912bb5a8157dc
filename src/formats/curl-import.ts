import { AppError } from "../kernel/errors.ts";
import type { Imported } from "./format.ts";
import { HttpCollector } from "./http/collector.ts";
import { curlCalls } from "./http/curl.ts";
import { Losses, sequenceOf } from "./http/sequence.ts";

/** Reads one or several curl commands: each becomes a step, in their order. */
export function importCurl(text: string): Imported {
  const losses = new Losses();
  const collector = new HttpCollector(losses.lose);
  const calls = curlCalls(
    text,
    (name) => collector.input(name, { type: "string", title: name }),
    losses.lose,
  );
  if (calls.length === 0)
    throw new AppError("invalid_input", "There is no curl command with an address in the text.", {
      nextAction: "Paste commands such as curl https://api.example.com/orders, one below the other.",
    });
  const name = calls.length === 1 ? "Imported curl command" : `${calls.length} imported curl commands`;
  return sequenceOf({ format: "curl", name, description: "", calls, collector, losses });
}
