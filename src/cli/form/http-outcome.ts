import { EXIT_CODES } from "../conventions.ts";

/** The exit status of an HTTP status. */
export function exitOfStatus(status: number): number {
  if (status < 300) return EXIT_CODES.ok.code;
  if (status === 401 || status === 403) return EXIT_CODES.refused.code;
  if (status === 404 || status === 410) return EXIT_CODES.missing.code;
  if (status === 409 || status === 412) return EXIT_CODES.conflict.code;
  if (status === 429 || status >= 500) return EXIT_CODES.unavailable.code;
  return status === 400 || status === 422 ? EXIT_CODES.usage.code : EXIT_CODES.failed.code;
}
