import { digestOf } from "../kernel/canonical-json.ts";
import { isObject } from "../kernel/json.ts";
import type { ConnectedClient, OAuthRecord } from "../ports/oauth.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";
import { recordChange, recordEntry } from "../audit/record.ts";
import { hostOfRedirect } from "./client-metadata.ts";

/** Whose client was connected or disconnected, and with which rights. */
export interface ClientChange {
  readonly change: "connected" | "disconnected";
  readonly grantId: string;
  readonly personId: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly by: string;
}

/** Writes who gave a client rights or took them away: an event, and a record in the provenance log. */
export async function recordClient(tx: StoreTx, provenance: Provenance, what: ClientChange): Promise<void> {
  const { change, grantId, personId, clientId, name, by } = what;
  const data = { id: grantId, personId, clientId, name, scopes: [...what.scopes], by };
  await recordChange(tx, provenance, {
    action: `client.${change}`,
    by,
    subject: `people/${personId}`,
    data,
    fact: {
      kind: "person",
      subjectId: personId,
      digest: digestOf({ change: `client_${change}`, ...data }),
      privacy: "restricted",
      predicate: { change: `client_${change}`, ...data },
    },
  });
}

/** Writes that a connected client was disconnected. */
export function recordDisconnected(
  tx: StoreTx,
  provenance: Provenance,
  client: ConnectedClient,
  by: string,
): Promise<void> {
  const { grantId, personId, clientId, name } = client;
  const what = { grantId, personId, clientId, name, scopes: grantedScopes(client), by };
  return recordClient(tx, provenance, { change: "disconnected", ...what });
}

/** The scopes that a person gave a client. */
export function grantedScopes({ payload }: ConnectedClient): readonly string[] {
  const { resources } = payload;
  const texts = isObject(resources) ? Object.values(resources) : [];
  return [...new Set(texts.flatMap((text) => (typeof text === "string" ? text.split(" ") : [])))];
}

/**
 * Writes that a client made itself known, by registering or with its metadata document. Only the audit list has it, for
 * a while: strangers could make the log and the events grow.
 */
export async function recordRegistration(
  tx: StoreTx,
  clientId: string,
  metadata: { readonly client_name?: unknown; readonly redirect_uris?: unknown },
  via: "registration" | "metadata document",
): Promise<void> {
  const { client_name: name, redirect_uris: uris } = metadata;
  const hosts = Array.isArray(uris) ? uris.map((uri: unknown) => hostOfRedirect(String(uri))) : [];
  await recordEntry(tx, {
    action: "client.registered",
    by: "anonymous",
    subject: `clients/${clientId}`,
    detail: { clientId, name: typeof name === "string" ? name : "", hosts: [...new Set(hosts)], via },
    provenanceId: null,
  });
}

/** Writes that a client got its first tokens, or that a used code or token of it was shown, which ends its grant. */
export async function recordUse(
  tx: StoreTx,
  use: "signed_in" | "reuse_refused",
  { kind, personId, clientId, grantId }: OAuthRecord,
): Promise<void> {
  if (personId === null) return;
  await recordEntry(tx, {
    action: `client.${use}`,
    // Who shows a used one is not known: it may have been stolen.
    by: use === "signed_in" ? personId : "anonymous",
    subject: `people/${personId}`,
    detail: { clientId, id: grantId, kind },
    provenanceId: null,
  });
}
