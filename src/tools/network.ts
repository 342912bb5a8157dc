import { Type } from "typebox";
import { callableTool, pinTools } from "../handoffs/network-tools.ts";
import { unconfirmedEnvelope } from "../handoffs/results.ts";
import { ok, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type JsonObject } from "../kernel/json.ts";
import { defineTool, type CallContext, type Tool } from "../ports/definitions.ts";
import { jsonObject, params } from "./shapes.ts";

const names = Type.Array(Type.String());

const syncNetworkTools = defineTool({
  name: "sync_network_tools",
  title: "Sync network tools",
  description:
    "Reads the canonical gateway's tools with the MCP client and pins each definition by digest under `server:name`. A definition that changed since it was pinned is quarantined and cannot be called until an operator accepts it. Calls no tool. Degraded when no gateway is configured or it does not answer.",
  params: params({}),
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
  async run(_args, context) {
    const listed = await context.services.siblings.listTools(context.trace, context.signal);
    if (listed.status === "degraded") {
      return unconfirmedEnvelope("mcp", listed);
    }
    return ok({ ...(await pinTools(listed.server, listed.tools, context)) });
  },
});

const executeMcpTool = defineTool({
  name: "execute_mcp_tool",
  title: "Execute MCP tool",
  description:
    "Calls a registered tool by name: one of this service with the caller's own rights, or a synced one (`server:name`) with this service's credential, never the caller's. Arguments are checked against the tool's schema first; a quarantined tool is refused.",
  params: params({
    name: Type.String({ description: "A tool of tools/list, or the `server:name` of a synced tool." }),
    arguments: Type.Optional(jsonObject("The tool's arguments. Empty when it takes none.")),
  }),
  output: Type.Object({
    tool: Type.String(),
    source: Type.String({ description: "`own`, or the server of a synced tool." }),
    result: jsonObject("The data the tool answered with."),
    resultRef: Type.Optional(
      Type.String({ description: "Of a synced tool: the delivery its server answered." }),
    ),
    confirmation: Type.Optional(jsonObject("Of a synced tool: who answered, and when.")),
  }),
  access: "run",
  // What it calls may destroy something, so it counts as if it did.
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  run: ({ name, arguments: args = {} }, context) =>
    name.includes(":") ? callSynced(name, args, context) : callOwn(name, args, context),
});

async function callOwn(name: string, args: JsonObject, context: CallContext): Promise<Envelope> {
  if (name === executeMcpTool.name) {
    throw new AppError("invalid_input", "execute_mcp_tool does not call itself.");
  }
  const { catalog } = context.services;
  const { ok: done, data } = await catalog.call(name, args, context);
  return done
    ? ok({ tool: name, source: "own", result: data })
    : { ok: false, data: { ...underArguments(data), tool: name } };
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

/** The names under which a service like this one, reached over its gateway, decides approvals. */
const DECISIONS: ReadonlySet<unknown> = new Set(["approve_step", "reject_step"]);

/** True when a call to another server is one that decides approvals there, directly or through its own dispatcher. */
function decides(name: string, args: JsonObject): boolean {
  if (DECISIONS.has(name)) return true;
  const { name: inner } = args;
  return name === executeMcpTool.name && typeof inner === "string" && DECISIONS.has(inner.split(":").pop());
}

async function callSynced(id: string, args: JsonObject, context: CallContext): Promise<Envelope> {
  const { services, trace, signal, requestId } = context;
  const { server, name, definition } = await callableTool(id, context);
  if (context.caller.kind === "system" && decides(name, args)) {
    throw new AppError("forbidden", `A run cannot call ${id}: approvals are decided outside of runs.`, {
      nextAction: "Have a person or an agent with a key of scope approve decide the approval.",
    });
  }
  const schema = isJsonObject(definition["inputSchema"]) ? definition["inputSchema"] : { type: "object" };
  const verdict = await services.validator.validate(schema, args, signal);
  if (!verdict.valid) {
    throw new AppError("invalid_arguments", `The arguments do not fit the schema of ${id}.`, {
      problems: verdict.errors.slice(0, 50).map(({ pointer, message }) => ({
        pointer: `/arguments${pointer}`,
        message,
        expected: "a value that fits the tool's input schema",
        fix: "Compare it with the schema that render_mcp_tool_form shows for this tool.",
      })),
    });
  }
  const key = context.meta["svc/idempotencyKey"];
  const outcome = await services.siblings.ask({
    sibling: "mcp",
    capability: "call_tool",
    payload: { name, arguments: args },
    trace,
    signal,
    idempotencyKey: typeof key === "string" ? key : requestId,
  });
  if (outcome.status === "degraded") return unconfirmedEnvelope("mcp", outcome, { tool: id });
  const { data, resultRef, kind, observedAt } = outcome.confirmation;
  if (data["isError"] === true) {
    return { ok: false, data: { tool: id, source: server, status: "failed", result: data } };
  }
  const confirmation = { required: true, received: true, source: server, kind, observedAt };
  return ok({ tool: id, source: server, result: data, resultRef, confirmation });
}

/** The tools of this domain. */
export const networkTools: readonly Tool[] = [syncNetworkTools, executeMcpTool];
