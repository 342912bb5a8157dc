import type { FormValue } from "../../../packages/forms/src/index.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import process from "node:process";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import { asking } from "../asking.ts";
import type { Prompter } from "../prompt.ts";
import { Filler, type FillTools } from "./fill.ts";
import { formOfSchema } from "./source.ts";

/** What filling in works with on this terminal. */
export function fillTools(cli: Cli, prompter: Prompter): FillTools {
  return {
    prompter,
    paint: cli.output.paintError,
    variables: cli.variables,
    say: (text) => process.stderr.write(`${text}\n`),
  };
}

/** Lets a person fill in the form of a schema, and gives the value. */
export async function fillSchema(cli: Cli, schema: JsonObject, title: string): Promise<JsonObject> {
  const form = formOfSchema(schema, title);
  const value = plainJson(await asking((prompter) => new Filler(form, fillTools(cli, prompter)).fill()));
  if (isJsonObject(value)) return value;
  throw new Failure("usage", "The form's value must be an object.");
}

/** A form's value as plain JSON. */
export function plainJson(value: FormValue): unknown {
  return JSON.parse(JSON.stringify(value));
}
