import { statSync } from "node:fs";
import type { Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import {
  ensureKeyFile,
  fileMasterKeys,
  givenMasterKeys,
  noMasterKeys,
  type MasterKeys,
} from "./master-keys.ts";
import { Vault, type VaultParts } from "./vault.ts";

/** Opens the vault: finds its master key, or makes the key file of a new database. */
export async function openVault(
  parts: Omit<VaultParts, "keys" | "settings"> & {
    readonly settings: Settings;
    readonly databaseFile: string | null;
  },
): Promise<Vault> {
  const keys = await masterKeys(parts);
  await warnOfUnusable(parts.store, keys, parts.log);
  return new Vault({ ...parts, keys });
}

async function masterKeys(parts: {
  readonly settings: Settings;
  readonly store: Store;
  readonly databaseFile: string | null;
  readonly log: Log;
}): Promise<MasterKeys> {
  const { settings, store, databaseFile, log } = parts;
  if (settings.masterKeys.length > 0) return givenMasterKeys(settings.masterKeys);
  if (databaseFile === null) {
    return noMasterKeys(
      store.kind === "postgres"
        ? "with PostgreSQL it comes from SVC_MASTER_KEY, which every replica must have."
        : "nothing is stored without a database.",
    );
  }
  const file = `${databaseFile}-master-key`;
  // A database that has credentials already had a key: a new one in its place would only hide that it is lost.
  const used = await store.read.credentials.countByMasterKey();
  if (used.length === 0) ensureKeyFile(file);
  warnOfMode(file, log);
  return fileMasterKeys(file);
}

function warnOfMode(file: string, log: Log): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) !== 0) {
    log.warn("the key file of the vault is readable by others; set its mode to 600", { file });
  }
}

async function warnOfUnusable(store: Store, keys: MasterKeys, log: Log): Promise<void> {
  for (const { masterKeyId, count } of await store.read.credentials.countByMasterKey()) {
    if (keys.find(masterKeyId) !== null) continue;
    log.warn("credentials cannot be used: their master key is missing; see docs/vault.md", {
      count,
      masterKeyId,
    });
  }
}
