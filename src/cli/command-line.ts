import { shellCommand } from "../kernel/shell.ts";
import { GLOBAL_OPTIONS, PROGRAM } from "./conventions.ts";
import type { CommandSpec } from "./spec.ts";
import type { CommandTable } from "./table.ts";

/** Values of options on one command line: true for a switch, a list for an option given several times. */
export type OptionValues = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * A command line that works when it is pasted, made from the table: an unknown command, option or choice, a missing
 * or superfluous argument throws, so a wrong command line cannot be printed.
 */
export function suitectl(
  table: CommandTable,
  path: string,
  args: readonly string[] = [],
  options: OptionValues = {},
): string {
  const command = table.find(path);
  if (command === undefined) throw new TypeError(`there is no command "${path}"`);
  checkArguments(command, args);
  return shellCommand([PROGRAM, ...path.split(" "), ...args.map(guarded), ...optionWords(command, options)]);
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
