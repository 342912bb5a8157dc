import { Type, type Static } from "typebox";
import { freeObject, RedactedMark, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";
import { APPROVAL_STATES, VERDICTS } from "./states.ts";

/** Where an approval stands. */
export const ApprovalStateName = Type.Enum([...APPROVAL_STATES], {
  title: "ApprovalState",
  description: "Where an approval stands.",
});

/** What a decision says. */
export const VerdictName = Type.Enum([...VERDICTS], {
  title: "Verdict",
  description: "What a decision says.",
});

const shown = freeObject("The workflow decides what is shown.");
const values = Type.Union([freeObject("The fields of the approval's own form."), Type.Null()]);

/** The credential that a decider used, or null. */
export const DecidedVia = Type.Union([
  viewOf("DecidedVia", "The credential that the decider used.", {
    kind: Type.Enum(["oauth", "token", "key"]),
    id: Type.String(),
    name: Type.String(),
  }),
  Type.Null(),
]);

/** An approval as far as the caller may see it. */
export const ApprovalView = viewOf(
  "Approval",
  "A decision that a run waits for. Strangers see neither its content nor its notes.",
  {
    id: Type.String(),
    runId: Type.String(),
    stepId: Type.String(),
    status: ApprovalStateName,
    createdAt: Time,
    dueAt: TimeOrNull,
    expiresAt: TimeOrNull,
    decidedAt: TimeOrNull,
    required: Type.Integer({ description: "How many must approve; one rejection rejects." }),
    stepUp: Type.Boolean({ description: "A person decides it with a passkey." }),
    hasForm: Type.Boolean(),
    title: Type.Union([Type.String(), RedactedMark]),
    shown,
    shownDigest: Type.Optional(
      Type.String({ description: "The digest of what is shown; decisions name it." }),
    ),
    form: Type.Optional(Type.Union([freeObject("A JSON Schema of the workflow's author."), Type.Null()])),
    approvers: Type.Optional(
      Type.Array(Type.String(), { description: "Who may decide: people, groups, roles and keys." }),
    ),
    claimedBy: Type.Optional(TextOrNull),
    decidedBy: Type.Union([Type.String(), Type.Null(), RedactedMark]),
    decidedVia: Type.Optional(DecidedVia),
    decidedByName: Type.Optional(TextOrNull),
    reason: Type.Union([Type.String(), Type.Null(), RedactedMark]),
    values,
  },
);
export type ApprovalView = Static<typeof ApprovalView>;
