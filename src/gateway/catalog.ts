import { beforeSending } from "../kernel/effects.ts";
import { degraded, failed, ok, type Envelope } from "../kernel/envelope.ts";
import { AppError, type ErrorCode } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { requireScope } from "../ports/caller.ts";
import { Unanswered, type CallContext } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";
import { metaProblems } from "../ports/meta-keys.ts";
import type { Guard, GuardedCall } from "../ports/guard.ts";
import type { Catalog, Registry } from "../ports/services.ts";
import { startCall } from "../runs/tasks.ts";
import { runView } from "../runs/views.ts";
import { checksOf, type DispatchOptions } from "./dispatch.ts";

/** How many tools that take an argument an error names. */
const MOST_TAKERS = 4;
const INVALID = { code: "invalid_arguments", what: "arguments of" } as const;

/** The registry with the one call that checks rights, arguments and dry runs. Every way to a tool leads through it. */
export function createCatalog(
  registry: Registry,
  options: DispatchOptions = { checkOutputs: false },
  protocolErrors: ReadonlySet<ErrorCode> = PROTOCOL_ERRORS,
  guard: Guard | null = null,
): Catalog {
  const known = [...registry.tools, ...(options.alsoCalled ?? [])];
  const checking = { ...options, takenBy: (member: string, by: string) => takersOf(member, by, known) };
  const byName = new Map(
    registry.tools.map((tool) => [tool.name, { tool, checks: checksOf(tool, INVALID, checking) }]),
  );
  return {
    ...registry,
    tool: (name) => byName.get(name)?.tool,
    async call(name, args, context) {
      const found = byName.get(name);
      // Where nothing decides about calls, such as at /mcp, none leaves: its tools call those of connections.
      if (found === undefined && guard !== null && name.includes(":"))
        return callConnected(name, args, context, guard);
      if (found === undefined) throw unknownTool(name, byName.keys(), options.alsoCalled ?? []);
      const { tool, checks } = found;
      checks.authorize(context.caller);
      if (tool.decidesApprovals === true && context.caller.kind === "system") throw selfApproval(name);
      if (context.dryRun === true && tool.effect !== "none") {
        throw new AppError("blocked", `${name} can change something, so a dry run does not call it.`);
      }
      try {
        const { caller, services, meta } = context;
        const input = checks.input(args, services.clock.now(), metaProblems(meta));
        const effect =
          tool.effect === "none" ? "read" : tool.effect === "destructive" ? "destructive" : "write";
        const held = guard?.check({ tool: name, server: "", effect, leaves: tool.openWorld, args, context });
        const instead = held instanceof Promise ? await held : held;
        if (instead) return instead;
        if (isDurable(context, effect)) return await durable(name, args, context);
        const result = tool.run(input, { caller, services, context });
        return checks.answer(result instanceof Promise ? await result : result);
      } catch (error) {
        const explained = checks.explained(error, context.services.clock.now());
        return outcome(explained, name, context, protocolErrors);
      }
    },
  };
}

/** The tools that take an argument, those first whose names have most in common with the one that does not. */
function takersOf(member: string, name: string, tools: readonly Tool[]): readonly string[] {
  const words = new Set(name.split("_").map((word) => word.replace(/s$/, "")));
  const common = (other: string): number =>
    other.split("_").filter((word) => words.has(word.replace(/s$/, ""))).length;
  return tools
    .filter(({ input }) => Object.hasOwn(input.properties, member))
    .map((tool) => tool.name)
    .toSorted((one, other) => common(other) - common(one))
    .slice(0, MOST_TAKERS);
}

