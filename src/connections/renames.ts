import type { DefinitionListing, DefinitionReview } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Store } from "../ports/store.ts";
import { bodyDigest, changesBetween, firstChanges } from "./definition.ts";
import { nextTurn } from "./turns.ts";

/**
 * Finds out which of the new definitions equal one that is gone, whatever they are called, and notes it in their
 * review. Each definition is read on its own with a turn of the event loop between them: there may be thousands.
 */
export async function noteRenames(
  connection: string,
  { services: { store } }: Pick<CallContext, "services">,
): Promise<void> {
  const listing = await store.read.connections.listing(connection);
  const fresh = listing.filter(({ review }) => review !== null && review.reason !== "changed");
  const gone = listing.filter(({ state }) => state === "removed");
  if (fresh.length === 0 || (gone.length === 0 && fresh.every(({ review }) => review?.reason === "new")))
    return;
  const before = await byBody(store, gone);
  for (const item of fresh) {
    const record = await store.read.connections.definition(connection, item.name);
    const { review = null, pendingDefinition = null } = record ?? {};
    if (review === null || pendingDefinition === null) continue;
    const source = before.get(bodyDigest(pendingDefinition));
    if (source?.name !== review.renamedFrom) {
      const old =
        source === undefined ? null : await store.read.connections.definition(connection, source.name);
      const next: DefinitionReview =
        old === null
          ? { digest: review.digest, reason: "new", changes: [], moreChanges: 0 }
          : {
              digest: review.digest,
              reason: "renamed",
              renamedFrom: old.name,
              ...firstChanges(changesBetween(old.definition, pendingDefinition)),
            };
      await store.transact(async (tx) => {
        const now = await tx.connections.definition(connection, item.name);
        if (now?.review?.digest !== review.digest) return;
        await tx.connections.putDefinition({ ...now, review: next });
        await tx.connections.changed();
      });
    }
    await nextTurn();
  }
}

/** Those that are gone, by the digest of what they did. */
async function byBody(
  store: Store,
  gone: readonly DefinitionListing[],
): Promise<ReadonlyMap<string, DefinitionListing>> {
  const found = new Map<string, DefinitionListing>();
  for (const item of gone) {
    const record = await store.read.connections.definition(item.connection, item.name);
    if (record !== null) {
      const digest = bodyDigest(record.definition);
      if (!found.has(digest)) found.set(digest, item);
    }
    await nextTurn();
  }
  return found;
}
