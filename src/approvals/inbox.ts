import type { Caller } from "../ports/caller.ts";
import type { INBOXES } from "../model/states.ts";
import type { Services } from "../ports/services.ts";
import { deciderOf, entriesOf, substitutesFor, type Named } from "./deciders.ts";

/**
 * What an inbox finds approvals by: `mine` those that name the person (or one whose substitute the person is), `groups`
 * those that name a group or the role of the person, or nobody. Undefined for `all`.
 */
export async function inboxEntries(
  services: Services,
  inbox: (typeof INBOXES)[number],
  caller: Caller,
): Promise<readonly string[] | undefined> {
  if (inbox === "all") return undefined;
  if (caller.person === undefined) return inbox === "mine" ? [caller.id] : ["*"];
  const { email, role } = caller.person;
  const self: Named = (await deciderOf(services, caller.id)) ?? { id: caller.id, email, role, groups: [] };
  const principals = await Promise.all(
    (await substitutesFor(services, caller.id)).map((id) => deciderOf(services, id)),
  );
  const all = [self, ...principals.filter((person) => person !== null)].flatMap((person) => [
    ...entriesOf(person),
  ]);
  const own = all.filter((entry) => entry.startsWith("person:"));
  return inbox === "mine" ? own : [...all.filter((entry) => !entry.startsWith("person:")), "*"];
}