/** A tool of a connection: its definition is checked there, rights and errors are the same as for our own. */
async function callConnected(
  name: string,
  args: JsonObject,
  context: CallContext,
  guard: Guard,
): Promise<Envelope> {
  requireScope(context.caller, "run", name);
  try {
    const { connections } = context.services;
    // What another replica added a moment ago is not in the list of this one.
    const head = connections.head(name) ?? (await beforeSending(() => connections.find(name)));
    if (head !== null) {
      const { connection: server, effect } = head;
      // The name that the definition has now: a name of before a rename is no way around a rule.
      const tool = `${server}:${head.name}`;
      const instead = await beforeSending(() =>
        guard.check({ tool, server, effect, leaves: true, args, context }),
      );
      if (instead !== null) return instead;
    }
    if (head !== null && isDurable(context, head.effect)) return await durable(name, args, context);
    return await connections.call(name, args, context);
  } catch (error) {
    return outcome(error, name, context);
  }
}

/** A destructive step needs an approval, which a run of one call has only where the guard asks. */
function isDurable({ meta, caller }: CallContext, effect: GuardedCall["effect"]): boolean {
  return meta["svc/durable"] === true && caller.kind !== "system" && effect !== "destructive";
}

async function durable(name: string, args: JsonObject, context: CallContext): Promise<Envelope> {
  const { services, caller } = context;
  const { id } = await startCall(name, args, context);
  return ok({ run: JSON.parse(JSON.stringify(await runView(services, id, caller))) });
}

function unknownTool(name: string, known: Iterable<string>, alsoCalled: readonly Tool[]): AppError {
  const near = nearestNames(name, known);
  const isCalled =
    alsoCalled.length > 0 && (name.includes(":") || alsoCalled.some((tool) => tool.name === name));
  return new AppError("invalid_params", `There is no tool named "${name.slice(0, 100)}".`, {
    problems: [
      {
        pointer: "/name",
        message: "The tool is not registered here.",
        expected: "a name from tools/list",
        given: name.slice(0, 100),
        fix: isCalled
          ? `Call it through the tool call: {"name": "${name.slice(0, 100)}", "arguments": {…}}.`
          : near.length > 0
            ? `Did you mean ${near.map((item) => `"${item}"`).join(" or ")}?`
            : "Call tools/list.",
      },
    ],
  });
}

/** Runs act as the system with the rights of the key that started them, so the scope alone does not keep them out. */
function selfApproval(name: string): AppError {
  return new AppError(
    "forbidden",
    `A run cannot call ${name}: approvals are decided outside of runs, not by a run, its parent or its children.`,
    { nextAction: "Have a person or an agent with a key of scope approve decide the approval." },
  );
}

/** An error of the table becomes an outcome in the envelope; refusals and load stay errors of the protocol. */
function outcome(
  error: unknown,
  name: string,
  context: CallContext,
  protocolErrors: ReadonlySet<ErrorCode> = PROTOCOL_ERRORS,
): Envelope {
  if (error instanceof Unanswered) throw error;
  if (!(error instanceof AppError)) throw internal(error, name, context);
  if (protocolErrors.has(error.code)) throw error;
  if (error.code === "internal") throw internal(error.cause ?? error, name, context);
  if (error.code !== "storage_unavailable") return failed(error);
  const { nextAction, details, effect } = error.info;
  return degraded(
    {
      reason: error.message,
      adapter: "storage",
      nextAction: nextAction ?? "Configure DATABASE_URL, or try again when storage is back.",
    },
    { ...details, ...(effect !== undefined && { effect }) },
  );
}

const PROTOCOL_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthorized",
  "forbidden",
  "rate_limited",
  "overloaded",
  "missing_capability",
]);

/** The same at the endpoint for agents, where a missing right is a result that a model can act on. */
export const AGENT_PROTOCOL_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthorized",
  "rate_limited",
  "overloaded",
  "missing_capability",
]);

/** Logs what really happened under a reference and gives the caller the reference only. */
export function internal(
  error: unknown,
  where: string,
  context: Pick<CallContext, "services" | "requestId">,
): AppError {
  const reference = randomHex(6);
  const fields = { reference, tool: where, requestId: context.requestId };
  context.services.log.error("internal error", fields, error);
  return new AppError("internal", `Something went wrong on our side; the reference is ${reference}.`, {
    details: { reference },
  });
}
