import { Type, type Static } from "typebox";
import {
  documentObject,
  freeObject,
  freeValue,
  TextOrNull,
  Time,
  TimeOrNull,
  viewOf,
  type Given,
} from "./common.ts";
import { PRIVACY_CLASSES } from "./states.ts";

/** A public key that signs the provenance log. */
export const SigningKeyView = viewOf("SigningKey", "A public key of the provenance log.", {
  id: Type.String(),
  publicKey: Type.String(),
  createdAt: Time,
  retiredAt: TimeOrNull,
});
/** A public key of the log, as callers see it. */
export type SigningKeyView = Readonly<Static<typeof SigningKeyView>>;

const CheckpointView = viewOf("Checkpoint", "A signed head of the provenance log.", {
  treeSize: Type.Integer(),
  rootHash: Type.String(),
  keyId: Type.String(),
  signature: Type.String(),
  createdAt: Time,
});

const PrivacyName = Type.Enum([...PRIVACY_CLASSES], {
  title: "Privacy",
  description: "How private something is.",
});

const ProvedRecord = viewOf("ProvedRecord", "A record of the provenance log with its place in it.", {
  id: Type.String(),
  leafIndex: Type.Integer(),
  kind: Type.String(),
  subjectId: Type.String(),
  runId: TextOrNull,
  digest: Type.String(),
  privacy: PrivacyName,
  body: Type.String({ description: "The canonical JSON that the leaf commits to." }),
  leafHash: Type.String(),
  createdAt: Time,
  envelope: Type.Union([freeObject("A DSSE envelope, as its specification says."), Type.Null()]),
});

const Verdict = viewOf("ProofVerdict", "What one check of a proof found, and why.", {
  verdict: Type.Enum(["pass", "fail", "not_checked"]),
  detail: Type.String(),
});

const AnchorView = viewOf("Anchor", "Whether a digest may be given to an outside anchor, and why.", {
  eligible: Type.Boolean(),
  anchored: Type.Literal(false),
  reasons: Type.Array(Type.String()),
});

/** A digest that is safe to publish. */
export const FingerprintView = viewOf("Fingerprint", "A digest that is safe to publish.", {
  subject: Type.String(),
  kind: Type.String(),
  digest: Type.String(),
  privacy: PrivacyName,
  anchor: AnchorView,
  recordId: Type.Optional(Type.String()),
  leafHash: Type.Optional(Type.String()),
  recordedAt: Type.Optional(Time),
});
export type FingerprintView = Static<typeof FingerprintView>;

/** The provenance log. */
export const LogView = viewOf("ProvenanceLog", "Size, keys and newest signed checkpoint of the log.", {
  origin: TextOrNull,
  size: Type.Integer(),
  keys: Type.Array(SigningKeyView),
  checkpoint: Type.Union([CheckpointView, Type.Null()]),
  anchoring: Type.String(),
});
export type LogView = Static<typeof LogView>;

/** That an older checkpoint is the beginning of the log. */
export const GrowthView = viewOf(
  "LogGrowth",
  "An older checkpoint with the proof that the log only grew since.",
  {
    schemaVersion: Type.Literal("svc.provenance-consistency.v1"),
    origin: Type.String(),
    older: CheckpointView,
    newer: CheckpointView,
    path: Type.Array(Type.String(), { description: "Hashes of the consistency proof of RFC 9162, 2.1.4." }),
  },
);
export type GrowthView = Static<typeof GrowthView>;

/** A record of the log; what it speaks of is shown to who may read it. */
export const ProvenanceRecordView = viewOf("ProvenanceRecord", "A record of the provenance log.", {
  recordId: Type.String(),
  kind: Type.String(),
  privacy: PrivacyName,
  digest: Type.String(),
  status: Type.Enum(["pending", "logged"]),
  leafIndex: Type.Union([Type.Integer(), Type.Null()]),
  leafHash: Type.String(),
  recordedAt: Time,
  anchor: AnchorView,
  subjectId: Type.Optional(Type.String()),
  runId: Type.Optional(TextOrNull),
  body: Type.Optional(Type.String({ description: "The canonical JSON that the leaf commits to." })),
});

/** What shows that a record speaks of a content. */
export const DisclosureView = viewOf("Disclosure", "The salt that a record's digest was made with.", {
  algorithm: Type.String(),
  salt: TextOrNull,
});
export type DisclosureView = Static<typeof DisclosureView>;

/** What was found of a record, with its proof. */
export const VerificationView = Type.Object({
  verified: Type.Boolean(),
  verdicts: viewOf("ProofVerdicts", "The separate verdicts on a record.", {
    digest: Verdict,
    signature: Verdict,
    key: Verdict,
    inclusion: Verdict,
    anchor: Verdict,
    assertion: Type.Optional(Verdict),
  }),
  proof: viewOf("Proof", "Everything that is needed to check one record offline.", {
    schemaVersion: Type.Literal("svc.provenance-proof.v1"),
    origin: Type.String(),
    record: ProvedRecord,
    checkpoint: CheckpointView,
    inclusionPath: Type.Array(Type.String()),
    keys: Type.Array(SigningKeyView),
  }),
});
export type VerificationView = Given<Static<typeof VerificationView>>;

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
export type ReceiptView = Given<Static<typeof ReceiptView>>;
