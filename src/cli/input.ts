import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { isJson, isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Cli } from "./command.ts";
import { Failure } from "./failure.ts";

const LARGEST = 16 * 1024 * 1024;

/** All of standard input. */
export async function readStdin(): Promise<string> {
  let text = "";
  process.stdin.setEncoding("utf8");
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > LARGEST) throw new Failure("usage", "Standard input is larger than 16 MB.");
  }
  return text;
}

/** The text of a file; `-` is standard input. */
export async function readText(file: string): Promise<string> {
  if (file === "-") return readStdin();
  if (!existsSync(file)) throw new Failure("missing", `There is no file ${file}.`);
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new Failure("failed", `${file} cannot be read.`);
  }
}

/** A JSON or YAML document; `where` says in errors what was read. */
async function parseDocument(text: string, where: string): Promise<Json> {
  const begins = text.trimStart().charAt(0);
  try {
    const value: unknown = JSON.parse(text);
    if (isJson(value)) return value;
  } catch (error) {
    if (begins === "{" || begins === "[" || begins === '"') {
      throw new Failure(
        "usage",
        `${where} is not JSON: ${error instanceof Error ? error.message : "it does not parse"}.`,
      );
    }
  }
  const { parseAllDocuments } = await import("yaml");
  const [document, ...more] = parseAllDocuments(text);
  const errors = document && "errors" in document ? document.errors : [];
  const value: unknown = document && "toJS" in document ? document.toJS({ maxAliasCount: 100 }) : undefined;
  if (more.length > 0 || errors.length > 0 || !isJson(value)) {
    const why =
      errors[0]?.message.split("\n")[0] ?? (more.length > 0 ? "it has several documents" : "it is empty");
    throw new Failure("usage", `${where} is neither JSON nor YAML: ${why}.`);
  }
  return value;
}

/** A document in a file. */
export async function readDocument(file: string): Promise<JsonObject> {
  const where = file === "-" ? "Standard input" : file;
  return asObject(await parseDocument(await readText(file), where), where);
}

/** JSON given on the command line, in a file (`@FILE`) or on standard input (`-`). */
export async function jsonOption(text: string, name: string): Promise<JsonObject> {
  if (text === "-") return readDocument("-");
  if (text.startsWith("@")) return readDocument(text.slice(1));
  return asObject(await parseDocument(text, name), name);
}

/** The value of an option that is JSON, where it was given. */
export async function optionalJson(cli: Cli, name: string): Promise<JsonObject | undefined> {
  const text = cli.given.option(name);
  return text === undefined ? undefined : jsonOption(text, `--${name}`);
}

function asObject(value: Json, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Failure("usage", `${where} must hold one object.`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** A time such as 30s, 15m, 12h, 30d or 52w, in seconds. */
export function duration(text: string, name: string): number {
  const [, count = "", unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const size = UNITS[unit];
  if (size === undefined)
    throw new Failure("usage", `${name} is a time such as 30m, 12h, 30d or 52w, not "${text}".`);
  return Number(count) * size;
}
