import { Type, type Static } from "typebox";
import { freeObject, freeValue, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";
import { HANDOFF_STATES } from "./states.ts";

/** Where a handoff stands. */
export const HandoffStateName = Type.Enum([...HANDOFF_STATES], {
  title: "HandoffState",
  description: "Where a handoff stands.",
});

const handoff = {
  schemaVersion: Type.String(),
  id: Type.String(),
  direction: Type.Enum(["in", "out"]),
  peer: Type.String({ description: "The service of the suite that it came from or goes to." }),
  capability: Type.String(),
  intent: freeValue("What the packet asks for is as its sender wrote it."),
  status: HandoffStateName,
  dryRun: Type.Boolean(),
  attempts: Type.Integer(),
  nextAttemptAt: TimeOrNull,
  resultRef: TextOrNull,
  outputArtifactIds: Type.Array(Type.String()),
  confirmation: Type.Object({ required: Type.Boolean(), received: Type.Boolean(), source: TextOrNull }),
  evidence: Type.Union([freeObject("That service's own answer."), Type.Null()]),
  runId: TextOrNull,
  packetDigest: Type.String(),
  statusUrl: Type.String(),
  createdAt: Time,
  updatedAt: Time,
};

/** What is shown of a handoff: where it stands, what was tried, what was confirmed. */
export const HandoffView = viewOf("Handoff", "A handoff: where it stands and what was confirmed.", handoff);
export type HandoffView = Static<typeof HandoffView>;

/** A handoff with its packet. */
export const HandoffDetail = viewOf("HandoffDetail", "A handoff with its packet.", {
  ...handoff,
  packet: freeObject("The packet as its sender wrote it."),
});
