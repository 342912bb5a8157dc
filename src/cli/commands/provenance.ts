import { existsSync } from "node:fs";
import type { InputOf } from "../../../packages/client/client.ts";
import { isJsonObject, isObject } from "../../kernel/json.ts";
import { isProof, isReceipt } from "../../provenance/proof-shape.ts";
import type { SigningKeyView } from "../../model/provenance.ts";
import type { Trust } from "../../provenance/proof.ts";
import type { RunReceipt } from "../../provenance/receipt.ts";
import type { Cli } from "../command.ts";
import { yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { list, record } from "../from-operation.ts";
import { readDocument } from "../input.ts";
import { resolveId, type RecordKind } from "../newest.ts";
import type { Result } from "../output.ts";
import { table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

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

/** What was recorded, and proofs of it. */
export const provenance = group("provenance", {
  lookup: list({
    summary: "Find provenance records by what they speak of.",
    access: "public",
    options: [
      option("--workflow <ID>", "Records of a workflow."),
      option("--run <ID>", "Records of a run, its steps and approvals."),
      option("--artifact <ID>", "Records of an artifact."),
      option("--handoff <ID>", "Records of a handoff."),
      option("--form <ID>", "Records of a rendered form."),
      option("--document <URL>", "Records of a discovery document."),
      option("--hash <SHA256>", "Records with this digest or leaf hash."),
      option("--record <ID>", "One record."),
    ],
    examples: [example("Everything that was recorded of the newest run", "--run latest", ["key", "run"])],
    operation: "lookup_svc_provenance",
    async input(cli) {
      const about: Record<string, string> = {};
      for (const [name, parameter, kind] of SUBJECTS) {
        const value = cli.given.option(name);
        if (value !== undefined) about[parameter] = kind === null ? value : await resolveId(cli, value, kind);
      }
      return about;
    },
    rows: "records",
    columns: {
      RECORD: "recordId",
      KIND: "kind",
      PRIVACY: "privacy",
      SUBJECT: "subjectId",
      ENTRY: "leafIndex",
      RECORDED: "recordedAt",
      DIGEST: "digest",
    },
    id: "recordId",
  }),
  verify: {
    summary: "Verify a record, or a proof file without asking anybody.",
    about:
      "A file, or - for standard input, is checked on this machine with no network; --keys names a file of keys that you trust, such as a saved /.well-known/provenance.json. Anything else is the id or the hash of a record, which the service verifies. Exit status 1 when a verdict is fail.",
    access: "public",
    args: [argument("proof", "A proof file, -, or the id or hash of a record.", { kind: "file" })],
    options: [option("--keys <FILE>", "Keys that you trust, for a proof file.", { kind: "file" })],
    examples: [
      example(
        "Take a proof along and check it offline",
        ["suitectl provenance proof latest > proof.json", "suitectl provenance verify proof.json"],
        ["key", "artifact"],
      ),
      example("Let the service verify its newest record", "latest", ["key", "artifact"], {
        id: "provenance-verify-record",
      }),
    ],
    async run(cli) {
      const given = cli.given.argument("proof");
      if (given === "-" || existsSync(given)) return verifyFile(cli, given);
      const { data } = await cli.client().run("verify_svc_provenance", await which(cli, given));
      return verdictResult({ ...data, proof: null }, { ...data.verdicts }, data.verified);
    },
  },
  proof: {
    summary: "The proof of a record, for anybody to check offline.",
    access: "public",
    args: [argument("record", "The id or hash of the record; `latest` is the newest one.")],
    examples: [example("Save the proof of the newest record", "latest > proof.json", ["key", "artifact"])],
    async run(cli) {
      const input = await which(cli, cli.given.argument("record"));
      const { proof, proofNote } = (await cli.client().run("verify_svc_provenance", input)).data;
      if (proof === null) {
        throw new Failure("refused", proofNote ?? "The service gives no proof of this record.", {
          next: "Log in with a key that holds the scope read-private.",
        });
      }
      await cli.output.document(proof);
      return undefined;
    },
  },
  rotate: record({
    summary: "Make a new signing key; what the present one signed stays valid.",
    options: [yesOption],
    examples: [example("Make a new signing key", "--yes")],
    operation: "rotate_signing_key",
    input: () => ({}),
    confirm: () => "Make a new signing key? The present one signs nothing more.",
    record: "key",
    fields: ["id", "publicKey", "createdAt"],
  }),
});

async function verifyFile(cli: Cli, file: string): Promise<Result> {
  const document = await readDocument(file);
  const given = isObject(document["proof"]) ? document["proof"] : document;
  if (!isProof(given) && !isReceipt(given)) {
    throw new Failure("usage", "This is neither a proof of a record nor a receipt of a run.", {
      next: "suitectl provenance proof RECORD writes a proof; the page of a run has its receipt.",
    });
  }
  const keys = cli.given.option("keys");
  const trust = keys === undefined ? {} : { trustedKeys: await keysIn(keys) };
  if (isReceipt(given)) return verifyReceiptFile(given, trust);
  const { verifyBundle } = await import("../../provenance/bundle.ts");
  const verdicts = { ...verifyBundle(given, trust) };
  const verified = Object.values(verdicts).every(({ verdict }) => verdict !== "fail");
  return verdictResult({ verified, verdicts, offline: true, recordId: given.record.id }, verdicts, verified);
}

/** A row for each check of the whole, and for each record one that says what does not fit, if anything. */
async function verifyReceiptFile(receipt: RunReceipt, trust: Trust): Promise<Result> {
  const { verifyReceipt } = await import("../../provenance/receipt.ts");
  const { verifySignature } = await import("../../provenance/signing.ts");
  const { entries, run, document } = verifyReceipt(receipt, trust, verifySignature);
  const records = entries.map((verdicts, nth) => {
    const entry = receipt.entries[nth]?.record;
    const failed = Object.values(verdicts).find(({ verdict }) => verdict === "fail");
    const detail = failed?.detail ?? verdicts.assertion?.detail ?? verdicts.inclusion.detail;
    return [
      `${entry?.leafIndex} ${entry?.kind} ${entry?.subjectId}`,
      { verdict: failed ? "fail" : "pass", detail },
    ] as const;
  });
  const verdicts: Verdicts = { run, document, ...Object.fromEntries(records) };
  const verified = Object.values(verdicts).every((one) => one?.verdict !== "fail");
  return verdictResult({ verified, verdicts, offline: true, runId: receipt.runId }, verdicts, verified);
}

type Verdict = { readonly verdict: string; readonly detail: string };
type Verdicts = Readonly<Record<string, Verdict | undefined>>;

function verdictResult(data: object, verdicts: Verdicts, verified: boolean): Result {
  const rows = Object.entries(verdicts).map(([check, one]) => ({ check, ...one }));
  return {
    envelope: { ok: verified, data },
    view: [table({ CHECK: "check", VERDICT: "verdict", WHY: "detail" }, rows)],
    ...(!verified && { status: 1 }),
  };
}

async function which(cli: Cli, given: string): Promise<InputOf<"verify_svc_provenance">> {
  const id = await resolveId(cli, given, "provenance record");
  return /^(sha256:)?[0-9a-f]{64}$/.test(id) ? { hash: id } : { recordId: id };
}

/** The keys in a file that a person trusts. */
async function keysIn(file: string): Promise<readonly SigningKeyView[]> {
  const { keys: listed } = await readDocument(file);
  const found = (Array.isArray(listed) ? listed.filter(isJsonObject) : []).flatMap((key) => {
    const { id, publicKey, createdAt, retiredAt } = key;
    if (typeof id !== "string" || typeof publicKey !== "string") return [];
    return {
      id,
      publicKey,
      createdAt: typeof createdAt === "string" ? createdAt : "",
      retiredAt: typeof retiredAt === "string" ? retiredAt : null,
    };
  });
  if (found.length > 0) return found;
  throw new Failure("usage", "The file of trusted keys has none.", {
    next: "Save /.well-known/provenance.json of the service.",
  });
}
