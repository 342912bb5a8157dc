import { AppError, invalidValue } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { sanitized } from "../kernel/sanitize.ts";
import { theirWords } from "./http-answer.ts";
import { answeredError, explained, keptPart } from "./mcp-call.ts";
import type { McpSessions } from "./mcp-sessions.ts";
import { scrubbed, withoutSecrets } from "./secrets.ts";

const READ_MS = 30_000;
const MAX_PARTS = 50;

/**
 * Reads a resource that an answer of an MCP server links to. Whatever its URI names, only the connection's own server
 * is asked for it.
 */
export async function readResource(
  connection: ConnectionRecord,
  uri: string,
  sessions: McpSessions,
  context: CallContext,
): Promise<{ uri: string; contents: JsonObject[]; elapsedMs: number }> {
  if (URL.parse(uri) === null) throw invalidValue("uri", "a URI, as a resource_link of an answer has it");
  if (connection.kind !== "mcp") {
    throw new AppError("invalid_input", `${connection.name} is no MCP server, so it has no resources.`, {
      nextAction: "Call the operation whose address it is.",
    });
  }
  const begun = performance.now();
  const timeout = AbortSignal.timeout(READ_MS);
  const signal = AbortSignal.any([context.signal, timeout]);
  let data: Json;
  let known: ReadonlySet<string> = new Set();
  try {
    data = await explained(connection, timeout, () =>
      sessions.use(connection, context, async ({ client, secrets, guard }) => {
        known = secrets;
        const result = await client.readResource({ uri }, { timeout: READ_MS, signal });
        const oversized = guard.take(result);
        if (oversized !== null)
          throw new AppError("too_large", `The resource of ${connection.title} ${oversized.problem}.`);
        return scrubbed(sanitized(result), secrets);
      }),
    );
  } catch (error) {
    const answered = answeredError(error);
    if (answered === null) throw error;
    throw new AppError("not_found", `${connection.title} did not give the resource.`, {
      nextAction: "Call the tool again: a link may last only as long as the server remembers it.",
      details: { upstream: theirWords(connection.name, withoutSecrets(answered, known)) },
    });
  }
  const contents = isJsonObject(data) ? (data["contents"] ?? null) : null;
  const kept: JsonObject[] = [];
  for (const resource of isList(contents) ? contents.slice(0, MAX_PARTS) : []) {
    const part = await keptPart({ type: "resource", resource }, connection.name, context);
    if (isJsonObject(part["resource"])) kept.push(part["resource"]);
  }
  return { uri, contents: kept, elapsedMs: Math.round((performance.now() - begun) * 10) / 10 };
}
