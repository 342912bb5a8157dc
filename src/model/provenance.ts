import { Type, type Static } from "typebox";
import { documentObject, freeObject, freeValue, TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";

const SigningKeyView = viewOf("SigningKey", "A public key of the provenance log.", {
  id: Type.String(),
  publicKey: Type.String(),
  createdAt: Time,
  retiredAt: TimeOrNull,
});

const CheckpointView = viewOf("Checkpoint", "A signed head of the provenance log.", {
  treeSize: Type.Integer(),
  rootHash: Type.String(),
  keyId: Type.String(),
  signature: Type.String(),
  createdAt: Time,
});

const ProvedRecord = viewOf("ProvedRecord", "A record of the provenance log with its place in it.", {
  id: Type.String(),
  leafIndex: Type.Integer(),
  kind: Type.String(),
  subjectId: Type.String(),
  runId: TextOrNull,
  digest: Type.String(),
  privacy: Type.Enum(["public", "internal", "confidential", "restricted"]),
  body: Type.String({ description: "The canonical JSON that the leaf commits to." }),
  leafHash: Type.String(),
  createdAt: Time,
  envelope: Type.Union([freeObject("A DSSE envelope, as its specification says."), Type.Null()]),
});

/** The records of an ended run with their proofs. */
export const ReceiptView = viewOf(
  "RunReceipt",
  "The records of an ended run with proofs that anybody can check offline.",
  {
    schemaVersion: Type.Literal("svc.run-receipt.v1"),
    origin: Type.String(),
    runId: Type.String(),
    document: Type.Union([documentObject, Type.Null()]),
    checkpoints: Type.Array(CheckpointView),
    keys: Type.Array(SigningKeyView),
    entries: Type.Array(
      viewOf("ReceiptEntry", "A record of a run with its proof.", {
        record: ProvedRecord,
        inclusionPath: Type.Array(Type.String()),
        checkpoint: Type.Integer({ description: "Which of the receipt's checkpoints the path leads to." }),
        content: freeValue("What the record speaks of is the workflow's; null when it is not disclosed."),
        salt: TextOrNull,
        saidSalt: Type.Optional(Type.String()),
      }),
    ),
  },
);
/** The receipt of a run. */
export type ReceiptView = Static<typeof ReceiptView>;
