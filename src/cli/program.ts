import { Argument, Command, CommanderError, Option } from "commander";
import { SERVICE } from "../kernel/service.ts";
import { Given } from "./command.ts";
import { EXIT_CODES, GLOBAL_OPTIONS, PROGRAM } from "./conventions.ts";
import { flagsOf } from "./reference.ts";
import type { CommandSpec, OptionSpec } from "./spec.ts";
import type { CommandTable } from "./table.ts";

/** What the command line asks for: a command, or nothing more because help or an error was shown. */
export type Parsed = { readonly given: Given } | { readonly status: number };

/** Reads the command line by the table. Help and mistakes are printed here. */
export function parseCommandLine(argv: readonly string[], table: CommandTable): Parsed {
  let given: Given | null = null;
  const program = buildProgram(table, (found) => {
    given = found;
  });
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const asked = error.code === "commander.helpDisplayed" || error.code === "commander.version";
    return { status: asked || argv[0] === "help" ? EXIT_CODES.ok.code : EXIT_CODES.usage.code };
  }
  return given === null ? { status: EXIT_CODES.usage.code } : { given };
}

function buildProgram(table: CommandTable, choose: (given: Given) => void): Command {
  const program = new Command(PROGRAM)
    .description("The whole Workflow-UI service from a terminal.")
    .version(SERVICE.build, "-V, --version", "Print the version.")
    .helpOption("-h, --help", "Show how a command is written, with examples.")
    .helpCommand("help [command]", "Show how a command is written.")
    .configureOutput({ outputError: (text, write) => write(withoutValues(text)) })
    .showHelpAfterError(`(suitectl --help lists the commands; --help after a command shows its examples)`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  for (const option of GLOBAL_OPTIONS) program.addOption(optionOf(option));
  program.addHelpText("after", overview());
  const groups = new Map(
    table.groups.map(({ name, summary }) => [name, program.command(name).description(summary)] as const),
  );
  for (const spec of table.commands) {
    const [first = "", second] = spec.path.split(" ");
    const parent = second === undefined ? program : groups.get(first);
    if (parent === undefined) throw new TypeError(`the group of "${spec.path}" is not in the table`);
    addCommand(parent, second ?? first, spec, choose);
  }
  return program;
}

function addCommand(parent: Command, word: string, spec: CommandSpec, choose: (given: Given) => void): void {
  const command = parent.command(word).summary(spec.summary);
  command.description(spec.about === undefined ? spec.summary : `${spec.summary}\n\n${spec.about}`);
  for (const { name, summary, optional, choices } of spec.args ?? []) {
    const argument = new Argument(optional === true ? `[${name}]` : `<${name}>`, summary);
    if (choices) argument.choices(choices);
    command.addArgument(argument);
  }
  for (const option of spec.options ?? []) command.addOption(optionOf(option));
  if (spec.takesFields === true) command.allowUnknownOption().allowExcessArguments();
  command.addHelpText("after", () => examplesOf(spec));
  command.action(() => {
    const args = (spec.args ?? []).map(({ name }, index) => [name, command.args[index]] as const);
    const rest = command.args.slice(args.length);
    const fields = spec.takesFields === true ? fieldOptions(rest, command) : [];
    choose(new Given(spec, Object.fromEntries(args), namedOptions(command), fields));
  });
}

/** `--name value` and `--name=value` pairs that the table does not know. */
function fieldOptions(words: readonly string[], command: Command): (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const cut = word.indexOf("=");
    if (!word.startsWith("--") || word.length < 3)
      command.error(`error: "${word.slice(0, 40)}" is not an option`);
    if (cut !== -1) fields.push([word.slice(2, cut), word.slice(cut + 1)]);
    else {
      const value = words[at + 1];
      if (value === undefined) command.error(`error: ${word} needs a value`);
      fields.push([word.slice(2), value]);
      at += 1;
    }
  }
  return fields;
}

function optionOf(spec: OptionSpec): Option {
  const option = new Option(flagsOf(spec), spec.summary);
  if (spec.many === true) {
    option.argParser<readonly string[]>((value, before) => {
      if (spec.choices !== undefined && !spec.choices.includes(value)) {
        throw new CommanderError(
          2,
          "commander.invalidArgument",
          `--${spec.name} is one of ${spec.choices.join(", ")}.`,
        );
      }
      return [...(Array.isArray(before) ? before : []), value];
    });
  } else if (spec.choices !== undefined) {
    option.choices(spec.choices);
  }
  return option;
}

/** Options under the names of the table; the parser's own names are in camel case. */
function namedOptions(command: Command): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) =>
      name === "color"
        ? ["no-color", value === false]
        : [name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value],
    ),
  );
}

function overview(): string {
  const codes = Object.values(EXIT_CODES).map(({ code, name }) => `${code} ${name}`);
  return `
Examples:
  suitectl login
  suitectl status
  suitectl tools list --search workflow
  suitectl form fill create_local_artifact
  suitectl workflows run latest --watch

Exit status: ${codes.join(", ")}.
docs/cli.md describes every command.`;
}

function examplesOf(spec: CommandSpec): string {
  if (spec.examples.length === 0) return "";
  const texts = spec.examples.map(
    (example) => `  ${example.title}:\n${example.text.replaceAll(/^/gm, "    ")}`,
  );
  return `\nExamples:\n${texts.join("\n\n")}`;
}

/** A mistyped option may hold a key; its value is not repeated on the screen. */
function withoutValues(text: string): string {
  return text
    .replaceAll(/(^|[\s'])(--[^\s'=]*)=[^'\n]*/g, "$1$2")
    .replaceAll(/suite_(live|tok)_\w+/g, "suite_$1_…");
}
