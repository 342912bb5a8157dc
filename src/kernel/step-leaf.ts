/** How the digests of step results begin: SHA-256 over the salt, in hex, and the result as canonical JSON. */
export const STEP_DIGEST = "salted-sha256:";

/** How they began in leaves of the first form. */
export const FIRST_STEP_DIGEST = "hmac-sha256:";

/** What the leaf of a step result says. */
export interface StepLeafParts {
  readonly id: string;
  readonly runId: string;
  readonly stepId: string;
  /** As canonical JSON. */
  readonly predicate: string;
  readonly digest: string;
  readonly at: string;
}

/**
 * The text of a step's leaf: canonical JSON, put together in its order, with what may need escaping escaped. It is made
 * when the leaf is hashed, and where only its parts are stored, again whenever somebody asks for it.
 */
export function stepLeafBody({ id, runId, stepId, predicate, digest, at }: StepLeafParts): string {
  const isFirst = digest.startsWith(FIRST_STEP_DIGEST);
  return (
    `{"at":"${at}","digest":"${digest}",${isFirst ? '"envelope":null,' : ""}"id":"${id}","kind":"step",` +
    `"lookup":"digest","predicate":${predicate},"privacy":"internal","runId":${JSON.stringify(runId)},` +
    `"subjectId":${JSON.stringify(`${runId}/${stepId}`)},"v":${isFirst ? 1 : 2}}`
  );
}

/** What the leaf of a step says of how it ended, as canonical JSON. */
export function stepPredicate(said: {
  readonly attempt: number;
  readonly port: string | null;
  readonly state: string;
}): string {
  return `{"attempt":${said.attempt},"port":${JSON.stringify(said.port)},"state":${JSON.stringify(said.state)}}`;
}
