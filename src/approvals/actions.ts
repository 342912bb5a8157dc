import { AppError } from "../kernel/errors.ts";
import { noRecord } from "../kernel/no-record.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Delegation } from "../ports/approvals.ts";
import { allows, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { roleAllows } from "../access/people/roles.ts";
import { claimedByOther, eligibilityOf } from "./deciders.ts";
import { handOf, needsFourEyes } from "./four-eyes.ts";
import { auditDetail, approvalEvent, changeFact, type ApprovalChange } from "./journal.ts";
import { recordEntry } from "../audit/record.ts";

/* What people do with a waiting approval besides deciding it. Each change is an event and a record of the log. */

interface Waiting {
  readonly approval: ApprovalRecord;
  readonly run: RunRecord;
}

interface Change {
  readonly what: ApprovalChange;
  readonly by: string;
  readonly to?: string;
  /** What the log says of it besides who. */
  readonly more?: JsonObject;
  /** The approval as it is then, from what it is when nobody else changes it. */
  next(current: ApprovalRecord): ApprovalRecord;
  /** What is written with it. */
  also?(tx: StoreTx): Promise<void>;
}

/** Takes an approval, so that others do not work on it at the same time. */
export async function claim(services: Services, id: string, caller: Caller): Promise<ApprovalRecord> {
  const waiting = await find(services, id);
  checkPerson(caller, "claims an approval");
  if (waiting.approval.required > 1) {
    throw new AppError(
      "conflict",
      `${waiting.approval.required} people decide this together, so none claims it.`,
      {
        nextAction: "Decide it, or comment on it.",
      },
    );
  }
  const { refusal } = await eligibilityOf(services, waiting.approval, waiting.run, caller);
  const taken = refusal ?? (await claimedByOther(services, waiting.approval, caller.id));
  if (taken !== null) throw taken;
  return change(services, waiting, {
    what: "claimed",
    by: caller.id,
    next: (current) => {
      // Another person may have been faster since the look above.
      if (current.claimedBy !== waiting.approval.claimedBy && current.claimedBy !== caller.id)
        throw changed();
      return { ...current, claimedBy: caller.id };
    },
  });
}

/** Gives a claim up; an admin may do that for another person. */
export async function release(services: Services, id: string, caller: Caller): Promise<ApprovalRecord> {
  const waiting = await find(services, id);
  const holder = waiting.approval.claimedBy;
  if (holder === null) throw new AppError("conflict", "Nobody has claimed this approval.");
  if (holder !== caller.id && !allows(caller, "admin")) {
    throw new AppError("forbidden", "Another person has claimed this approval.", {
      nextAction: "Ask that person or an admin to release it.",
    });
  }
  return change(services, waiting, {
    what: "released",
    by: caller.id,
    more: { holder },
    next: (current) => {
      if (current.claimedBy !== holder) throw changed();
      return { ...current, claimedBy: null };
    },
  });
}

/** Lets another person decide in the caller's place; given to themselves, the caller takes it back. */
export async function delegate(
  services: Services,
  id: string,
  to: string,
  caller: Caller,
): Promise<ApprovalRecord> {
  const waiting = await find(services, id);
  checkPerson(caller, "delegates an approval");
  const { approval, run } = waiting;
  const back = to === caller.id || to.toLowerCase() === caller.person?.email;
  const own = approval.delegations.some(({ from }) => from === caller.id);
  if (back) {
    if (!own) throw new AppError("conflict", "You have not delegated this approval.");
    return move(services, waiting, caller.id, null, caller);
  }
  const standing = own ? null : await eligibilityOf(services, approval, run, caller);
  if (standing !== null && standing.seat === null) throw standing.refusal;
  const seat = standing?.seat ?? caller.id;
  const votes = await services.store.read.approvals.votes(id);
  if (votes.some((vote) => vote.seat === seat)) {
    throw new AppError("conflict", "You have approved this already; there is nothing left to delegate.");
  }
  const person = await substituteFor(services, to, "to");
  if (await needsFourEyes(services, approval, run)) {
    const hand = await handOf(services, run, person.id);
    if (hand !== null) {
      throw new AppError("forbidden", `${person.name} ${hand} and may not decide it (four eyes).`, {
        nextAction: "Choose another person.",
      });
    }
  }
  return move(services, waiting, seat, person.id, caller);
}

function move(
  services: Services,
  waiting: Waiting,
  seat: string,
  to: string | null,
  caller: Caller,
): Promise<ApprovalRecord> {
  const at = new Date(services.clock.now()).toISOString();
  return change(services, waiting, {
    what: "delegated",
    by: caller.id,
    to: to ?? seat,
    more: { seat },
    next: (current) => {
      const rest = current.delegations.filter(({ from }) => from !== seat);
      const added: readonly Delegation[] = to === null || to === seat ? [] : [{ from: seat, to, at }];
      return {
        ...current,
        delegations: [...rest, ...added],
        claimedBy: current.claimedBy === caller.id ? null : current.claimedBy,
      };
    },
  });
}

/** Writes a comment that everybody who may see the approval reads. */
export async function comment(
  services: Services,
  id: string,
  body: string,
  caller: Caller,
): Promise<ApprovalRecord> {
  const waiting = await find(services, id);
  const commentId = newId("comment");
  const createdAt = new Date(services.clock.now()).toISOString();
  return change(services, waiting, {
    what: "commented",
    by: caller.id,
    more: { commentId },
    next: (current) => current,
    also: (tx) => tx.approvals.comment({ id: commentId, approvalId: id, author: caller.id, body, createdAt }),
  });
}

/** An admin replaces the people who may decide, for example when those named are gone. Keys are named by workflows only. */
export async function reassign(
  services: Services,
  id: string,
  approvers: readonly string[],
  reason: string,
  caller: Caller,
): Promise<ApprovalRecord> {
  const waiting = await find(services, id);
  const commentId = newId("comment");
  const createdAt = new Date(services.clock.now()).toISOString();
  const body = `Reassigned: ${reason}`;
  return change(services, waiting, {
    what: "reassigned",
    by: caller.id,
    more: { approvers, before: waiting.approval.approvers, commentId },
    next: (current) => ({ ...current, approvers, delegations: [], claimedBy: null }),
    also: (tx) => tx.approvals.comment({ id: commentId, approvalId: id, author: caller.id, body, createdAt }),
  });
}

/** A person who could decide in another's place; by id or e-mail address. */
export async function substituteFor(
  { store }: Services,
  given: string,
  member: string,
): Promise<{ readonly id: string; readonly name: string }> {
  const { people } = store.read;
  const person = given.includes("@") ? await people.byEmail(given.toLowerCase()) : await people.get(given);
  const why =
    person === null
      ? "There is no such person"
      : person.state !== "active"
        ? `${person.name} is ${person.state}`
        : roleAllows(person.role, "approve")
          ? null
          : `${person.name} is ${person.role}, a role without the scope "approve"`;
  if (person !== null && why === null) return person;
  throw new AppError("invalid_input", `${why ?? ""}, so this person could not decide.`, {
    problems: [
      {
        pointer: `/${member}`,
        message: "is not a person who could decide",
        expected: "the id or e-mail address of an active person whose role holds approve",
      },
    ],
  });
}

async function find({ store }: Services, id: string): Promise<Waiting> {
  const approval = await store.read.approvals.get(id);
  if (approval === null) throw noRecord("approval", id);
  if (approval.state !== "pending") throw over(approval);
  const run = await store.read.runs.get(approval.runId);
  if (run === null) throw new AppError("not_found", "The run of this approval does not exist.");
  return { approval, run };
}

async function change(
  { store, provenance }: Services,
  { approval: { id }, run }: Waiting,
  made: Change,
): Promise<ApprovalRecord> {
  const { what, by, to, more } = made;
  return store.transact(async (tx) => {
    const current = await tx.approvals.lock(id);
    if (current === null) throw noRecord("approval", id);
    if (current.state !== "pending") throw over(current);
    const record = made.next(current);
    if (record !== current) await tx.approvals.assign(record);
    await made.also?.(tx);
    const whom = to === undefined ? {} : { to };
    await tx.events.append([approvalEvent(run, record, what, { by, ...whom })]);
    const [provenanceId = null] = await provenance.append(tx, [
      changeFact(record, what, by, { ...whom, ...more }),
    ]);
    await recordEntry(tx, {
      action: `approval.${what}`,
      by,
      subject: `approvals/${id}`,
      detail: auditDetail(record, whom),
      provenanceId,
    });
    return record;
  });
}

function checkPerson(caller: Caller, what: string): void {
  if (caller.person !== undefined) return;
  throw new AppError("forbidden", `Only a signed-in person ${what}.`);
}

function over({ state, decidedAt }: ApprovalRecord): AppError {
  return new AppError("conflict", `The approval is ${state.replace("_", " ")} already.`, {
    details: { state, decidedAt },
  });
}

function changed(): AppError {
  return new AppError("conflict", "The approval was changed at the same moment.", {
    nextAction: "Read it again and repeat what you did.",
  });
}
