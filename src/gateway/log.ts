import { pino } from "pino";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";

/** The only fields whose values may reach a log line: names, numbers and states, never content. */
const ALLOWED: ReadonlySet<string> = new Set([
  "address",
  "approvalId",
  "artifactId",
  "attempt",
  "attempts",
  "backlog",
  "bytes",
  "caller",
  "code",
  "count",
  "durationMs",
  "epoch",
  "event",
  "handoffId",
  "host",
  "kind",
  "method",
  "path",
  "port",
  "reason",
  "reference",
  "requestId",
  "role",
  "route",
  "runId",
  "sequence",
  "server",
  "sibling",
  "signal",
  "state",
  "status",
  "stepId",
  "store",
  "tool",
  "traceId",
  "url",
  "version",
  "webhookId",
  "workflowId",
]);

/** Structured log on standard output. Values of fields that are not on the list never reach a line. */
export function createLog(level: Settings["logLevel"], write?: (line: string) => void): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    write === undefined ? pino.destination({ dest: 1, sync: true }) : { write },
  );
  return {
    debug: (event, fields) => logger.debug(allowed(fields), event),
    info: (event, fields) => logger.info(allowed(fields), event),
    warn: (event, fields) => logger.warn(allowed(fields), event),
    error: (event, fields, cause) => logger.error({ ...allowed(fields), ...stackOf(cause) }, event),
  };
}

function allowed(fields: JsonObject | undefined): JsonObject {
  const kept: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (!ALLOWED.has(name) || value === undefined) continue;
    if (value === null || typeof value === "number" || typeof value === "boolean") kept[name] = value;
    else if (typeof value === "string") kept[name] = value.slice(0, 300);
  }
  return kept;
}

/** Where an error came from. Its message only when we or the system wrote it: those of libraries can quote input. */
function stackOf(cause: unknown): { error?: string; reason?: string; stack?: string } {
  if (!(cause instanceof Error)) return cause === undefined ? {} : { error: typeof cause };
  const frames = (cause.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const reason = cause instanceof AppError ? cause.message : code;
  return {
    error: cause.name,
    ...(reason !== undefined && { reason }),
    stack: frames.slice(0, 12).join("\n"),
  };
}
