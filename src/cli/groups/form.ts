import process from "node:process";
import {
  createFormValidator,
  parseExact,
  stringifyExact,
  type FormDocument,
  type FormValue,
} from "../../forms/index.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { jsonBlock } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { Filler } from "../form/fill.ts";
import { fillTools } from "../form/fill-schema.ts";
import { outline } from "../form/outline.ts";
import { preview, send, targetOf } from "../form/send.ts";
import { loadForm } from "../form/source.ts";
import { readStdin, readText } from "../input.ts";
import type { Result } from "../output.ts";
import { agree, canAsk, Prompter } from "../prompt.ts";
import { safeText } from "../terminal-text.ts";

/** Forms: looked at, filled in, rendered, and values checked against them. */
export const handlers: Handlers = {
  async "form show"(cli) {
    const form = await loadForm(cli);
    const rows = outline(form).map(({ place, kind, required, limits, help }) => [
      place,
      kind,
      required ? "required" : "",
      limits,
      help,
    ]);
    return {
      envelope: { ok: true, data: { form: asJson(form) } },
      ids: [form.formId],
      view: [{ kind: "table", columns: ["FIELD", "KIND", "", "LIMITS", "MEANING"], rows }],
    };
  },
  "form fill": fill,
  async "forms render"(cli) {
    const form = await loadForm(cli);
    return {
      envelope: { ok: true, data: { form: asJson(form) } },
      ids: [form.formId],
      view: [jsonBlock(asJson(form))],
    };
  },
  async "forms validate"(cli) {
    if (cli.given.option("schema") === "-" && (cli.given.option("value") ?? "-") === "-") {
      throw new Failure("usage", "The schema and the value cannot both be on standard input.");
    }
    const form = await loadForm(cli);
    const problems = createFormValidator(form)(await givenValue(cli.given.option("value") ?? "-"));
    const valid = problems.length === 0;
    return {
      envelope: { ok: true, data: { valid, problems: problems.map((problem) => ({ ...problem })) } },
      view: [
        ...(valid
          ? []
          : [
              {
                kind: "table" as const,
                columns: ["WHERE", "PROBLEM"],
                rows: problems.map(({ pointer, message }) => [pointer || "/", message]),
              },
            ]),
        { kind: "note", text: valid ? "The value is valid." : `${problems.length} problems.` },
      ],
      ...(!valid && { status: 1 }),
    };
  },
};

function asJson(form: FormDocument): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(form));
  return copy;
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

async function fill(cli: Cli): Promise<Result | undefined> {
  const { given } = cli;
  const form = await loadForm(cli);
  const text = given.option("value") ?? (canAsk() ? undefined : "-");
  if (text === undefined) return fillByHand(cli, form);
  const value = await givenValue(text);
  const problems = createFormValidator(form)(value);
  if (problems.length > 0) {
    throw new Failure("usage", "The value does not fit the form; nothing was sent.", {
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
  const prompter = new Prompter();
  const { paintError } = cli.output;
  let value: FormValue;
  try {
    const filler = new Filler(form, fillTools(cli, prompter));
    value = await filler.fill();
    const target = targetOf(form);
    if (cli.given.flag("print") || target === "value") return printValue(cli, value);
    for (;;) {
      process.stderr.write(
        `\n${paintError("bold", "This would be sent:")}\n${safeText(preview(form, value))}\n`,
      );
      if (cli.given.flag("yes")) break;
      const answer = (await prompter.line("Send it? [y/N, e: edit as JSON] ")).trim().toLowerCase();
      if (answer === "y" || answer === "yes") break;
      if (answer === "e") {
        await filler.editAsJson("");
        await filler.mend();
        value = filler.value;
      } else if (answer === "" || answer === "n" || answer === "no") {
        throw new Failure("interrupted", "Nothing was sent.");
      }
    }
  } finally {
    prompter.close();
  }
  return send(cli, form, value);
}

function printValue(cli: Cli, value: FormValue): undefined {
  cli.output.write(`${stringifyExact(value, "  ")}\n`);
  return undefined;
}
