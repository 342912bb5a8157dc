import { AppError } from "../kernel/errors.ts";
import type { ApprovalVote } from "../ports/approvals.ts";
import { allows, lackingScope, type Caller } from "../ports/caller.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { Records } from "../ports/store.ts";
import { actorOf, isPersonId, type Actor } from "../access/people/behind.ts";
import { groupsOf } from "../access/people/groups.ts";
import { roleAllows } from "../access/people/roles.ts";
import { GUARD_ID } from "../workflows/visibility.ts";
import { handOf, isByOwnProgram, namesPeople, needsFourEyes } from "./four-eyes.ts";

/*
 * Who may decide an approval. `approvers` lists ids of keys, `person:` with an id or an e-mail address, `group:` with a
 * name and `role:` with a role; one that names nobody is open to every caller with the scope `approve`. Each of those
 * named has one seat. A delegate or a substitute takes the seat of another person, never a further one.
 */

/** Where a caller stands with an approval: who that is and on which seat, or why there is none. */
export type Eligibility =
  | { readonly seat: string; readonly actor: Actor; readonly refusal: null }
  | { readonly seat: null; readonly refusal: AppError };

/** Those parts of a person that decide whether the person is named. */
export type Named = Pick<PersonRecord, "id" | "email" | "role"> & { readonly groups: readonly string[] };

/** Why this caller may not decide this approval; null when the caller may. */
export async function decisionRefusal(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
  caller: Caller,
): Promise<AppError | null> {
  const votes = await services.store.read.approvals.votes(approval.id);
  const standing = await eligibilityOf(services, approval, run, caller);
  if (standing.seat === null) return standing.refusal;
  const { seat, actor } = standing;
  return (
    stepUpRefusal(approval, caller) ??
    votedAlready(votes, seat, actor.id) ??
    (await claimedByOther(services, approval, actor.id))
  );
}

/** A passkey is the person's own: no key and no program that acts for a person has it. */
export function stepUpRefusal({ id, stepUp }: ApprovalRecord, caller: Caller): AppError | null {
  if (!stepUp || caller.kind === "person") return null;
  const what = caller.person === undefined ? "a key" : "a program with a token";
  return new AppError("forbidden", `This approval is decided with a passkey; ${what} cannot do that.`, {
    nextAction: `A person who may decide signs in and decides on the page /approvals?id=${id}.`,
    details: { stepUp: true },
  });
}

/** The seat on which this caller may decide, or why not. Votes and claims are not looked at. */
export async function eligibilityOf(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
  caller: Caller,
): Promise<Eligibility> {
  if (!allows(caller, "approve")) return { seat: null, refusal: lackingScope(caller, "approve") };
  const actor = await actorOf(services.store.read, caller);
  const seat = await seatOf(services, approval, caller, actor);
  if (seat instanceof AppError) return { seat: null, refusal: seat };
  if (isByOwnProgram(run, actor.via, actor.id) && (await isGuards(services, run)))
    return { seat: null, refusal: ownCall() };
  if (!(await needsFourEyes(services, approval, run))) return { seat, actor, refusal: null };
  if (!actor.isPerson && !approval.approvers.includes(caller.id)) {
    return { seat: null, refusal: fourEyes("No person is known behind this key") };
  }
  const own = await handOf(services, run, actor.id);
  if (own !== null) return { seat: null, refusal: fourEyes(`You ${own}`) };
  // Who may not decide cannot have another person do it either.
  const principal = seat === actor.id || !isPersonId(seat) ? null : await handOf(services, run, seat);
  if (principal === null) return { seat, actor, refusal: null };
  return { seat: null, refusal: fourEyes(`The person in whose place you would decide ${principal}`) };
}

/** One seat, one vote: a second one is refused. */
export function votedAlready(votes: readonly ApprovalVote[], seat: string, voter: string): AppError | null {
  const own = votes.find((vote) => vote.voter === voter);
  if (own !== undefined)
    return new AppError("conflict", "You have approved this already; others are needed.");
  if (!votes.some((vote) => vote.seat === seat)) return null;
  return new AppError("conflict", "This was approved in the same place already, which counts once.");
}

/** A claim keeps others away while its holder can decide. */
export async function claimedByOther(
  { store }: Services,
  { claimedBy }: ApprovalRecord,
  id: string,
): Promise<AppError | null> {
  if (claimedBy === null || claimedBy === id) return null;
  const holder = await store.read.people.get(claimedBy);
  if (holder === null || holder.state !== "active") return null;
  return new AppError("conflict", `${holder.name} has claimed this approval.`, {
    nextAction: "Ask them to release it, or have an admin release it.",
    details: { claimedBy },
  });
}

