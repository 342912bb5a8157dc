import { Type } from "typebox";
import { NotDone } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { confirmation } from "./conversions.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

const names = Type.Array(Type.String());

defineTool({
  name: "sync_network_tools",
  title: "Sync network tools",
  description:
    "Reads the canonical gateway's tools with the MCP client and pins each definition by digest under `server:name`. A definition that changed since it was pinned is quarantined and cannot be called until an operator accepts it. Calls no tool. Degraded when no gateway is configured or it does not answer.",
  input: inputOf({}),
  output: Type.Object({
    server: Type.String(),
    added: names,
    changed: names,
    removed: names,
    restored: names,
    unchanged: Type.Integer(),
    quarantined: Type.Integer(),
    refused: names,
  }),
  access: "admin",
  effect: "write",
  idempotent: true,
  openWorld: true,
  asks: "mcp",
  run: (_args, { context }) => context.services.connections.syncGateway(context),
});

defineTool({
  name: "execute_mcp_tool",
  title: "Execute MCP tool",
  description:
    "Calls a registered tool by name: one of this service with the caller's own rights, or a synced one (`server:name`) with this service's credential, never the caller's. Arguments are checked against the tool's schema first; a quarantined tool is refused.",
  examples: [{ name: "get_health", arguments: {} }],
  input: inputOf({
    name: Type.String({ description: "A tool of tools/list, or the `server:name` of a synced tool." }),
    arguments: Type.Optional(jsonObject("The tool's arguments. Empty when it takes none.")),
  }),
  output: Type.Object({
    tool: Type.String(),
    source: Type.String({ description: "`own`, or the server of a synced tool." }),
    result: freeObject("Each tool has an output of its own.", "The data the tool answered with."),
    resultRef: Type.Optional(
      Type.Unsafe<Json>({
        type: "string",
        description: "Of a synced tool: the delivery its server answered.",
      }),
    ),
    confirmation: Type.Optional(Type.Unsafe<Json>(confirmation)),
  }),
  access: "run",
  // What it calls may destroy something, so it counts as if it did.
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  run: ({ name, arguments: args = {} }, { context }) =>
    name.includes(":") ? callConnected(name, args, context) : callOwn(name, args, context),
});

async function callOwn(name: string, args: JsonObject, context: CallContext) {
  if (name === "execute_mcp_tool") {
    throw new AppError("invalid_input", "execute_mcp_tool does not call itself.");
  }
  const { catalog } = context.services;
  const { ok: done, data } = await catalog.call(name, args, context);
  return done
    ? { tool: name, source: "own", result: data }
    : new NotDone({ ...underArguments(data), tool: name });
}

/** The tool's own problems, with their pointers as the caller of execute_mcp_tool wrote the arguments. */
function underArguments(data: JsonObject): JsonObject {
  const { error } = data;
  if (!isJsonObject(error) || error["code"] !== "invalid_arguments") return data;
  const { problems: found = [] } = error;
  if (!isList(found)) return data;
  const problems = found.map((problem) =>
    isJsonObject(problem) && typeof problem["pointer"] === "string"
      ? { ...problem, pointer: `/arguments${problem["pointer"]}` }
      : problem,
  );
  return { ...data, error: { ...error, problems } };
}

async function callConnected(id: string, args: JsonObject, context: CallContext) {
  const { ok: done, data } = await context.services.catalog.call(id, args, context);
  const source = id.slice(0, id.indexOf(":"));
  if (done) {
    // The canonical gateway's confirmation stands beside the result.
    const { resultRef, confirmation, ...result } = data;
    return {
      tool: id,
      source,
      result,
      ...(resultRef !== undefined && { resultRef }),
      ...(confirmation !== undefined && { confirmation }),
    };
  }
  // What the other side answered is a result that failed; what we refused is an error of ours.
  const isAnswer = data["content"] !== undefined || typeof data["status"] === "number";
  if (!isAnswer) return new NotDone({ ...underArguments(data), tool: id });
  const { error } = data;
  const rest = { tool: id, source, status: "failed", result: data };
  return new NotDone(error === undefined ? rest : { ...rest, error });
}

/** The tools of this domain. */
export const networkTools: readonly Tool[] = declared;
