import type { ApprovalState, Verdict } from "../model/states.ts";
import type { DecisionProof } from "../kernel/webauthn.ts";
import type { ApprovalRecord } from "./records.ts";
import type { Page, PageRequest } from "./store.ts";

/** The credential with which a decision was made in a person's place. */
export type DecidedVia = {
  readonly kind: "oauth" | "token" | "key";
  readonly id: string;
  /** The name of the client, the token or the key. */
  readonly name: string;
};

/** The right of one assignee, given to another person for one approval. */
export interface Delegation {
  /** The assignee in whose place `to` decides. */
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

/** One decision of those that an approval needs. */
export interface ApprovalVote {
  readonly approvalId: string;
  /** Who decided: the person, whatever credential was used, or a program without a known person behind it. */
  readonly voter: string;
  /** The credential; null for a signed-in browser. */
  readonly via: DecidedVia | null;
  /** In whose place: the voter, the person who delegated or is out of office, or who made a program's key. Counts once. */
  readonly seat: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly at: string;
  /** The passkey signature of the voter, where the step asks for one. */
  readonly assertion: DecisionProof | null;
}

/** What a program that acts for a person was shown before it decides. */
interface ShownRecord {
  readonly approvalId: string;
  readonly client: string;
  readonly shownDigest: string;
  readonly at: string;
}

/** What a person wrote about an approval. */
export interface ApprovalComment {
  readonly id: string;
  readonly approvalId: string;
  readonly author: string;
  readonly body: string;
  readonly createdAt: string;
}

/** A person is out of office, and who decides in the person's place. */
export interface AbsenceRecord {
  readonly personId: string;
  readonly substituteId: string;
  readonly fromAt: string;
  readonly untilAt: string;
  readonly createdAt: string;
}

/** Which approvals a list gives. */
export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly runId?: string;
  /** Assigned to one of these entries (`person:…`, `role:…`, `group:…`, `*` for those that name nobody), in lower case. */
  readonly assigned?: readonly string[];
}

/** Approvals, comments on them, and who stands in for whom. */
export interface ApprovalStore {
  insert(record: ApprovalRecord): Promise<void>;
  get(id: string): Promise<ApprovalRecord | null>;
  /** The approval; in a transaction no other changes or decides it before it ends. */
  lock(id: string): Promise<ApprovalRecord | null>;
  list(page: PageRequest, filter?: ApprovalFilter): Promise<Page<ApprovalRecord>>;
  /** When those that wait were asked for, oldest first. */
  waitingSince(limit: number): Promise<readonly string[]>;
  /** Compare-and-set from `pending`: false when it was decided already. One decision wins. */
  decide(record: ApprovalRecord): Promise<boolean>;
  /** Writes who may decide, the claim and the delegations; false when it was decided already. */
  assign(record: ApprovalRecord): Promise<boolean>;
  /** The newest decided approval of the same step of a workflow before a time. */
  previous(workflowId: string, stepId: string, before: string): Promise<ApprovalRecord | null>;
  /** False when the voter or the seat has voted. */
  vote(record: ApprovalVote): Promise<boolean>;
  /** Oldest first. */
  votes(approvalId: string): Promise<readonly ApprovalVote[]>;
  /** Notes what a client was shown, and forgets what was shown before a time. */
  noteShown(record: ShownRecord, before: string): Promise<void>;
  /** The digest of what a client was shown since a time; null when nothing was. */
  shownTo(approvalId: string, client: string, since: string): Promise<string | null>;
  comment(record: ApprovalComment): Promise<void>;
  /** Oldest first. */
  comments(approvalId: string, limit: number): Promise<readonly ApprovalComment[]>;
  expired(now: string, limit: number): Promise<readonly ApprovalRecord[]>;
  /** Writes when a person is out of office; one that is stored is replaced. */
  putAbsence(record: AbsenceRecord): Promise<void>;
  absence(personId: string): Promise<AbsenceRecord | null>;
  dropAbsence(personId: string): Promise<boolean>;
  /** The people whose substitute this person is at a time. */
  substitutedBy(personId: string, at: string): Promise<readonly AbsenceRecord[]>;
}
