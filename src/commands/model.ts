/*
 * What a command is. The table in `table.ts` is the only list of commands: the parser, `--help`, shell completion,
 * docs/cli.md, the tools about the CLI and every printed command line are made from it.
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

/** Values of options on one command line: true for a switch, a list for an option given several times. */
export type OptionValues = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One command of an example. */
export interface Step {
  /** The command; the one that the example belongs to when left out. */
  readonly path?: string;
  readonly args?: readonly string[];
  readonly options?: OptionValues;
  /** Text on standard input, as a here-document. */
  readonly stdin?: string;
  /** A file on standard input. */
  readonly from?: string;
  /** The file that the output goes to. */
  readonly into?: string;
  /** Environment variables in front of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** The output of this command is the standard input of the next one. */
  readonly pipe?: boolean;
}

/** What must be there before an example works. */
export type Need =
  | "service"
  | "key"
  | "database"
  | "terminal"
  | "workflow"
  | "run"
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
  readonly steps: readonly Step[];
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
  readonly fields?: boolean;
  readonly examples: readonly ExampleSpec[];
}

/** A group of commands that begin with the same word. */
export interface GroupSpec {
  readonly name: string;
  readonly summary: string;
}
