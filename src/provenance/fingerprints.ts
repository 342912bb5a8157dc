import { digestOf } from "../kernel/canonical-json.ts";
import type { FingerprintView } from "../model/provenance.ts";
import type { PrivacyClass } from "../model/states.ts";
import type { ProvenanceRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { documentDigests } from "./documents.ts";

/** Whether a digest may be given to an outside anchor, and why. */
export function anchorEligibility(privacy: PrivacyClass, digest: string): FingerprintView["anchor"] {
  const reasons: string[] = [];
  if (privacy === "public" && digest.startsWith("sha256:"))
    reasons.push("The subject is public, so its plain digest reveals nothing.");
  else if (!digest.startsWith("sha256:"))
    reasons.push("The digest is salted, so the subject cannot be guessed from it.");
  const eligible = privacy === "public" || privacy === "internal";
  if (!eligible) reasons.push(`Records of class ${privacy} stay inside, even as salted digests.`);
  reasons.push("No external receipt exists: this is not anchored.");
  return { eligible, anchored: false, reasons };
}

/** The fingerprint of a record of the log. */
export function recordFingerprint(record: ProvenanceRecord): FingerprintView {
  const { privacy, digest } = record;
  return {
    subject: privacy === "public" ? record.subjectId : record.id,
    kind: record.kind,
    digest,
    privacy,
    recordId: record.id,
    leafHash: record.leafHash,
    recordedAt: record.createdAt,
    anchor: anchorEligibility(privacy, digest),
  };
}

/** The fingerprints of what this service shows everybody: its registry and its discovery documents, read now. */
export async function surfaceFingerprints(
  services: Services,
  paths: readonly string[],
): Promise<FingerprintView[]> {
  const { tools, resources, prompts } = services.catalog;
  const registry = digestOf({
    tools: tools.map((tool) => [tool.name, tool.access, tool.input]),
    resources: resources.map((resource) => resource.uri),
    prompts: prompts.map((prompt) => prompt.name),
  });
  const documents = await documentDigests(services, paths);
  return [
    surface("registry", "registry", registry),
    ...documents.map(({ path, digest }) => surface(path, "discovery_document", digest)),
  ];
}

function surface(subject: string, kind: string, digest: string): FingerprintView {
  return { subject, kind, digest, privacy: "public", anchor: anchorEligibility("public", digest) };
}
