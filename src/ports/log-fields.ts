/*
 * Everything that a log line may say besides its event: ids, names we gave, states and numbers, never content of
 * callers. A field that is not here does not compile; add it here when a line needs it.
 */

/** The fields of log lines with the type of each. The only list: the log writes nothing else. */
export const LOG_FIELDS = {
  attempts: "number",
  code: "string",
  count: "number",
  credential: "string",
  dropped: "number",
  durationMs: "number",
  file: "string",
  formId: "string",
  handoffId: "string",
  host: "string",
  masterKeyId: "string",
  method: "string",
  reference: "string",
  requestId: "string",
  retryMs: "number",
  revision: "number",
  runId: "string",
  runs: "number",
  schema: "number",
  signal: "string",
  stepId: "string",
  store: "string",
  tool: "string",
  triggerId: "string",
  webhookId: "string",
} as const;

interface Types {
  readonly number: number;
  readonly string: string;
}

/** What a log line says besides its event. */
export type LogFields = {
  readonly [Name in keyof typeof LOG_FIELDS]?: Types[(typeof LOG_FIELDS)[Name]];
};
