import { canonicalJson } from "../kernel/canonical-json.ts";
import type { JsonObject } from "../kernel/json.ts";

/** Facts of these kinds have no statement of their own: inclusion under a signed checkpoint proves them. */
const LEAF_ONLY: ReadonlySet<string> = new Set(["step", "rendered_form"]);

/** True when people exchange such a record, so it goes with a signed statement of its own. */
export function isExchanged(kind: string): boolean {
  return !LEAF_ONLY.has(kind);
}

/** What a leaf commits to. Every column of the stored record follows from it or is checked against it. */
export interface LeafBody {
  readonly v: 2;
  readonly id: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly runId: string | null;
  readonly digest: string;
  readonly lookup: string;
  readonly privacy: string;
  readonly at: string;
  readonly predicate: JsonObject;
}

/** What of a leaf its statement says. */
export type Stated = Pick<LeafBody, "id" | "kind" | "subjectId" | "digest" | "at" | "predicate">;

/** The in-toto statement of a leaf, as canonical JSON: it follows from the leaf, so the leaf commits to it. */
export function statementOf({ id, kind, subjectId, digest, at, predicate }: Stated): string {
  const [algorithm = "sha256", value = ""] = digest.split(":");
  return canonicalJson({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: `${kind}:${subjectId}`, digest: { [algorithm]: value } }],
    predicateType: `urn:suite:provenance:${kind}:v1`,
    predicate: { ...predicate, recordId: id, recordedAt: at },
  });
}
