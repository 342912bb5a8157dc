import type { Handler } from "./command.ts";
import { hereDocument } from "../kernel/shell.ts";

/*
 * How commands are declared. The parser, `--help`, shell completion, docs/cli.md and the tools about the CLI are made
 * from these declarations.
 */

/** What a word or a value on the command line stands for, so that shells can complete it. */
type ValueKind = "file" | "tool" | "credential" | "connection" | "connected" | "text";

/** One positional argument. */
export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  readonly choices?: readonly string[];
  readonly kind?: ValueKind;
}

/** One option. Without `value` it is a switch. */
export interface OptionSpec {
  /** The long name, without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in help, such as `N` or `FILE`. */
  readonly value?: string;
  readonly summary: string;
  /** May be given several times. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  readonly kind?: ValueKind;
}

/** What must be there before an example works. */
export type Need =
  | "service"
  | "key"
  | "database"
  | "terminal"
  | "workflow"
  | "run"
  | "map-run"
  | "failed-run"
  | "waiting-run"
  | "approval"
  | "artifact"
  | "handoff"
  | "webhook"
  | "connection"
  | "siblings"
  | "key-file";

/** An example that works when it is pasted into a shell. Every one of them is run by a test. */
export interface ExampleSpec {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly Need[];
  /** What to paste. */
  readonly text: string;
}

/** What a command works with: nothing, the service, the service with a key, or the database itself. */
export type Access = "offline" | "public" | "key" | "database";

/** One command. */
export interface CommandSpec {
  /** Its words after `suitectl`. */
  readonly path: string;
  readonly summary: string;
  /** More than the summary says, in sentences. */
  readonly about?: string;
  readonly access: Access;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** Takes further options by the names of a definition's fields. */
  readonly takesFields?: boolean;
  readonly examples: readonly ExampleSpec[];
  readonly run: Handler;
}

/** What a command's declaration says besides what it does. */
export interface CommandAbout {
  readonly summary: string;
  readonly about?: string;
  /** `key` when left out. */
  readonly access?: Access;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly takesFields?: boolean;
  readonly examples?: readonly Example[];
}

/** A command as it is declared. */
export interface Declaration extends CommandAbout {
  readonly run: Handler;
}

/** Declares the commands of a group by their words; those of the group "" have one word. */
export function group(name: string, declared: Readonly<Record<string, Declaration>>): readonly CommandSpec[] {
  return Object.entries(declared).map(([word, { access = "key", examples = [], ...rest }]) => {
    const path = name === "" ? word : `${name} ${word}`;
    return { path, access, ...rest, examples: examples.map((one) => one(path, access)) };
  });
}

/** Declares an option by its flags: `-y, --yes`, `--limit <N>`, or `--tag <TAG...>` for one that may be repeated. */
export function option(
  flags: string,
  summary: string,
  more: Pick<OptionSpec, "choices" | "kind"> = {},
): OptionSpec {
  const [, short, name, value, many] = /^(?:-(\w), )?--([\w-]+)(?: <([^.>]+)(\.\.\.)?>)?$/.exec(flags) ?? [];
  if (name === undefined) throw new TypeError(`"${flags}" are not the flags of an option`);
  return {
    name,
    ...(short !== undefined && { short }),
    ...(value !== undefined && { value }),
    summary,
    ...(many !== undefined && { many: true }),
    ...more,
  };
}

/** Declares an argument; the name of one that may be left out stands in brackets. */
export function argument(
  name: string,
  summary: string,
  more: Pick<ArgumentSpec, "choices" | "kind"> = {},
): ArgumentSpec {
  const [, optional] = /^\[(.+)\]$/.exec(name) ?? [];
  return optional === undefined
    ? { name, summary, ...more }
    : { name: optional, summary, optional: true, ...more };
}

/** An example before it is known which command it belongs to. */
export type Example = (path: string, access: Access) => ExampleSpec;

const NEEDS: Readonly<Record<Access, readonly Need[]>> = {
  offline: [],
  public: ["service"],
  key: ["service", "key"],
  database: ["database"],
};

/**
 * Declares an example: what follows the command's own words, or several whole command lines. `needs` is what must be
 * there besides what the command's access says; `more.access` replaces that for an example that needs less.
 */
export function example(
  title: string,
  line: string | readonly string[] = "",
  needs: readonly Need[] = [],
  more: { readonly id?: string; readonly stdin?: string; readonly access?: Access } = {},
): Example {
  return (path, access) => ({
    id: more.id ?? path.replaceAll(" ", "-"),
    title,
    needs: [...NEEDS[more.access ?? access], ...needs],
    text: [
      typeof line === "string" ? `suitectl ${path} ${line}`.trimEnd() : line.join("\n"),
      ...(more.stdin === undefined ? [] : [hereDocument(more.stdin)]),
    ].join(" "),
  });
}
