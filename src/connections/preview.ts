import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { withFixed } from "./definition.ts";
import { withContentType } from "./http-call.ts";
import { baseOf, buildMessage, templateOf } from "./http-message.ts";
import { checkExact, type ManagedConnections } from "./service.ts";

const MAX_SHOWN = 64 * 1024;

/** The request that a call would send, without the credential: its name stands in its place. */
export async function previewCall(
  connections: ManagedConnections,
  id: string,
  args: JsonObject,
  context: CallContext,
): Promise<JsonObject> {
  context.signal.throwIfAborted();
  const { record, connection } = await connections.record(id);
  const about = {
    sent: false,
    id: `${record.connection}:${record.name}`,
    effect: record.effect,
    credential: connection.credential,
  };
  const full = withFixed(args, record.overrides.fixedArguments);
  checkExact(full);
  if (connection.kind === "mcp") {
    return {
      ...about,
      request: { method: "tools/call", params: { name: record.sourceName, arguments: full } },
    };
  }
  const template = templateOf(record.definition);
  const message = buildMessage(
    template,
    withContentType(full, template.contentTypes),
    baseOf(template, connection.baseUrl),
  );
  const body = message.body === null ? null : Buffer.from(message.body).toString("utf8");
  if (body !== null && body.length > MAX_SHOWN) {
    throw new AppError("too_large", "The request is too large to be shown; it can be sent all the same.");
  }
  return {
    ...about,
    request: { method: message.method, url: message.url.href, headers: { ...message.headers }, body },
  };
}
