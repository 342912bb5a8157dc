import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CredentialView } from "../model/credentials.ts";
import type { CredentialState } from "../ports/credentials.ts";
import type { CredentialRecord } from "../ports/records.ts";
import type { MasterKey, MasterKeys } from "./master-keys.ts";
import { readOAuthSettings, settingsIn } from "./oauth-settings.ts";
import { open, seal, type SealedFor } from "./sealing.ts";

/** What the ciphertext of a credential is bound to: a row whose host or setting was changed in the database does not open. */
export function targetOf(
  record: Pick<CredentialRecord, "name" | "owner" | "kind" | "hosts" | "settings">,
): SealedFor {
  const { name, owner, kind, hosts, settings } = record;
  return { purpose: "credential", name, owner, kind, bound: { hosts, settings } };
}

/** The secret of a credential; throws when the master key is not here or the record was changed by someone else. */
export function openSecret(record: CredentialRecord, keys: MasterKeys): JsonObject {
  const secret = open(record, targetOf(record), masterOf(record, keys));
  if (secret !== null) return secret;
  throw new AppError(
    "unavailable",
    `The credential "${record.name}" was damaged or changed outside of this service.`,
    {
      nextAction: "Replace its secret, or restore the database from a backup.",
    },
  );
}

/** The same credential with another secret, sealed with a data key of its own. */
export function withSecret(record: CredentialRecord, secret: JsonObject, keys: MasterKeys): CredentialRecord {
  return { ...record, ...seal(secret, targetOf(record), keys.current()) };
}

function masterOf(record: CredentialRecord, keys: MasterKeys): MasterKey {
  const master = keys.find(record.masterKeyId);
  if (master !== null) return master;
  throw new AppError(
    "unavailable",
    `The credential "${record.name}" cannot be used: ${missingKey(record, keys)}`,
    {
      nextAction: RECOVERY,
      details: { masterKeyId: record.masterKeyId },
    },
  );
}

function missingKey(record: CredentialRecord, keys: MasterKeys): string {
  const where =
    keys.source === "SVC_MASTER_KEY"
      ? "SVC_MASTER_KEY does not hold it"
      : keys.file === null
        ? "SVC_MASTER_KEY is not set"
        : `${keys.file} does not hold it`;
  return `it is sealed with the master key ${record.masterKeyId}, and ${where}.`;
}

const RECOVERY =
  "Bring the master key back (SVC_MASTER_KEY or the key file), or replace the secret of the credential; see docs/vault.md.";

/** A credential without its secret, as the REST interface shows it. */
export function detailsOf(record: CredentialRecord, keys: MasterKeys): CredentialView {
  const { state, nextAction } = stateOf(record, keys);
  const { allowHttp, ...settings } = settingsIn(record.settings);
  return {
    name: record.name,
    kind: record.kind,
    hosts: [...record.hosts],
    owner: record.owner === "" ? "shared" : record.owner,
    ...settings,
    allowHttp: allowHttp === true,
    state,
    nextAction,
    revision: record.revision,
    ...(record.kind === "oauth2" && {
      tokenIssuedAt: record.tokenIssuedAt,
      tokenExpiresAt: record.tokenExpiresAt,
    }),
    createdBy: record.createdBy,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** A credential as a connection sees it. */
export function viewOf(record: CredentialRecord, keys: MasterKeys): CredentialState {
  const { name, kind, hosts } = record;
  return { name, kind, hosts, ...stateOf(record, keys) };
}

function stateOf(record: CredentialRecord, keys: MasterKeys): Pick<CredentialState, "state" | "nextAction"> {
  if (keys.find(record.masterKeyId) === null) return { state: "unusable", nextAction: RECOVERY };
  if (record.state === "ready") return { state: "ready", nextAction: null };
  return { state: "consent_required", nextAction: consentAction(record) };
}

/** What a person does to give a consent. */
export function consentAction(record: Pick<CredentialRecord, "name" | "settings">): string {
  const { grant } = readOAuthSettings(record.settings);
  return grant === "client_credentials"
    ? `The authorization server refused the client; replace the secret of "${record.name}".`
    : `Sign in: POST /api/svc/credentials/${record.name}/authorize (suitectl vault authorize ${record.name}) and open the address it gives.`;
}
