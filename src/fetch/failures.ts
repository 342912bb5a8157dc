import { AppError } from "../kernel/errors.ts";

/** Why a request failed, for people. */
export function explained(error: unknown, deadline: AbortSignal, own: AbortSignal | undefined): AppError {
  if (error instanceof AppError) return error;
  if (deadline.aborted)
    return new AppError("timed_out", "The address did not answer in time.", { cause: error });
  if (own?.aborted) return new AppError("unavailable", "The request was given up.", { cause: error });
  const code = codeOf(error) ?? "";
  const reason = REASONS.get(code) ?? (TLS.test(code) ? `TLS failed (${code})` : "the connection failed");
  return new AppError("unavailable", `The address could not be fetched: ${reason}.`, { cause: error });
}

const REASONS = new Map([
  ["ECONNREFUSED", "the connection was refused"],
  ["ENOTFOUND", "the host name is unknown"],
  ["EAI_AGAIN", "the host name could not be looked up"],
  ["ECONNRESET", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["UND_ERR_CONNECT_TIMEOUT", "the connection was not made in time"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "the answer is shorter than it says"],
  ["HPE_INVALID_CONSTANT", "the answer is not HTTP"],
  ["CERT_HAS_EXPIRED", "the server's certificate has expired"],
  ["CERT_NOT_YET_VALID", "the server's certificate is not valid yet"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "the server's certificate is signed by itself"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "the server's certificate is signed by an unknown authority"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "the server's certificate is signed by an unknown authority"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "the server sends no certificate of its authority"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the server's certificate is for another host"],
  ["EPROTO", "TLS failed"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "the server does not speak TLS at this port; try http://"],
]);

const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|.*_CERT)/;

/** The code that Node or undici gives an error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The refusal of an answer that is larger than it may be. */
export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The answer is larger than ${maxBytes} bytes.`);
}
