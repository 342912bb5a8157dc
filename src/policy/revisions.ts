import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { traceparentOf, type Trace } from "../kernel/trace.ts";
import type { Services } from "../ports/services.ts";
import type { Store } from "../ports/store.ts";
import { BUILT_IN_POLICY, readPolicy, type AgentPolicy } from "./document.ts";
import { recordChange } from "../audit/record.ts";

/** The policy in force, and where it comes from. Revision 0 is the built-in one. */
export interface CurrentPolicy {
  readonly policy: AgentPolicy;
  readonly revision: number;
  readonly digest: string;
  readonly source: "built-in" | "stored";
  readonly changedAt: string | null;
}

const BUILT_IN: CurrentPolicy = {
  policy: BUILT_IN_POLICY,
  revision: 0,
  digest: digestOf(BUILT_IN_POLICY),
  source: "built-in",
  changedAt: null,
};
/** What another replica changes is in force here after at most this time, as with keys. */
const KNOWN_MS = 1_000;
/** Every request for a public document asks for the policy, and so does every step that uses one of its tools. */
const known = new WeakMap<Store, { readonly until: number; readonly current: Promise<CurrentPolicy> }>();

/** The policy in force: the newest stored revision, or the built-in policy. */
export function currentPolicy(services: Pick<Services, "store" | "log">): Promise<CurrentPolicy> {
  const { store } = services;
  const found = known.get(store);
  if (found !== undefined && performance.now() < found.until) return found.current;
  const current = readCurrent(services);
  known.set(store, { until: performance.now() + KNOWN_MS, current });
  current.catch(() => known.delete(store));
  return current;
}

async function readCurrent(services: Pick<Services, "store" | "log">): Promise<CurrentPolicy> {
  const latest = await services.store.read.policies.latest();
  const policy = latest && readPolicy(latest.policy);
  if (latest && policy) {
    return {
      policy,
      revision: latest.revision,
      digest: latest.digest,
      source: "stored",
      changedAt: latest.createdAt,
    };
  }
  if (latest) services.log.warn("policy.revision_unreadable", { revision: latest.revision });
  return BUILT_IN;
}

/** What became of a change: the revision that is now on disk, with its provenance. */
export interface SavedRevision {
  readonly revision: number;
  readonly digest: string;
  readonly provenanceId: string | null;
  readonly createdAt: string;
}

/** Stores a new revision with its event and provenance in one transaction. Throws `conflict` when another came first. */
export async function saveRevision(
  services: Pick<Services, "store" | "provenance">,
  change: {
    readonly policy: AgentPolicy;
    readonly basedOn: number;
    readonly changed: readonly string[];
    readonly by: string;
    readonly trace: Trace;
    readonly madeIn: string | null;
    /** What was observed when the revision was made, kept with its provenance. */
    readonly evidence?: JsonObject;
  },
): Promise<SavedRevision> {
  const { policy } = change;
  const digest = digestOf(policy);
  const saved = await services.store.transact(async (tx) => {
    const latest = await tx.policies.latest();
    if ((latest?.revision ?? 0) > change.basedOn) throw tooLate();
    const revision = (latest?.revision ?? 0) + 1;
    const createdAt = await tx.now();
    if (!(await tx.policies.insert({ revision, policy, digest, changedBy: change.by, createdAt })))
      throw tooLate();
    const data = { revision, digest, changed: [...change.changed] };
    const subject = `agent-policy/${revision}`;
    const provenanceId = await recordChange(tx, services.provenance, {
      action: "policy.updated",
      by: change.by,
      subject,
      traceparent: traceparentOf(change.trace),
      madeIn: change.madeIn,
      data: { ...data, changedBy: change.by },
      publicData: data,
      fact: {
        kind: "agent_policy",
        subjectId: subject,
        digest,
        privacy: "public",
        predicate: { ...data, ...(change.evidence && { evidence: change.evidence }) },
      },
    });
    return { revision, digest, provenanceId, createdAt };
  });
  known.delete(services.store);
  return saved;
}

function tooLate(): AppError {
  return new AppError("conflict", "Another revision of the policy was stored in the meantime.", {
    nextAction: "Read the policy again with get_agent_policy and repeat the change.",
  });
}
