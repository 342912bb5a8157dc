import { shellCommand, shellWord } from "../kernel/shell.ts";
import { GLOBAL_OPTIONS, PROGRAM } from "./conventions.ts";
import type { CommandSpec, ExampleSpec, OptionValues, Step } from "./model.ts";
import { COMMANDS, findCommand } from "./table.ts";

/** Where a command's standard input comes from and its output goes to. */
export interface Redirects {
  /** Text on standard input. */
  readonly stdin?: string;
}

/**
 * A command line that works when it is pasted, made from the table: an unknown command, option or choice, a missing
 * or superfluous argument throws, so a wrong command line cannot be printed.
 */
export function suitectl(
  path: string,
  args: readonly string[] = [],
  options: OptionValues = {},
  redirects: Redirects = {},
): string {
  const command = findCommand(path);
  if (command === undefined) throw new TypeError(`there is no command "${path}"`);
  checkArguments(command, args);
  const line = shellCommand([
    PROGRAM,
    ...path.split(" "),
    ...args.map(guarded),
    ...optionWords(command, options),
  ]);
  return redirects.stdin === undefined ? line : `${line} ${hereDocument(redirects.stdin)}`;
}

/** An example as a person pastes it: its commands, one a line, each of them checked against the table. */
export function exampleText(command: CommandSpec, example: ExampleSpec): string {
  const lines = example.steps.map((step) => stepText(command, step));
  return lines.join("");
}

/** One command of an example, checked against the table. */
export function stepText(command: CommandSpec, step: Step): string {
  const env = Object.entries(step.env ?? {}).map(([name, value]) => `${name}=${shellWord(value)} `);
  const line = suitectl(step.path ?? command.path, step.args, step.options);
  const from = step.from === undefined ? "" : ` < ${shellWord(step.from)}`;
  const into = step.into === undefined ? "" : ` > ${shellWord(step.into)}`;
  const here = step.stdin === undefined ? "" : ` ${hereDocument(step.stdin)}`;
  return `${env.join("")}${line}${from}${into}${here}\n`;
}

/** A word that begins with a dash would be read as an option; `-` alone is standard input. */
function guarded(word: string): string {
  if (word.startsWith("-") && word !== "-") throw new TypeError(`"${word}" would be read as an option`);
  return word;
}

function checkArguments(command: CommandSpec, given: readonly string[]): void {
  const known = command.args ?? [];
  const required = known.filter(({ optional }) => optional !== true).length;
  if (given.length < required || given.length > known.length) {
    throw new TypeError(
      `"${command.path}" takes ${required} to ${known.length} arguments, not ${given.length}`,
    );
  }
  known.forEach(({ name, choices }, index) => {
    const value = given[index];
    if (value !== undefined && choices !== undefined && !choices.includes(value)) {
      throw new TypeError(`"${command.path}": ${name} is one of ${choices.join(", ")}, not "${value}"`);
    }
  });
}

function optionWords(command: CommandSpec, given: OptionValues): readonly string[] {
  const known = [...(command.options ?? []), ...GLOBAL_OPTIONS];
  return Object.entries(given).flatMap(([name, value]) => {
    const option = known.find((candidate) => candidate.name === name);
    if (option === undefined) throw new TypeError(`"${command.path}" has no option --${name}`);
    if (option.value === undefined) {
      if (typeof value !== "boolean") throw new TypeError(`--${name} of "${command.path}" takes no value`);
      return value ? [`--${name}`] : [];
    }
    const values = Array.isArray(value) ? value : [value];
    if (typeof value === "boolean") throw new TypeError(`--${name} of "${command.path}" needs a value`);
    if (values.length > 1 && option.many !== true) throw new TypeError(`--${name} is given once`);
    return values.flatMap((item) => {
      const text = String(item);
      if (option.choices !== undefined && !option.choices.includes(text)) {
        throw new TypeError(`--${name} is one of ${option.choices.join(", ")}, not "${text}"`);
      }
      return text.startsWith("-") && text !== "-" ? [`--${name}=${text}`] : [`--${name}`, text];
    });
  });
}

/** Text on standard input, under a mark that does not occur in it. */
function hereDocument(text: string): string {
  let mark = "EOF";
  while (text.split("\n").includes(mark)) mark += "_";
  return `<<'${mark}'\n${text.replace(/\n$/, "")}\n${mark}`;
}

/** The words that can follow a beginning of a command, for completion and for help. */
export function nextWords(prefix: readonly string[]): readonly string[] {
  const words = COMMANDS.map(({ path }) => path.split(" "))
    .filter((path) => prefix.every((word, index) => path[index] === word))
    .map((path) => path[prefix.length]);
  return [...new Set(words.filter((word) => word !== undefined))];
}