/** True when the entries name this person. */
function namesPerson(approvers: readonly string[], { id, email, role, groups }: Named): boolean {
  const mine = entriesOf({ id, email, role, groups });
  return approvers.some((entry) => mine.has(entry.toLowerCase()));
}

/** Every entry that names this person, in lower case. */
export function entriesOf({ id, email, role, groups }: Named): ReadonlySet<string> {
  const names = groups.map((name) => `group:${name.toLowerCase()}`);
  return new Set([`person:${id}`, `person:${email}`, `role:${role}`, ...names]);
}

/** A person with what decides whether the person is named; null when the person cannot decide anything. */
export async function deciderOf({ store }: Services, id: string): Promise<(Named & PersonRecord) | null> {
  const person = await store.read.people.get(id);
  if (person === null || person.state !== "active" || !roleAllows(person.role, "approve")) return null;
  return { ...person, groups: await groupNames(store.read, id) };
}

/** The names of the groups that a person is in. */
async function groupNames(records: Pick<Records, "groups">, id: string): Promise<readonly string[]> {
  return (await groupsOf(records, id)).map(({ name }) => name);
}

/** The people whose substitute a person is now. */
export async function substitutesFor({ store, clock }: Services, id: string): Promise<readonly string[]> {
  const at = new Date(clock.now()).toISOString();
  return (await store.read.approvals.substitutedBy(id, at)).map(({ personId }) => personId);
}

async function seatOf(
  services: Services,
  approval: ApprovalRecord,
  caller: Caller,
  actor: Actor,
): Promise<string | AppError> {
  const { approvers } = approval;
  if (caller.person === undefined) {
    if (approvers.includes(caller.id)) return actor.id;
    // Keys that were made with one key count once, like those of one person.
    return approvers.length === 0 ? actor.root : notNamed(approval, caller);
  }
  const { email, role } = caller.person;
  const own = await directSeat(services, approval, {
    id: caller.id,
    email,
    role,
    groups: await groupNames(services.store.read, caller.id),
  });
  if (own !== null) return own;
  for (const absent of await substitutesFor(services, caller.id)) {
    const principal = await deciderOf(services, absent);
    const seat = principal === null ? null : await directSeat(services, approval, principal);
    if (seat !== null) return seat;
  }
  const gone = approval.delegations.find(({ from }) => from === caller.id);
  if (gone === undefined) return notNamed(approval, caller);
  return new AppError("forbidden", "You let another person decide this in your place.", {
    nextAction: "Delegate it to yourself to take it back.",
    details: { delegatedTo: gone.to },
  });
}

/** The seat of a person who is named, or to whom a person who is named delegated it. */
async function directSeat(
  services: Services,
  { approvers, delegations }: ApprovalRecord,
  person: Named,
): Promise<string | null> {
  const isNamed = approvers.length === 0 || namesPerson(approvers, person);
  if (isNamed && !delegations.some(({ from }) => from === person.id)) return person.id;
  for (const { from, to } of delegations) {
    if (to !== person.id) continue;
    const principal = await deciderOf(services, from);
    if (principal === null) continue;
    if (approvers.length === 0 || namesPerson(approvers, principal)) return from;
  }
  return null;
}

/** Whether the guard made this run, to ask about one call. */
async function isGuards({ store }: Services, { workflowId }: RunRecord): Promise<boolean> {
  return workflowId !== null && (await store.read.workflows.head(workflowId))?.createdBy === GUARD_ID;
}

function ownCall(): AppError {
  return new AppError("forbidden", "A program does not approve the calls of the person it acts for.", {
    nextAction: "The person decides in the web app.",
  });
}

function notNamed(approval: ApprovalRecord, caller: Caller): AppError {
  if (caller.person !== undefined) {
    return new AppError("forbidden", "You are not among those who may decide this approval.");
  }
  return namesPeople(approval)
    ? new AppError("forbidden", "This approval names people; a key does not decide it.", {
        nextAction: "Have one of them sign in and decide, or name this key in the workflow's approvers.",
      })
    : new AppError("forbidden", "This key is not among those that may decide this approval.");
}

function fourEyes(what: string): AppError {
  return new AppError("forbidden", `${what}; another person decides (four eyes).`, {
    nextAction: "Ask one of the others who may decide.",
    details: { fourEyes: true },
  });
}
