import { substitutesOf, ableDeciders } from "../approvals/assignees.ts";
import type { NotificationTarget } from "../ports/notifications.ts";
import type { ApprovalRecord, EventRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";

/** Who is notified of an event: people by mail, and the targets of people and groups. */
export interface Recipients {
  readonly people: readonly string[];
  readonly targets: readonly NotificationTarget[];
}

/**
 * Those who can decide now, with those who decide in their place. An approval that names nobody concerns everybody, so
 * it is announced to nobody in particular.
 */
export async function recipientsOf(
  services: Services,
  approval: ApprovalRecord,
  event: EventRecord,
): Promise<Recipients> {
  const run = await services.store.read.runs.get(approval.runId);
  if (run === null) return { people: [], targets: [] };
  const { to } = event.data;
  const people = new Set<string>();
  if (event.type === "svc.approval.delegated") {
    if (typeof to === "string" && to !== event.data["by"]) people.add(to);
  } else {
    for (const id of await ableDeciders(services, approval, run)) {
      const delegate = approval.delegations.find(({ from }) => from === id)?.to;
      people.add(delegate ?? id);
      for (const substitute of await substitutesOf(services, id)) people.add(substitute);
    }
  }
  const groups = approval.approvers.filter((entry) => entry.startsWith("group:"));
  const owners = [...[...people].map((id) => `person:${id}`), ...groups.map((entry) => entry.toLowerCase())];
  const targets = owners.length === 0 ? [] : await services.store.read.notifications.targets(owners);
  return { people: [...people], targets };
}
