import process from "node:process";
import { pino } from "pino";
import { AppError } from "../kernel/errors.ts";
import { LOG_FIELDS, type LogFields } from "../ports/log-fields.ts";
import type { Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";

const LONGEST_TEXT = 300;
const KNOWN = new Map<string, string>(Object.entries(LOG_FIELDS));

/**
 * Structured log on standard output. What is not a field of `LOG_FIELDS` never reaches a line; the types rule it out,
 * and what comes past them is counted in `unlogged`, so that it is not lost in silence.
 */
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
    warn: (event, fields, cause) => logger.warn({ ...allowed(fields), ...stackOf(cause) }, event),
    error: (event, fields, cause) => logger.error({ ...allowed(fields), ...stackOf(cause) }, event),
  };
}

/** Writes a line of the log for people: time, level and event, then whatever else it says. */
export function writeReadable(line: string): void {
  const { level, time, msg, stack, ...fields }: Record<string, unknown> = JSON.parse(line);
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${String(value)}`);
  const where = typeof stack === "string" ? `\n${stack}` : "";
  process.stdout.write(
    `${String(time).slice(11, 19)} ${String(level)} ${String(msg)}${rest.join("")}${where}\n`,
  );
}

function allowed(fields: LogFields | undefined): Record<string, string | number> {
  const kept: Record<string, string | number> = {};
  let unlogged = 0;
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === undefined) continue;
    if (typeof value !== KNOWN.get(name)) unlogged += 1;
    else kept[name] = typeof value === "string" ? shortened(value) : value;
  }
  return unlogged === 0 ? kept : { ...kept, unlogged };
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

/** Where an error came from. Its message only when we wrote it: those of libraries can quote input. */
function stackOf(cause: unknown): { error?: string; code?: string; reason?: string; stack?: string } {
  if (!(cause instanceof Error)) return cause === undefined ? {} : { error: typeof cause };
  const frames = (cause.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  return {
    error: cause.name,
    ...(code !== undefined && { code }),
    ...(cause instanceof AppError && { reason: shortened(cause.message) }),
    stack: frames.slice(0, 12).join("\n"),
  };
}
