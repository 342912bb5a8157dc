import { ERRORS, type ErrorCode } from "../kernel/errors.ts";
import { restStatus, rpcStatus } from "./statuses.ts";

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  parse_error: "The body is not JSON that every parser reads the same way.",
  invalid_request: "The message is not a JSON-RPC request, or carries two different keys.",
  method_not_found: "The revision has no such method.",
  invalid_params:
    "The parameters of a method are malformed, or there is no such tool or prompt; every problem is listed.",
  internal: "A fault on our side; the reference finds it in the log.",
  unauthorized: "A valid key is required. One identical answer for every cause.",
  forbidden: "The key lacks the scope.",
  rate_limited: "Too many requests; retry after the given time.",
  overloaded: "Too many requests are being served; retry after the given time.",
  header_mismatch: "An MCP header is missing or says something else than the body.",
  missing_capability: "The client did not declare a capability that the request needs; it is named.",
  unsupported_version: "The protocol revision is not served; those that are, are listed.",
  invalid_arguments:
    "The arguments are invalid by the tool's schema. A tool result with `isError: true`; every problem is listed.",
  not_found: "There is no such record, resource or path.",
  conflict: "Another change came first, or the id is taken by other content.",
  invalid_input: "The input fits the schema but not the rules; problems are listed.",
  too_large: "The body or its headers are larger than allowed.",
  method_not_allowed: "The path does not take this HTTP method; Allow lists those it takes.",
  unsupported_media_type: "The body must be plain application/json in UTF-8.",
  storage_unavailable: "The store cannot write; tools answer degraded.",
  unavailable: "This part is not available in this process at the moment.",
  blocked: "The host, the origin, the address or the dry run forbids it.",
  timed_out: "It took longer than allowed.",
  outcome_unknown:
    "A call was sent and no complete answer came: its effect may have happened. Look before repeating it.",
};

/** docs/errors.md. */
export function renderErrorDocs(): string {
  const rows = ALL.map(
    (code) =>
      `| \`${code}\` | ${ERRORS[code].rpc} | ${rpcStatus(code, "legacy")} | ${rpcStatus(code, "modern")} | ${restStatus(code)} | ${MEANINGS[code]} |`,
  );
  return `# Errors

JSON-RPC answers carry \`error.code\` and, in \`error.data\`, \`code\` with what helps to fix the call: \`problems\` (JSON Pointer, what was expected, what was given, a fix), \`nextAction\`, \`retryAfterSeconds\`, and of a call of another service \`status\`, the HTTP status that it answered with, and \`effect\`. REST answers carry the same in \`data.error\`. An outcome of a tool (arguments that are invalid by its schema, not found, conflict, …) is a tool result with \`isError: true\`, not an error of the protocol: the envelope has \`ok: false\` and the same \`data.error\`, and an action that an adapter did not confirm has \`data.status: "degraded"\` and its \`effect\` beside it.

| code | JSON-RPC | HTTP before 2026-07-28 | HTTP from 2026-07-28 | HTTP on REST paths | meaning |
|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

const ALL = Object.keys(MEANINGS).filter((name): name is ErrorCode => name in ERRORS);
