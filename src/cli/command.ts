import { DEFAULT_URL } from "./conventions.ts";
import type { Client } from "./client.ts";
import type { StoredCredentials } from "./credentials.ts";
import type { Variables } from "./environment.ts";
import { Failure } from "./failure.ts";
import type { Output, Result } from "./output.ts";
import type { CommandSpec } from "./spec.ts";

/** What was given on the command line, checked against the table. */
export class Given {
  readonly spec: CommandSpec;
  readonly #args: Readonly<Record<string, string | undefined>>;
  readonly #options: Readonly<Record<string, unknown>>;
  /** Options by the names of a definition's fields, as they were written. */
  readonly fields: readonly (readonly [name: string, value: string])[];

  constructor(
    spec: CommandSpec,
    args: Readonly<Record<string, string | undefined>>,
    options: Readonly<Record<string, unknown>>,
    fields: readonly (readonly [name: string, value: string])[] = [],
  ) {
    this.spec = spec;
    this.#args = args;
    this.#options = options;
    this.fields = fields;
  }

  /** A required argument. */
  argument(name: string): string {
    const value = this.#args[name];
    if (value === undefined || value === "") throw new Failure("usage", `${name} is missing.`);
    return value;
  }

  /** An argument that may be left out. */
  optionalArgument(name: string): string | undefined {
    return this.#args[name];
  }

  /** The value of an option. */
  option(name: string): string | undefined {
    const value = this.#options[name];
    return typeof value === "string" ? value : undefined;
  }

  /** The value of an option with choices, which the table has checked. */
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.option(name);
    return choices.find((one) => one === value);
  }

  /** Whether a switch was given. */
  flag(name: string): boolean {
    return this.#options[name] === true;
  }

  /** The values of an option that may be repeated. */
  list(name: string): readonly string[] {
    const value = this.#options[name];
    return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  }

  /** The value of an option that is a whole number. */
  integer(name: string, least = 1, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const text = this.option(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
      throw new Failure("usage", `--${name} is a whole number, ${range}; not "${text}".`);
    }
    return value;
  }
}

/** What a command works with. */
export interface Cli {
  readonly given: Given;
  readonly output: Output;
  readonly variables: Variables;
  /** The folder that login keeps its file in. */
  readonly folder: string;
  /** What login keeps; read when it is first needed. */
  kept(): StoredCredentials;
  /** The address of the service. */
  url(): string;
  /** The key, and where it comes from. */
  key(): { readonly value: string; readonly from: "SUITE_API_KEY" | "login" } | null;
  /** The service. On a terminal a slow answer is announced, unless the caller draws there itself. */
  client(options?: { readonly isQuiet?: boolean; readonly keepAlive?: boolean }): Client;
}

/** What a command does. Without a result it has printed what there was to say. */
export type Handler = (cli: Cli) => Promise<Result | number | undefined> | Result | number | undefined;

/** Which address a command speaks to: the option, the environment, the last login, the default. */
export function chosenUrl(
  option: string | undefined,
  variables: Variables,
  kept: () => StoredCredentials,
): string {
  const variable = variables["SUITE_URL"];
  if (option !== undefined) return option;
  if (variable !== undefined && variable !== "") return variable;
  return kept().current ?? DEFAULT_URL;
}
