import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../kernel/errors.ts";

/** A key that wraps data keys. */
export interface MasterKey {
  /** Says which key it is and nothing about it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The master keys of this process. The first one wraps; the others only unwrap what they wrapped before. */
export interface MasterKeys {
  /** Where they come from. */
  readonly source: "SVC_MASTER_KEY" | "file" | "none";
  /** The key file; null without one. */
  readonly file: string | null;
  /** The key that wraps; throws when there is none. */
  current(): MasterKey;
  /** The key with this id; null when this process does not have it. */
  find(id: string): MasterKey | null;
  /** Makes a new first key where keys are ours to make (a key file). The one before it is kept, older ones are not. */
  renew(): MasterKey;
}

const HEADER =
  "# Master keys of the vault. The first one is in use; the next one opens backups from before the last rotation.\n# Keep a copy apart from the database: without it the stored credentials cannot be used.\n";
const KEY_BYTES = 32;

/** A key from its 32 bytes. */
function masterKeyOf(bytes: Buffer): MasterKey {
  return {
    id: `mk_${hash("sha256", Buffer.concat([Buffer.from("workflow-ui master key id"), bytes]), "hex").slice(0, 16)}`,
    bytes,
  };
}

/** The keys that the operator gave, the first one in use. */
export function givenMasterKeys(keys: readonly string[]): MasterKeys {
  const ring = keys.map((key) => masterKeyOf(Buffer.from(key, "base64")));
  return {
    source: "SVC_MASTER_KEY",
    file: null,
    current() {
      const [first] = ring;
      if (first === undefined) throw noKey("SVC_MASTER_KEY is empty.");
      return first;
    },
    find: (id) => ring.find((key) => key.id === id) ?? null,
    renew() {
      throw new AppError(
        "conflict",
        "The master key comes from SVC_MASTER_KEY, so only the operator can renew it.",
        {
          nextAction: "Set SVC_MASTER_KEY to NEW,OLD on every replica, restart, and rotate.",
        },
      );
    },
  };
}

/** No key at all: PostgreSQL without SVC_MASTER_KEY, or no database. */
export function noMasterKeys(reason: string): MasterKeys {
  const refuse = (): never => {
    throw noKey(reason);
  };
  return { source: "none", file: null, current: refuse, find: () => null, renew: refuse };
}

/**
 * The keys in a file of mode 0600 beside the database. It is read again whenever a key is needed that this process
 * does not know and before something is sealed, because another process may have rotated it.
 */
export function fileMasterKeys(file: string): MasterKeys {
  let ring: readonly MasterKey[] = readRing(file);
  const current = (): MasterKey => {
    ring = readRing(file);
    const [first] = ring;
    if (first !== undefined) return first;
    throw noKey(`The key file ${file} is missing or empty.`);
  };
  return {
    source: "file",
    file,
    current,
    find(id) {
      const known = ring.find((key) => key.id === id);
      if (known !== undefined) return known;
      ring = readRing(file);
      return ring.find((key) => key.id === id) ?? null;
    },
    renew() {
      const [before] = readRing(file);
      const made = masterKeyOf(randomBytes(KEY_BYTES));
      writeRing(file, before === undefined ? [made] : [made, before], "replace");
      return current();
    },
  };
}

/** Makes the key file of a new database. A file that is there already is left alone. */
export function ensureKeyFile(file: string): void {
  if (readRing(file).length > 0) return;
  writeRing(file, [masterKeyOf(randomBytes(KEY_BYTES))], "new");
}

function readRing(file: string): readonly MasterKey[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw noKey(`The key file ${file} cannot be read.`, error);
  }
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const bytes = Buffer.from(line, "base64");
      if (bytes.length !== KEY_BYTES) throw noKey(`The key file ${file} has a line that is not a key.`);
      return masterKeyOf(bytes);
    });
}

/** Written whole and on disk before it has its name, so that a crash leaves the old file or the new one. */
function writeRing(file: string, ring: readonly MasterKey[], how: "new" | "replace"): void {
  const partial = `${file}.${process.pid}.${randomBytes(4).toString("hex")}.partial`;
  try {
    const handle = openSync(partial, "wx", 0o600);
    try {
      writeSync(handle, `${HEADER}${ring.map(({ bytes }) => `${bytes.toString("base64")}\n`).join("")}`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (how === "replace") renameSync(partial, file);
    else linkNew(partial, file);
    const folder = openSync(dirname(file), "r");
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw noKey(`The key file ${file} cannot be written.`, error);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Another process may be making the file of the same database at this moment: the first one wins. */
function linkNew(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function noKey(reason: string, cause?: unknown): AppError {
  return new AppError("unavailable", `The vault has no master key: ${reason}`, {
    nextAction:
      "Restore the key, or set SVC_MASTER_KEY to 32 random bytes in base64 (openssl rand -base64 32); see docs/vault.md.",
    ...(cause !== undefined && { cause }),
  });
}
