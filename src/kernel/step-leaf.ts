/** What the leaf of a step result says. */
export interface StepLeafParts {
  readonly id: string;
  readonly runId: string;
  readonly subjectId: string;
  /** As canonical JSON. */
  readonly predicate: string;
  readonly privacy: string;
  readonly digest: string;
  readonly at: string;
}

/**
 * The text of a step's leaf: canonical JSON, put together in its order, with what may need escaping escaped. It is made
 * when the leaf is hashed, and where only its parts are stored, again whenever somebody asks for it.
 */
export function stepLeafBody({
  id,
  runId,
  subjectId,
  predicate,
  privacy,
  digest,
  at,
}: StepLeafParts): string {
  return (
    `{"at":"${at}","digest":"${digest}","envelope":null,"id":"${id}","kind":"step","lookup":"digest",` +
    `"predicate":${predicate},"privacy":"${privacy}","runId":${JSON.stringify(runId)},` +
    `"subjectId":${JSON.stringify(subjectId)},"v":1}`
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
