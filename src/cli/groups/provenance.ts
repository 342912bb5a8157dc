import { existsSync } from "node:fs";
import { isObject, type JsonObject } from "../../kernel/json.ts";
import type { ProofBundle, PublicKeyEntry } from "../../provenance/bundle.ts";
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
  const bundle = isObject(document["proof"]) ? document["proof"] : document;
  if (!isBundle(bundle)) {
    throw new Failure("usage", "This is not a proof.", {
      next: "suitectl provenance proof RECORD writes one.",
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
  const { verifyBundle } = await import("../../provenance/bundle.ts");
  const verdicts = { ...verifyBundle(bundle, trustedKeys === undefined ? {} : { trustedKeys }) };
  const asJson: JsonObject = JSON.parse(JSON.stringify(verdicts));
  const verified = Object.values(verdicts).every(({ verdict }) => verdict !== "fail");
  return verdictResult(
    { verified, verdicts: asJson, offline: true, recordId: bundle.record.id },
    asJson,
    verified,
  );
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

function isBundle(value: unknown): value is ProofBundle {
  return (
    isObject(value) &&
    value["schemaVersion"] === "svc.provenance-proof.v1" &&
    isObject(value["record"]) &&
    isObject(value["checkpoint"]) &&
    Array.isArray(value["inclusionPath"]) &&
    Array.isArray(value["keys"])
  );
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
