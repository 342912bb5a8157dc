import process from "node:process";
import {
  createFormValidator,
  parseExact,
  stringifyExact,
  type FormDocument,
  type FormValue,
} from "../../../packages/forms/src/index.ts";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import { Filler } from "./fill.ts";
import { fillTools } from "./fill-schema.ts";
import { outline } from "./outline.ts";
import { preview, send, targetOf } from "./send.ts";
import { loadForm } from "./source.ts";
import { readStdin, readText } from "../input.ts";
import type { Result } from "../output.ts";
import { agree, canAsk, asking } from "../asking.ts";
import { jsonBlock, note, table } from "../results.ts";
import { safeText } from "../terminal-text.ts";

/** Shows the form that the command line names as an outline of its fields. */
export async function showForm(cli: Cli): Promise<Result> {
  const form = await loadForm(cli);
  const columns = {
    FIELD: "place",
    KIND: "kind",
    "": ({ required }: Outlined) => (required ? "required" : ""),
    LIMITS: "limits",
    MEANING: "help",
  } as const;
  return {
    envelope: { ok: true, data: { form } },
    ids: [form.formId],
    view: [table(columns, outline(form))],
  };
}

type Outlined = ReturnType<typeof outline>[number];

/** Prints the whole form document. */
export async function renderForm(cli: Cli): Promise<Result> {
  const form = await loadForm(cli);
  return { envelope: { ok: true, data: { form } }, ids: [form.formId], view: [jsonBlock(form)] };
}

/** Checks a value against a form. */
export async function validateValue(cli: Cli): Promise<Result> {
  const text = cli.given.option("value") ?? "-";
  if (cli.given.option("schema") === "-" && text === "-") {
    throw new Failure("usage", "The schema and the value cannot both be on standard input.");
  }
  const form = await loadForm(cli);
  const problems = createFormValidator(form)(await givenValue(text));
  const valid = problems.length === 0;
  const found = table({ WHERE: ({ pointer }) => pointer || "/", PROBLEM: "message" }, problems);
  const verdict = note(valid ? "The value is valid." : `${problems.length} problems.`);
  return {
    envelope: { ok: true, data: { valid, problems } },
    view: valid ? [verdict] : [found, verdict],
    ...(!valid && { status: 1 }),
  };
}

async function givenValue(text: string): Promise<FormValue> {
  const json = text === "-" ? await readStdin() : text.startsWith("@") ? await readText(text.slice(1)) : text;
  try {
    return parseExact(json);
  } catch (error) {
    throw new Failure(
      "usage",
      `The value is not JSON: ${error instanceof Error ? error.message : "it does not parse"}.`,
    );
  }
}

/** Fills in a form and sends it. */
export async function fillForm(cli: Cli): Promise<Result | undefined> {
  const { given } = cli;
  const form = await loadForm(cli);
  const text = given.option("value") ?? (canAsk() ? undefined : "-");
  if (text === undefined) return fillByHand(cli, form);
  const value = await givenValue(text);
  const problems = createFormValidator(form)(value);
  if (problems.length > 0) {
    throw new Failure("usage", "The form does not take this value; nothing was sent.", {
      problems: problems.map(({ pointer, message }) => `${pointer || "/"}: ${message}`),
      next: "suitectl form show lists the fields.",
    });
  }
  if (given.flag("print") || targetOf(form) === "value") return printValue(cli, value);
  if (!given.flag("yes") && canAsk()) process.stderr.write(`${safeText(preview(form, value))}\n`);
  await agree("Send this?", given.flag("yes"));
  return send(cli, form, value);
}

/** Everything a person decides: the fields, a last look, and whether it is sent. */
async function fillByHand(cli: Cli, form: FormDocument): Promise<Result | undefined> {
  const { paintError } = cli.output;
  const isPrinted = cli.given.flag("print") || targetOf(form) === "value";
  const value = await asking(async (prompter) => {
    const filler = new Filler(form, fillTools(cli, prompter));
    await filler.fill();
    if (isPrinted) return filler.value;
    for (;;) {
      process.stderr.write(
        `\n${paintError("bold", "This would be sent:")}\n${safeText(preview(form, filler.value))}\n`,
      );
      if (cli.given.flag("yes")) break;
      const answer = (await prompter.line("Send it? [y/N, e: edit as JSON] ")).trim().toLowerCase();
      if (answer === "y" || answer === "yes") break;
      if (answer === "e") {
        await filler.editAsJson("");
        await filler.fix();
      } else if (answer === "" || answer === "n" || answer === "no") {
        throw new Failure("interrupted", "Nothing was sent.");
      }
    }
    return filler.value;
  });
  return isPrinted ? printValue(cli, value) : send(cli, form, value);
}

function printValue(cli: Cli, value: FormValue): undefined {
  cli.output.write(`${stringifyExact(value, "  ")}\n`);
  return undefined;
}
