import { AppError } from "../../kernel/errors.ts";

/** Conflicts between transactions that going again resolves. */
const RETRY = new Set(["40001", "40P01", "55P03"]);
/** The server is stopping, starting, out of connections, out of space, or took too long. */
const UNAVAILABLE = /^(08|53|57|58|25006|XX|42P01|42501)/;

/** How the driver itself says that a connection broke or did not come about. */
const DRIVER_LOST_IT =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|timeout e(xceeded|xpired)|Query read timeout|Cannot use a pool after)/;

/** The SQLSTATE of an error of the server, or the code of one of the socket. */
export function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code;
}

/** True when the same transaction may succeed when it is run again. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && RETRY.has(code);
}

/** True when the server received the request and refused it: asking again would not help. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof AppError || (code !== null && /^(22|23|28|3D|40|42|55)/.test(code));
}

/** True when nothing was sent or received: the connection broke or was never made. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof AppError || !(error instanceof Error)) return false;
  const code = codeOf(error);
  if (code === null) return DRIVER_LOST_IT.test(error.message);
  return /^(08|57P0|E[A-Z]+$)/.test(code);
}

/** An error of PostgreSQL or of its connection in our own words; any other error as it is. */
export function translatePgError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === "23505") {
    return new AppError("conflict", "A record with this identity exists already.", { cause: error });
  }
  if (code === "23503") {
    return new AppError("conflict", "The record refers to one that does not exist.", { cause: error });
  }
  if (code?.startsWith("23") === true) {
    return new AppError("conflict", "The record breaks a rule of the database.", { cause: error });
  }
  if (isTransient(error)) {
    return new AppError("storage_unavailable", "The database was too busy with conflicting changes.", {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  if (code?.startsWith("28") === true)
    return refusedLogin("PostgreSQL refused the user or the password of DATABASE_URL.", error);
  if (code === "3D000")
    return refusedLogin("The database that DATABASE_URL names does not exist on the server.", error);
  if (isConnectionLoss(error) || (code !== null && UNAVAILABLE.test(code))) return unreachable(error);
  return error;
}

function refusedLogin(message: string, cause: unknown): AppError {
  return new AppError("storage_unavailable", message, { cause, retryAfterSeconds: 30 });
}

/** The answer while PostgreSQL cannot be used. */
export function unreachable(cause: unknown): AppError {
  return new AppError("storage_unavailable", "The database cannot be reached or does not take writes now.", {
    cause,
    retryAfterSeconds: 5,
  });
}
