import type { Transport } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { theirWords } from "./http-answer.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What programs need that the operator has not allowed. */
export function programsForbidden(): AppError {
  return new AppError("blocked", "Programs are not started here: the operator has not allowed it.", {
    nextAction: "An operator can allow MCP servers over stdio with SVC_ALLOW_STDIO=true.",
  });
}

/** True when the call ended because its time was over or its caller left, not because of the conversation. */
export function isGivenUp(error: unknown, { signal }: CallContext): boolean {
  if (signal.aborted) return true;
  if (error instanceof AppError) return error.code === "timed_out";
  return error instanceof Error && "code" in error && error.code === "REQUEST_TIMEOUT";
}

/** Whether a conversation can go on after this error: what the server itself answered breaks nothing. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return error.name !== "ProtocolError" && !("code" in error && typeof error.code === "number");
}

/** Why no conversation could be opened. */
export function unreachable(connection: ConnectionRecord, cause: unknown, transport: Transport): AppError {
  const isProgram = transport instanceof StdioTransport;
  return new AppError(
    "unavailable",
    isProgram
      ? `The program of ${connection.title} ended, or does not speak MCP over its standard input and output.`
      : `${connection.title} could not be reached or does not speak MCP at this address.`,
    {
      nextAction: isProgram
        ? "Check its command and arguments; details.upstream has what it wrote to its error output."
        : "Check the address and that the server runs; probe the address to see what it is.",
      cause,
      ...detailsOf(connection, transport),
    },
  );
}

function detailsOf(connection: ConnectionRecord, transport: Transport): { details?: JsonObject } {
  const text = transport instanceof StdioTransport ? transport.errorOutput : "";
  return text === "" ? {} : { details: { upstream: theirWords(connection.name, text) } };
}

/** What ended a call, with what its program wrote to its error output when it ended. */
export function endedBy(error: unknown, connection: ConnectionRecord, transport: Transport): unknown {
  const isClosed = error instanceof Error && "code" in error && error.code === "CONNECTION_CLOSED";
  if (!isClosed || !(transport instanceof StdioTransport)) return error;
  return new AppError("unavailable", `The program of ${connection.title} ended during the call.`, {
    nextAction: "Check what it wrote to its error output (details.upstream), and call again.",
    cause: error,
    ...detailsOf(connection, transport),
  });
}
