import { ERRORS, type ErrorCode } from "../kernel/errors.ts";
import type { Generation } from "./protocol-generation.ts";

/** Answers of a method travel with 200 before 2026-07-28; what stopped the request earlier has its own status. */
export function rpcStatus(code: ErrorCode, generation: Generation): number {
  if (code === "method_not_found") return generation === "modern" ? 404 : 200;
  if (IN_BAND.has(code)) return generation === "modern" ? 400 : 200;
  return ERRORS[code].http;
}

/** On a REST path the status alone must tell, so what JSON-RPC answers with 200 is an error there. */
export function restStatus(code: ErrorCode): number {
  const { http } = ERRORS[code];
  return http === 200 ? 400 : http;
}

const IN_BAND: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_params",
  "invalid_arguments",
  "invalid_input",
  "not_found",
  "conflict",
]);
