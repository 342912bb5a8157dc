import type { Page, PageRequest, Records } from "../../ports/store.ts";
import { behind } from "./behind.ts";

const PAGE = 100;

/** Something that a person made and that goes on working without the person, for an admin to decide about. */
export type LeftOver = Readonly<
  Record<"id" | "name", string> & { kind: "key" | "webhook" | "notification_target" | "credential" }
>;

/**
 * What a person made that still works: API keys, webhooks, addresses of notifications, credentials that everybody uses. Of
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
  for (const { id, name, expiresAt, revokedAt } of await every((page) => records.keys.list(page))) {
    if (revokedAt === null && (expiresAt === null || expiresAt > now))
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
