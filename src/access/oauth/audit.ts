import type { OAuthRecord } from "../../ports/oauth.ts";
import type { StoreTx } from "../../ports/store.ts";
import { recordEntry } from "../../audit/record.ts";
import { hostOfRedirect } from "./client-metadata.ts";

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
