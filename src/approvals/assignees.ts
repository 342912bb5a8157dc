import type { WhoDecides } from "../model/approval-detail.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { isPersonId } from "../access/people/behind.ts";
import { roleAllows } from "../access/people/roles.ts";
import { handOf, needsFourEyes } from "./four-eyes.ts";

/** People that are looked through for those with a role. */
const MOST_PEOPLE = 5_000;
const PAGE = 500;

/** One of those an approval names. */
interface Assignee {
  readonly entry: string;
  readonly name: string;
  /** Who of them can decide now. */
  readonly able: readonly string[];
  /** Why none of them can; null when one can. */
  readonly problem: string | null;
}

/** Who may decide an approval, who has approved, and whether enough people are left. */
export async function whoDecides(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
): Promise<WhoDecides> {
  const { store } = services;
  const votes = await store.read.approvals.votes(approval.id);
  const names = new Names(services);
  const shownVotes: WhoDecides["votes"] = [];
  for (const { voter, via, seat, verdict, at, assertion } of votes) {
    const inPlaceOf = seat === voter || !isPersonId(seat) ? null : { id: seat, name: await names.of(seat) };
    shownVotes.push({
      by: voter,
      name: await names.of(voter),
      via,
      inPlaceOf,
      verdict,
      at,
      passkey: assertion !== null,
    });
  }
  const delegations: WhoDecides["delegations"] = [];
  for (const { from, to, at } of approval.delegations) {
    delegations.push({ from, fromName: await names.of(from), to, toName: await names.of(to), at });
  }
  const assignees = approval.state === "pending" ? await assigneesOf(services, approval, run) : [];
  const voted = new Set(votes.map(({ seat }) => seat));
  const able = new Set(assignees.flatMap((one) => one.able).filter((id) => !voted.has(id)));
  const missing = approval.required - votes.length;
  const isShort = approval.state === "pending" && approval.approvers.length > 0 && able.size < missing;
  return {
    required: approval.required,
    votes: shownVotes,
    delegations,
    claimedByName: approval.claimedBy === null ? null : await names.of(approval.claimedBy),
    assignees: assignees.map(({ entry, name, able: who, problem }) => ({
      entry,
      name,
      able: who.length,
      problem,
    })),
    stuck: isShort ? stuckText(assignees, able.size, missing) : null,
  };
}

function stuckText(assignees: readonly Assignee[], able: number, missing: number): string {
  const why = assignees.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  const reasons = why.length === 0 ? "those named have approved" : why.join("; ");
  return able === 0
    ? `Nobody can decide this: ${reasons}. An admin can reassign it.`
    : `${missing} more must approve and only ${able} can: ${reasons}. An admin can reassign it.`;
}

async function assigneesOf(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
): Promise<readonly Assignee[]> {
  const fourEyes = await needsFourEyes(services, approval, run);
  const everybody = approval.approvers.some((entry) => entry.startsWith("role:"))
    ? await allPeople(services)
    : [];
  const found: Assignee[] = [];
  for (const entry of approval.approvers) {
    const [kind, rest] = /^(person|role|group):(.*)$/.exec(entry)?.slice(1) ?? ["key", entry];
    if (kind === "key") {
      const named = await keyAssignee(services, entry);
      found.push(
        approval.stepUp ? { ...named, able: [], problem: `the key ${entry} has no passkey` } : named,
      );
      continue;
    }
    const people =
      kind === "role"
        ? everybody.filter(({ role }) => role === rest)
        : kind === "group"
          ? await membersOf(services, rest ?? "")
          : await personNamed(services, rest ?? "");
    const name = kind === "person" ? (people?.[0]?.name ?? rest ?? "") : `${kind} ${rest}`;
    const able: string[] = [];
    const why = new Set<string>();
    for (const person of people ?? []) {
      const hand = fourEyes ? await handOf(services, run, person.id) : null;
      if (person.state !== "active") why.add(`${person.name} is ${person.state}`);
      else if (!roleAllows(person.role, "approve")) {
        why.add(`${person.name} is ${person.role}, a role that does not decide`);
      } else if (hand !== null) why.add(`${person.name} ${hand} (four eyes)`);
      else able.push(person.id);
    }
    const nobody =
      people === null
        ? `there is no ${kind} ${rest}`
        : people.length === 0
          ? kind === "group"
            ? `the group ${rest} has no members`
            : `nobody has the role ${rest}`
          : [...why].join("; ");
    found.push({ entry, name, able, problem: able.length > 0 ? null : nobody });
  }
  return found;
}

async function keyAssignee({ store, settings, clock }: Services, id: string): Promise<Assignee> {
  const key = await store.read.keys.get(id);
  const problem =
    key === null
      ? id === "operator" && settings.apiKey !== null
        ? null
        : `there is no key ${id}`
      : key.revokedAt !== null
        ? `the key ${id} is revoked`
        : key.expiresAt !== null && Date.parse(key.expiresAt) <= clock.now()
          ? `the key ${id} has expired`
          : null;
  return { entry: id, name: `key ${id}`, able: problem === null ? [id] : [], problem };
}

async function personNamed({ store }: Services, given: string): Promise<readonly PersonRecord[] | null> {
  const { people } = store.read;
  const person = given.includes("@") ? await people.byEmail(given.toLowerCase()) : await people.get(given);
  return person === null ? null : [person];
}

/** The members of a group; null when there is no such group. */
async function membersOf({ store }: Services, name: string): Promise<readonly PersonRecord[] | null> {
  const { groups, people } = store.read;
  const group = await groups.byName(name);
  if (group === null) return null;
  const members = await Promise.all((await groups.members(group.id)).map((id) => people.get(id)));
  return members.filter((person) => person !== null);
}

async function allPeople({ store }: Services): Promise<readonly PersonRecord[]> {
  const found: PersonRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: readonly PersonRecord[]; nextCursor: string | null } = await store.read.people.list({
      limit: PAGE,
      ...(cursor !== null && { cursor }),
    });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && found.length < MOST_PEOPLE);
  return found;
}

/** Names of people by id, each read once; a key is called by its id. */
export class Names {
  readonly #services: Services;
  readonly #known = new Map<string, string>();

  constructor(services: Services) {
    this.#services = services;
  }

  async of(id: string): Promise<string> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const name = id.startsWith("person_")
      ? ((await this.#services.store.read.people.get(id))?.name ?? id)
      : id;
    this.#known.set(id, name);
    return name;
  }
}

/** The people who can decide an approval now because it names them. */
export async function ableDeciders(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
): Promise<readonly string[]> {
  const named = await assigneesOf(services, approval, run);
  return [...new Set(named.flatMap(({ able }) => able))].filter((id) => id.startsWith("person_"));
}

/** Who stands in for a person now. */
export async function substitutesOf({ store, clock }: Services, id: string): Promise<readonly string[]> {
  const absence = await store.read.approvals.absence(id);
  const at = new Date(clock.now()).toISOString();
  return absence !== null && absence.fromAt <= at && at < absence.untilAt ? [absence.substituteId] : [];
}
