import { envelopeText, NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, isParsedObject, type JsonObject } from "../kernel/json.ts";
import { runHasEnded } from "../model/states.ts";
import { contextWith } from "../ports/call-context.ts";
import {
  Unanswered,
  type CallContext,
  type ClientRequests,
  type EntryPoint,
  type QuestionMode,
} from "../ports/definitions.ts";
import { questionModes, type PendingCallResult, type PendingCalls } from "../ports/pending-calls.ts";
import type { Catalog } from "../ports/services.ts";
import { decideByAnswer, pendingQuestions, readTask } from "../runs/tasks.ts";
import { runView } from "../runs/views.ts";
import { CAPABILITIES_KEY, checkArgumentHeaders } from "./protocol-generation.ts";
import { modernMembers } from "./lists.ts";
import { badParam, type IdentifiedCall } from "./method.ts";
import { isSigned, signed, takeState, type RequestState } from "./request-state.ts";

/** The extension by which clients follow what goes on after an answer. */
export const TASKS = "io.modelcontextprotocol/tasks";
/** A call with an answer in hand waits this long for the run to end; clients give up after a minute. */
const WAIT_MS = 25_000;
/** After this time a client that keeps asking gets a handle instead. */
const GIVE_UP_MS = 4 * 60_000;
const NO_MODES: ReadonlySet<QuestionMode> = new Set();

/** What tools are called with at an endpoint. */
interface CallParts {
  readonly catalog: Catalog;
  readonly pending: PendingCalls;
  readonly entry: EntryPoint;
}

/** What a client of revision 2026-07-28 says it can do. */
export function capabilitiesOf({ generation, context }: IdentifiedCall): JsonObject {
  const given = generation === "modern" ? context.meta[CAPABILITIES_KEY] : undefined;
  return given !== undefined && isJsonObject(given) ? given : {};
}

/** True when the client declared the Tasks extension with this request. */
export function knowsTasks(capabilities: JsonObject): boolean {
  const { extensions = null } = capabilities;
  return isJsonObject(extensions) && isJsonObject(extensions[TASKS] ?? null);
}

/** How the person at the client can be asked. */
export function modesOf(capabilities: JsonObject): ReadonlySet<QuestionMode> {
  return questionModes(capabilities["elicitation"]) ?? NO_MODES;
}

/** The refusal of a client that lacks what a request needs. */
export function lacking(requiredCapabilities: JsonObject): AppError {
  return new AppError("missing_capability", "The client does not declare a capability that this needs.", {
    details: { requiredCapabilities },
    nextAction: "Declare it in _meta with the request, or call a tool that does not need it.",
  });
}

/** `tools/call`. */
export async function callTool(parts: CallParts, call: IdentifiedCall): Promise<string> {
  const { name, arguments: args = {} } = call.params;
  if (typeof name !== "string") throw badParam("/name", "the name of a tool", name);
  if (!isParsedObject(args)) throw badParam("/arguments", "an object", args);
  if (call.generation === "modern")
    checkArgumentHeaders(await inputSchemaOf(name, parts, call.context), args, call.headers);
  const given = { ...parts, call, name, args };
  const { state, answers, context } = await stateFor(name, args, call);
  return state?.runId == null ? begin(given, answers, context) : goOn(given, state, state.runId);
}

/** The schema by which a tool is listed; undefined for one that is not. */
async function inputSchemaOf(
  name: string,
  { catalog, entry }: CallParts,
  context: CallContext,
): Promise<unknown> {
  if (entry.tools === undefined) return catalog.tool(name)?.input;
  return (await entry.tools(context)).find((tool) => tool["name"] === name)?.["inputSchema"];
}

/** What the client answered so far, and the context with it. */
export async function stateFor(
  name: string,
  args: JsonObject,
  call: IdentifiedCall,
): Promise<{
  readonly state: RequestState | null;
  readonly answers: JsonObject;
  readonly context: CallContext;
}> {
  const { requestState } = call.params;
  if (call.generation !== "modern") return { state: null, answers: {}, context: call.context };
  const state =
    typeof requestState === "string" && isSigned(requestState)
      ? await takeState(requestState, { name, args, context: call.context })
      : null;
  const answers = { ...state?.answers, ...responsesIn(call) };
  return { state, answers, context: askedWith(call.context, capabilitiesOf(call), answers) };
}

