import { canonicalJson } from "../kernel/canonical-json.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { ProvenanceRecord } from "../ports/records.ts";
import { HmacKey } from "./hmac.ts";
import { leafHashOf } from "./merkle-proof.ts";
import { predicateIn } from "./proof.ts";
import type { LeafBody } from "./statement.ts";

/** What a person may have in hand and look up by its own digest. Runs, steps and approvals are found through their run. */
const FOUND_BY_CONTENT: ReadonlySet<string> = new Set([
  "workflow_version",
  "artifact_version",
  "handoff",
  "discovery_document",
  "agent_policy",
]);

/** What a public record may speak of and still holds private values: from a plain digest they could be guessed. */
const HOLDS_VALUES: ReadonlySet<string> = new Set(["workflow_version", "run"]);

/** Members of a predicate that name people; a public record has none. */
const PEOPLE: ReadonlySet<string> = new Set(["by", "changedBy", "decidedBy", "publishedBy", "startedBy"]);

/** How published digests of what is not public begin. */
const SALTED = "hmac-sha256:";

/** True when the digest of a record is salted. */
export function isSalted({ digest }: { readonly digest: string }): boolean {
  return digest.startsWith(SALTED);
}

/** True when a record is public and names no person; those of older builds may. */
export function isForStrangers({ privacy, body }: Pick<ProvenanceRecord, "privacy" | "body">): boolean {
  return privacy === "public" && !Object.keys(predicateIn(body)).some((member) => PEOPLE.has(member));
}

/** What a public record says of its subject: nobody's name, and of the document only what its holder can check. */
function publicPredicate(predicate: JsonObject, salt: HmacKey | null): JsonObject {
  const shown = Object.entries(predicate).filter(([member]) => !PEOPLE.has(member));
  return Object.fromEntries(
    shown.map(([member, value]) =>
      member === "documentDigest" && typeof value === "string" && salt !== null
        ? [member, saltedDigest(salt, value)]
        : [member, value],
    ),
  );
}

/** The salt of a record that is not public; all steps of a run share one. */
export function saltOf(
  secret: HmacKey,
  recordId: string,
  fact: { readonly kind: string; readonly runId?: string },
): string {
  const salted = fact.kind === "step" && fact.runId !== undefined ? fact.runId : recordId;
  return secret.hex(`salt:${salted}`);
}

/** The digest that is published for a subject that is not public. The holder of the salt can check it. */
function saltedDigest(salt: HmacKey, digest: string): string {
  return SALTED + salt.hex(digest);
}

/** The digest that the log shows for a subject with this plain digest. */
export function publishedDigest(
  secret: HmacKey,
  record: { readonly id: string; readonly kind: string; readonly runId: string; readonly isSalted: boolean },
  digest: string,
): string {
  return record.isSalted ? saltedDigest(keyOf(saltOf(secret, record.id, record)), digest) : digest;
}

function keyOf(salt: string): HmacKey {
  return new HmacKey(Buffer.from(salt, "hex"));
}

/** What a lookup by the plain digest of something private compares. Only this service can compute it. */
export function privateLookupKey(secret: HmacKey, digest: string): string {
  return `lookup:${secret.hex(`lookup:${digest}`)}`;
}

/** How a leaf names its lookup key without making equal private contents visible as equal. */
export function lookupCommitment(lookupKey: string, digest: string, salt: string | null): string {
  return committed(lookupKey, digest, salt === null ? null : keyOf(salt));
}

function committed(lookupKey: string, digest: string, salt: HmacKey | null): string {
  return lookupKey === digest ? "digest" : saltedDigest(salt ?? keyOf(""), lookupKey);
}

/** Makes the record of a fact. It gets its place in the log later. */
export function recordOf(fact: ProvenanceFact, at: string, secret: HmacKey): ProvenanceRecord {
  const id = newId("prov");
  const isPublic = fact.privacy === "public";
  const isPlain = isPublic && !HOLDS_VALUES.has(fact.kind);
  const salt = isPlain ? null : keyOf(saltOf(secret, id, fact));
  const digest = salt === null ? fact.digest : saltedDigest(salt, fact.digest);
  const isHidden = !isPlain && FOUND_BY_CONTENT.has(fact.kind);
  const lookupKey = isHidden ? privateLookupKey(secret, fact.digest) : digest;
  // In the order of canonical JSON, which is then as quick as it can be.
  const leaf: LeafBody = {
    at,
    digest,
    id,
    kind: fact.kind,
    lookup: committed(lookupKey, digest, salt),
    predicate: isPublic ? publicPredicate(fact.predicate, salt) : fact.predicate,
    privacy: fact.privacy,
    runId: fact.runId ?? null,
    subjectId: fact.subjectId,
    v: 2,
  };
  const body = canonicalJson(leaf);
  return {
    id,
    leafIndex: null,
    kind: fact.kind,
    subjectId: fact.subjectId,
    runId: fact.runId ?? null,
    digest,
    lookupKey,
    privacy: fact.privacy,
    body,
    leafHash: leafHashOf(body),
    createdAt: at,
  };
}

/** What the columns of a record say of its leaf. */
interface Named extends Pick<
  ProvenanceRecord,
  "id" | "kind" | "subjectId" | "runId" | "digest" | "createdAt"
> {
  readonly privacy: string;
}

/** The text of a leaf before and after what only its body says. */
function around({
  id,
  kind,
  subjectId,
  runId,
  digest,
  privacy,
  createdAt,
}: Named): readonly [string, string] {
  return [
    `${canonicalJson({ at: createdAt, digest, id, kind }).slice(0, -1)},`,
    `,${canonicalJson({ privacy, runId, subjectId, v: 2 }).slice(1)}`,
  ];
}

/** How what is stored of a leaf's text begins; the text itself, which 0.10.0 stored whole, begins with `at`. */
const REST = '"lookup":';

/** What is stored of a leaf's text: the columns of its record say the rest. */
export function storedBody(body: string, record: Named): string {
  const [before, after] = around(record);
  const isAround = body.startsWith(before + REST) && body.endsWith(after);
  return isAround ? `{${body.slice(before.length, -after.length)}}` : body;
}

/** The whole text of a leaf, from what is stored. */
export function wholeBody(stored: string, record: Named): string {
  if (!stored.startsWith(`{${REST}`) || !stored.endsWith("}")) return stored;
  const [before, after] = around(record);
  return before + stored.slice(1, -1) + after;
}
