import { existsSync } from "node:fs";
import { isObject, type JsonObject } from "../../kernel/json.ts";
import { isProof, isReceipt } from "../../provenance/proof-shape.ts";
import type { PublicKeyEntry, Trust } from "../../provenance/proof.ts";
import type { RunReceipt } from "../../provenance/receipt.ts";
import { listResult, object, objects, recordResult, resolveId, text, type RecordKind } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { readDocument } from "../input.ts";
import type { Result } from "../output.ts";
import { agree } from "../prompt.ts";

/** What was recorded, and proofs of it. */
export const handlers: Handlers = {
  "provenance lookup": lookup,
  "provenance verify": verify,
  "provenance proof": proof,
  async "provenance rotate"(cli) {
    await agree("Make a new signing key? The present one signs nothing more.", cli.given.flag("yes"));
    const envelope = await cli.client().post("/api/svc/provenance/rotate");
    return recordResult(envelope, object(envelope.data["key"]), ["id", "publicKey", "createdAt"]);
  },
};

const SUBJECTS: readonly (readonly [option: string, parameter: string, kind: RecordKind | null])[] = [
  ["workflow", "workflowId", "workflow"],
  ["run", "runId", "run"],
  ["artifact", "artifactId", "artifact"],
  ["handoff", "delegationId", "handoff"],
  ["form", "formId", null],
  ["document", "url", null],
  ["hash", "hash", null],
  ["record", "recordId", "provenance record"],
];

async function lookup(cli: Cli): Promise<Result> {
  const args: Record<string, string> = {};
  for (const [option, parameter, kind] of SUBJECTS) {
    const value = cli.given.option(option);
    if (value !== undefined) args[parameter] = kind === null ? value : await resolveId(cli, value, kind);
  }
  return listResult(
    cli,
    await cli.client().call("lookup_svc_provenance", args),
    "records",
    [
      ["RECORD", "recordId"],
      ["KIND", "kind"],
      ["PRIVACY", "privacy"],
      ["SUBJECT", "subjectId"],
      ["ENTRY", "leafIndex"],
      ["RECORDED", "recordedAt"],
      ["DIGEST", "digest"],
    ],
    "recordId",
  );
}

async function verify(cli: Cli): Promise<Result> {
  const given = cli.given.argument("proof");
  if (given === "-" || existsSync(given)) return verifyFile(cli, given);
  const envelope = await cli.client().call("verify_svc_provenance", await which(cli, given));
  return verdictResult(
    { ...envelope.data, proof: null },
    object(envelope.data["verdicts"]),
    envelope.data["verified"] === true,
  );
}

async function verifyFile(cli: Cli, file: string): Promise<Result> {
  const document = await readDocument(file);
  const given = isObject(document["proof"]) ? document["proof"] : document;
  if (!isProof(given) && !isReceipt(given)) {
    throw new Failure("usage", "This is neither a proof of a record nor a receipt of a run.", {
      next: "suitectl provenance proof RECORD writes a proof; the page of a run has its receipt.",
    });
  }
  const keys = cli.given.option("keys");
  const trustedKeys =
    keys === undefined ? undefined : objects((await readDocument(keys))["keys"]).flatMap(keyEntry);
  if (trustedKeys?.length === 0) {
    throw new Failure("usage", "The file of trusted keys has none.", {
      next: "Save /.well-known/provenance.json of the service.",
    });
  }
  const trust = trustedKeys === undefined ? {} : { trustedKeys };
  if (isReceipt(given)) return verifyReceiptFile(given, trust);
  const { verifyBundle } = await import("../../provenance/bundle.ts");
  const verdicts = { ...verifyBundle(given, trust) };
  const asJson: JsonObject = JSON.parse(JSON.stringify(verdicts));
  const verified = Object.values(verdicts).every(({ verdict }) => verdict !== "fail");
  return verdictResult(
    { verified, verdicts: asJson, offline: true, recordId: given.record.id },
    asJson,
    verified,
  );
}

/** A row for each check of the whole, and for each record one that says what does not fit, if anything. */
async function verifyReceiptFile(receipt: RunReceipt, trust: Trust): Promise<Result> {
  const { verifyReceipt } = await import("../../provenance/receipt.ts");
  const { verifySignature } = await import("../../provenance/signing.ts");
  const { entries, run, document } = verifyReceipt(receipt, trust, verifySignature);
  const records = entries.map((verdicts, nth) => {
    const record = receipt.entries[nth]?.record;
    const failed = Object.values(verdicts).find(({ verdict }) => verdict === "fail");
    const detail = failed?.detail ?? verdicts.assertion?.detail ?? verdicts.inclusion.detail;
    return [
      `${record?.leafIndex} ${record?.kind} ${record?.subjectId}`,
      { verdict: failed ? "fail" : "pass", detail },
    ] as const;
  });
  const all: JsonObject = { run: { ...run }, document: { ...document }, ...Object.fromEntries(records) };
  const verified = Object.values(all).every((verdict) => object(verdict)["verdict"] !== "fail");
  const data = { verified, verdicts: all, offline: true, runId: receipt.runId };
  return verdictResult(data, all, verified);
}

function verdictResult(data: JsonObject, verdicts: JsonObject, verified: boolean): Result {
  return {
    envelope: { ok: verified, data },
    view: [
      {
        kind: "table",
        columns: ["CHECK", "VERDICT", "WHY"],
        rows: Object.entries(verdicts).map(([name, verdict]) => [
          name,
          text(object(verdict)["verdict"]),
          text(object(verdict)["detail"]),
        ]),
      },
    ],
    ...(!verified && { status: 1 }),
  };
}

async function proof(cli: Cli): Promise<undefined> {
  const envelope = await cli
    .client()
    .call("verify_svc_provenance", await which(cli, cli.given.argument("record")));
  const bundle = envelope.data["proof"];
  if (!isObject(bundle)) {
    throw new Failure(
      "refused",
      text(envelope.data["proofNote"]) || "The service gives no proof of this record.",
      {
        next: "Log in with a key that holds the scope read-private.",
      },
    );
  }
  await cli.output.document(bundle);
  return undefined;
}

async function which(cli: Cli, given: string): Promise<JsonObject> {
  const id = await resolveId(cli, given, "provenance record");
  return /^(sha256:)?[0-9a-f]{64}$/.test(id) ? { hash: id } : { recordId: id };
}

function keyEntry({ id, publicKey, createdAt, retiredAt }: JsonObject): readonly PublicKeyEntry[] {
  if (typeof id !== "string" || typeof publicKey !== "string") return [];
  return [
    {
      id,
      publicKey,
      createdAt: text(createdAt),
      retiredAt: typeof retiredAt === "string" ? retiredAt : null,
    },
  ];
}
