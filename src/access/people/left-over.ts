import type { PersonChangeView } from "../../model/people.ts";
import type { Page, PageRequest, Records } from "../../ports/store.ts";
import { behind } from "./behind.ts";

const PAGE = 100;

/** Something that a person made and that is there without the person, for an admin to decide about. */
export type LeftOver = NonNullable<PersonChangeView["goesOn"]>[number];

/**
 * What a person made that still works: API keys, webhooks, addresses of notifications, credentials that everybody uses,
 * and triggers. A trigger that acts for the person starts nothing any more; one that a key made goes on with the key. Of
 * an address only the origin is shown, because the rest may hold a secret.
 */
export async function leftOverOf(
  records: Records,
  personId: string,
  now: string,
): Promise<readonly LeftOver[]> {
  const found: LeftOver[] = [];
  const addIfTheirs = async (by: string | undefined, one: LeftOver): Promise<void> => {
    if (by !== undefined && (await behind(records, by)) === personId) found.push(one);
  };
  const working = new Set<string>();
  for (const { id, name, expiresAt, revokedAt } of await every((page) => records.keys.list(page))) {
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) continue;
    working.add(id);
    await addIfTheirs(id, { kind: "key", id, name });
  }
  for (const { id, url } of await every((page) => records.webhooks.list(page))) {
    const of = { subject: `webhooks/${id}`, action: "webhook.created" };
    const [made] = (await records.audit.list({ limit: 1 }, of)).items;
    await addIfTheirs(made?.actor, { kind: "webhook", id, name: new URL(url).origin });
  }
  for (const { id, url, createdBy } of await records.notifications.targets()) {
    await addIfTheirs(createdBy, { kind: "notification_target", id, name: new URL(url).origin });
  }
  for (const { name, owner, createdBy } of await every((page) => records.credentials.list(page))) {
    if (owner === "") await addIfTheirs(createdBy, { kind: "credential", id: name, name });
  }
  for (const { id, actsFor, pausedAt, settings } of await every((page) => records.triggers.list(page))) {
    const kind = working.has(actsFor) && pausedAt === null ? "trigger" : "stopped_trigger";
    await addIfTheirs(actsFor, { kind, id, name: settings.name ?? id });
  }
  return found;
}

async function every<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await list({ limit: PAGE, ...(cursor !== null && { cursor }) });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}
