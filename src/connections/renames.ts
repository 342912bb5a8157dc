import type { DefinitionReview } from "../model/connections.ts";
import type { DefinitionListing } from "../ports/connections.ts";
import type { StoreTx } from "../ports/store.ts";
import { bodyDigest, changesBetween, firstChanges } from "./definition.ts";

/** Does a small piece of work: in the transaction of a sync, or in one of its own where there are many pieces. */
type Transact = <T>(work: (tx: StoreTx) => Promise<T>) => Promise<T>;

/**
 * Finds out which of the new definitions equal one that is gone, whatever they are called, and notes it in their
 * review. Each definition is a piece of work of its own: there may be thousands.
 */
export async function noteRenames(connection: string, transact: Transact): Promise<void> {
  const heads = await transact((tx) => tx.connections.heads(connection));
  if (!heads.some(({ state }) => state === "quarantined")) return;
  const listing = await transact((tx) => tx.connections.listing(connection));
  const fresh = listing.filter(({ review }) => review !== null && review.reason !== "changed");
  const gone = listing.filter(({ state }) => state === "removed");
  if (fresh.length === 0 || (gone.length === 0 && fresh.every(({ review }) => review?.reason === "new")))
    return;
  const before = new Map<string, DefinitionListing>();
  for (const item of gone) {
    const record = await transact((tx) => tx.connections.definition(connection, item.name));
    if (record === null) continue;
    const digest = bodyDigest(record.definition);
    if (!before.has(digest)) before.set(digest, item);
  }
  for (const { name } of fresh) await transact((tx) => noteRename(tx, connection, name, before));
}

async function noteRename(
  tx: StoreTx,
  connection: string,
  name: string,
  before: ReadonlyMap<string, DefinitionListing>,
): Promise<void> {
  const record = await tx.connections.definition(connection, name);
  const { review = null, pendingDefinition = null } = record ?? {};
  if (record === null || review === null || pendingDefinition === null) return;
  const source = before.get(bodyDigest(pendingDefinition));
  if (source?.name === review.renamedFrom) return;
  const old = source === undefined ? null : await tx.connections.definition(connection, source.name);
  const next: DefinitionReview =
    old === null
      ? { digest: review.digest, reason: "new", changes: [], moreChanges: 0 }
      : {
          digest: review.digest,
          reason: "renamed",
          renamedFrom: old.name,
          ...firstChanges(changesBetween(old.definition, pendingDefinition)),
        };
  await tx.connections.putDefinition({ ...record, review: next });
}
