import { Type, type Static } from "typebox";
import { ApprovalStateName, ApprovalView, DecidedVia, VerdictName } from "./approvals.ts";
import { freeValue, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";
import { RunView } from "./runs.ts";

const Eligibility = viewOf("ApprovalEligibility", "What the caller may do with an approval.", {
  mayDecide: Type.Boolean(),
  reason: Type.Union([Type.String(), Type.Null()], { description: "Why the caller may not decide." }),
  mayRequestChanges: Type.Boolean(),
  mayReassign: Type.Boolean(),
  hasPasskey: Type.Optional(
    Type.Boolean({ description: "Whether the person could sign now; where a passkey is asked for." }),
  ),
});
/** What the caller may do with an approval. */
export type ApprovalEligibility = Static<typeof Eligibility>;

const PersonName = Type.Object({ id: Type.String(), name: Type.String() });

const WhoDecides = viewOf("WhoDecides", "Who may decide an approval, and who has approved.", {
  required: Type.Integer(),
  votes: Type.Array(
    viewOf("ApprovalVote", "One decision of those that an approval needs.", {
      by: Type.String(),
      name: Type.String(),
      via: DecidedVia,
      inPlaceOf: Type.Union([PersonName, Type.Null()]),
      verdict: VerdictName,
      at: Time,
      passkey: Type.Boolean(),
    }),
  ),
  delegations: Type.Array(
    viewOf("Delegation", "The right of one assignee, given to another person.", {
      from: Type.String(),
      fromName: Type.String(),
      to: Type.String(),
      toName: Type.String(),
      at: Time,
    }),
  ),
  claimedByName: TextOrNull,
  assignees: Type.Array(
    viewOf("Assignee", "One of those that an approval names.", {
      entry: Type.String(),
      name: Type.String(),
      able: Type.Integer({ description: "How many of them can decide now." }),
      problem: Type.Union([Type.String(), Type.Null()], { description: "Why none of them can." }),
    }),
  ),
  stuck: Type.Union([Type.String(), Type.Null()], { description: "Why too few people can decide it." }),
});
/** Who may decide an approval. */
export type WhoDecides = Static<typeof WhoDecides>;

const CommentView = viewOf("ApprovalComment", "What a person wrote about an approval.", {
  id: Type.String(),
  author: Type.String(),
  authorName: Type.String(),
  body: Type.String(),
  createdAt: Time,
});
/** What a person wrote about an approval. */
export type ApprovalComment = Static<typeof CommentView>;

const shownValue = freeValue("The workflow decides what is shown.");
const DifferenceView = viewOf("Difference", "Where two values differ.", {
  pointer: Type.String({ description: "A JSON Pointer." }),
  change: Type.Enum(["added", "removed", "changed"]),
  before: shownValue,
  after: shownValue,
});
/** Where two values differ. */
export type DifferenceView = Static<typeof DifferenceView>;

const LastTime = viewOf(
  "LastApproval",
  "What the step showed when it was last decided, compared with what it shows now.",
  {
    id: Type.String(),
    status: ApprovalStateName,
    decidedAt: TimeOrNull,
    changes: Type.Array(DifferenceView),
    more: Type.Boolean({ description: "There are more differences than are listed." }),
  },
);
/** What the step showed when it was last decided. */
export type LastApproval = Static<typeof LastTime>;

/** What the page of an approval shows. */
export const ApprovalDetail = viewOf(
  "ApprovalDetail",
  "An approval with the run that waits for it. Strangers see neither its content nor the run.",
  {
    approval: ApprovalView,
    run: Type.Union([RunView, Type.Null()]),
    you: Type.Optional(Eligibility),
    who: Type.Optional(WhoDecides),
    comments: Type.Optional(Type.Array(CommentView)),
    last: Type.Optional(Type.Union([LastTime, Type.Null()])),
  },
);
export type ApprovalDetail = Static<typeof ApprovalDetail>;