interface GivenCall extends CallParts {
  readonly call: IdentifiedCall;
  readonly name: string;
  readonly args: JsonObject;
}

/** Makes the call, with what its client answered so far. */
async function begin(given: GivenCall, answers: JsonObject, asked: CallContext): Promise<string> {
  const { catalog, pending, entry, call, name, args } = given;
  const capabilities = capabilitiesOf(call);
  const { task } = catalog.tool(name) ?? {};
  const durable = task !== undefined && task !== "own" && knowsTasks(capabilities);
  if (task === "required" && !durable && call.generation === "modern")
    throw lacking({ extensions: { [TASKS]: {} } });
  const context = durable ? contextWith(asked, { meta: { ...asked.meta, "svc/durable": true } }) : asked;
  const work = (inner: CallContext): Promise<Envelope> => catalog.call(name, args, inner);
  let envelope: Envelope;
  try {
    const answer =
      call.generation === "modern" ? await askable(pending, entry, name, call, context, work) : null;
    if (answer?.kind === "asks") {
      const { inputRequests, requestState } = answer;
      return JSON.stringify({ resultType: "input_required", inputRequests, requestState });
    }
    envelope = answer?.envelope ?? (await work(context));
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return inputRequired(given, error.requests, { answers, runId: null, since: 0 });
  }
  const runId = runIn(envelope, task !== undefined || entry.startsRuns === true);
  return runId === null ? resultText(given, envelope) : follow(given, envelope, runId);
}

/** The run that an answer speaks of and that goes on; null for an answer that is the end. */
function runIn(envelope: Envelope, starts: boolean): string | null {
  if (!envelope.ok) {
    const { status, runId } = envelope.data;
    return status === "approval_required" && typeof runId === "string" ? runId : null;
  }
  const { run = null } = starts ? envelope.data : {};
  if (!isJsonObject(run) || typeof run["id"] !== "string") return null;
  return typeof run["status"] === "string" && !runHasEnded(run["status"]) ? run["id"] : null;
}

/** Gives what the client understands: a task, a question to its person, or the handle as it is. */
async function follow(given: GivenCall, envelope: Envelope, runId: string): Promise<string> {
  const { call } = given;
  const { context } = call;
  const { services, caller } = context;
  const capabilities = capabilitiesOf(call);
  if (knowsTasks(capabilities)) {
    const { fields } = await readTask(services, runId, caller, modesOf(capabilities));
    return JSON.stringify({ resultType: "task", ...fields });
  }
  const { client } = context;
  const modes = call.generation === "modern" ? modesOf(capabilities) : (client?.modes ?? NO_MODES);
  if (modes.size === 0) return resultText(given, envelope);
  const [question] = await pendingQuestions(services, await runView(services, runId, caller), caller, modes);
  if (question === undefined) return resultText(given, envelope);
  const requests = { [question.key]: question.request };
  if (call.generation === "modern")
    return inputRequired(given, requests, { answers: {}, runId, since: services.clock.now() });
  const answer = (await client?.ask(requests))?.[question.key] ?? null;
  if (!isJsonObject(answer) || answer["action"] !== "accept") return resultText(given, envelope);
  await decideByAnswer(question, answer, context);
  const { state } = await services.engine.waitFor(runId, 2 * WAIT_MS);
  return runHasEnded(state) ? ended(given, runId) : resultText(given, envelope);
}

/** Goes on with a call that waits for a run: decides with what was answered, waits a while, and gives the result. */
async function goOn(given: GivenCall, state: RequestState, runId: string): Promise<string> {
  const { context } = given.call;
  const { services, caller } = context;
  const modes = modesOf(capabilitiesOf(given.call));
  const [before] = await pendingQuestions(services, await runView(services, runId, caller), caller, modes);
  const answer = before === undefined ? null : (responsesIn(given.call)[before.key] ?? null);
  if (before !== undefined && isJsonObject(answer)) {
    if (answer["action"] !== "accept") return resultText(given, waiting(given, runId, before.approvalId));
    await decideByAnswer(before, answer, context);
  }
  const run = await services.engine.waitFor(runId, WAIT_MS);
  if (runHasEnded(run.state)) return ended(given, runId);
  const [next] = await pendingQuestions(services, await runView(services, runId, caller), caller, modes);
  if (next !== undefined && next.key !== before?.key)
    return inputRequired(given, { [next.key]: next.request }, state);
  return services.clock.now() - state.since < GIVE_UP_MS
    ? inputRequired(given, {}, state)
    : resultText(given, waiting(given, runId, next?.approvalId ?? null));
}

