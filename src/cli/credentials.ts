import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isObject } from "../kernel/json.ts";
import { Failure } from "./failure.ts";

/** The tokens of a person who signed in with a code. */
export interface StoredToken {
  readonly access: string;
  readonly refresh: string;
  readonly expiresAt: string;
}

/** What is kept between commands: the service of the last login, and a key or a sign-in for each service. */
export interface StoredCredentials {
  readonly current: string | null;
  readonly keys: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, StoredToken>>;
}

const NOTHING: StoredCredentials = { current: null, keys: {}, tokens: {} };

/** Where it is kept. */
export function credentialsFile(folder: string): string {
  return join(folder, "suitectl.json");
}

/** Reads what is kept. A file that others may read is refused: the key in it may be known. */
export function readCredentials(folder: string): StoredCredentials {
  const file = credentialsFile(folder);
  let text: string;
  try {
    const { mode } = statSync(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new Failure("refused", `${file} can be read by others (mode ${(mode & 0o777).toString(8)}).`, {
        next: `Rotate the key if others use this machine, then: chmod 600 '${file}'`,
      });
    }
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return NOTHING;
    throw error;
  }
  return parseCredentials(text, file);
}

function parseCredentials(text: string, file: string): StoredCredentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!isObject(value) || !isObject(value["keys"])) {
    throw new Failure("failed", `${file} is damaged.`, { next: `Remove it and log in again: rm '${file}'` });
  }
  const keys = Object.entries(value["keys"]).flatMap(([url, key]) =>
    typeof key === "string" ? [[url, key]] : [],
  );
  const current = typeof value["current"] === "string" ? value["current"] : null;
  const tokens = Object.entries(isObject(value["tokens"]) ? value["tokens"] : {}).flatMap(([url, token]) =>
    isToken(token) ? [[url, token] as const] : [],
  );
  return { current, keys: Object.fromEntries(keys), tokens: Object.fromEntries(tokens) };
}

function isToken(value: unknown): value is StoredToken {
  return (
    isObject(value) && ["access", "refresh", "expiresAt"].every((name) => typeof value[name] === "string")
  );
}

/** Writes what is kept, readable by its owner alone; the file is replaced whole or not at all. */
export function writeCredentials(folder: string, kept: StoredCredentials): string {
  const file = credentialsFile(folder);
  const partial = `${file}.${process.pid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(partial, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(partial, 0o600);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  return file;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
