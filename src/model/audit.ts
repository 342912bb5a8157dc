import { Type, type Static } from "typebox";
import { freeObject, TextOrNull, Time, viewOf } from "./common.ts";

/** Who did what when, with the names of today. */
export const AuditEntryView = viewOf("AuditEntry", "Who did what when.", {
  id: Type.String(),
  time: Time,
  actor: Type.Object({ id: Type.String(), kind: Type.String(), name: Type.String() }),
  action: Type.String(),
  what: Type.String({ description: "The action in plain words." }),
  subject: Type.Object({ id: Type.String(), name: Type.String() }),
  whom: Type.Optional(
    Type.String({ description: "The name of the person whom it concerns beside the subject." }),
  ),
  detail: freeObject("Each action has details of its own.", "What the action was about."),
  provenanceId: TextOrNull,
});
export type AuditEntryView = Static<typeof AuditEntryView>;