/** The handle of a run that still waits. */
function waiting({ call }: GivenCall, runId: string, approvalId: string | null): NotDone {
  const path = approvalId === null ? `/runs/${runId}` : `/approvals?id=${approvalId}`;
  const link = new URL(path, call.context.services.settings.baseUrl).href;
  return new NotDone({
    status: "approval_required",
    reason: "It still waits for a person. Nothing was sent yet.",
    runId,
    approvalId,
    link,
    nextAction: `Ask a person to decide at ${link}; the result is the output of run ${runId}.`,
  });
}

async function ended(given: GivenCall, runId: string): Promise<string> {
  const { context } = given.call;
  const run = await runView(context.services, runId, context.caller);
  return resultText(given, await given.entry.ended(run, context));
}

/** The result that asks the client and lets it go on with its answers. */
export async function inputRequired(
  { call, name, args }: Pick<GivenCall, "call" | "name" | "args">,
  inputRequests: JsonObject,
  state: RequestState,
): Promise<string> {
  const requestState = await signed(state, { name, args, context: call.context });
  const requests = Object.keys(inputRequests).length === 0 ? {} : { inputRequests };
  return JSON.stringify({ resultType: "input_required", ...requests, requestState });
}

/** The result of `tools/call`. */
function resultText({ entry, call }: Pick<GivenCall, "entry" | "call">, envelope: Envelope): string {
  const members = call.generation === "modern" ? `${modernMembers()},` : "";
  return `{${members}${resultMembers(entry, call.context, envelope)}}`;
}

/** Content, structured content and whether it is an error, as JSON without braces. */
export function resultMembers(entry: EntryPoint, { meta }: CallContext, envelope: Envelope): string {
  if (entry.present !== undefined) {
    const { content, structured } = entry.present(envelope);
    return `"content":${JSON.stringify(content)},"structuredContent":${structured},"isError":${!envelope.ok}`;
  }
  // The same text serves as structured content and, quoted, as text content: one serialisation instead of two.
  const text = envelopeText(envelope);
  // A client that reads structuredContent need not receive everything twice.
  const once = meta["svc/content"] === "structured";
  const shown = JSON.stringify(once ? "The answer is in structuredContent." : text);
  return `"content":[{"type":"text","text":${shown}}],"structuredContent":${text},"isError":${!envelope.ok}`;
}

/** What a client sends with a call that asked it before. */
export function responsesIn({ params: { inputResponses = {} } }: IdentifiedCall): JsonObject {
  if (!isParsedObject(inputResponses)) throw badParam("/inputResponses", "an object", inputResponses);
  return inputResponses;
}

/** The capability that a client must declare to be sent a request. */
const NEEDS: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** The context of a call whose client can be asked: it has the answers already, or is asked with the result. */
function askedWith(context: CallContext, capabilities: JsonObject, answers: JsonObject): CallContext {
  if (!Object.values(NEEDS).some((name) => isObject(capabilities[name]))) return context;
  const client: ClientRequests = {
    modes: modesOf(capabilities),
    async ask(requests) {
      const open: Record<string, JsonObject> = {};
      for (const [key, request] of Object.entries(requests)) {
        const { method } = request;
        const need = NEEDS[typeof method === "string" ? method : ""] ?? "";
        if (!isObject(capabilities[need])) throw lacking({ [need]: {} });
        if (!isObject(answers[key])) open[key] = request;
      }
      if (Object.keys(open).length > 0) throw new Unanswered(open);
      return answers;
    },
  };
  return contextWith(context, { client });
}

/** Calls what may ask a caller that can be asked, or goes on with such a call; null for every other call. */
function askable(
  pending: PendingCalls,
  entry: EntryPoint,
  name: string,
  call: IdentifiedCall,
  context: CallContext,
  work: (context: CallContext) => Promise<Envelope>,
): Promise<PendingCallResult> | null {
  const { requestState } = call.params;
  const key = { caller: context.caller.id, name };
  if (typeof requestState === "string" && !isSigned(requestState))
    return pending.resume(requestState, key, responsesIn(call), context.signal);
  if (!entry.asks(name)) return null;
  const modes = modesOf(capabilitiesOf(call));
  return modes.size === 0 ? null : pending.begin(key, context, modes, work);
}
