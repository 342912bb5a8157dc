import { completeArgument, completeId, type Completion } from "../discovery/completions.ts";
import { ok } from "../kernel/envelope.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { lengthProblem, textKindOf } from "../kernel/text-limits.ts";
import type { Caller } from "../ports/caller.ts";
import { Unanswered, type EntryPoint, type Prompt, type Resource } from "../ports/definitions.ts";
import { PendingCalls } from "../ports/pending-calls.ts";
import { metaProblems } from "../ports/meta-keys.ts";
import type { Catalog } from "../ports/services.ts";
import { callResult } from "../runs/tasks.ts";
import { APP_MIME_TYPE, type AppPage } from "./app-page.ts";
import { LEGACY_VERSIONS, MODERN_VERSIONS, type Generation } from "./protocol-generation.ts";
import { badParam, type IdentifiedCall, type Method, type OpenCall } from "./method.ts";
import { createListen } from "./listen.ts";
import { taskMethods } from "./tasks.ts";
import { callTool, inputRequired, stateFor, TASKS } from "./tool-calls.ts";
import { createLists, fixed, modernMembers, SERVER_INFO, type FixedResult, type Lists } from "./lists.ts";

const BOTH: readonly Generation[] = ["legacy", "modern"];
// Hosts show a tool's page only when the server declares the extension (SEP-2133, SEP-1865).
const UI = { "io.modelcontextprotocol/ui": { mimeTypes: [APP_MIME_TYPE] } };
const CAPABILITIES: JsonObject = { tools: {}, resources: {}, prompts: {}, completions: {}, extensions: UI };
/** The contract's entry point. */
const GATEWAY: EntryPoint = {
  instructions:
    "Render definitions as forms, build and run workflows with approvals, and prepare handoffs. Every tool answers {ok, data}: ok is false when what was asked did not happen, and data says why and what to do next. Tools marked protected need an API key. Nothing is reported as completed unless the target confirmed it.",
  listsOutputs: true,
  listsTemplates: true,
  // Only what is connected asks anything.
  asks: (tool) => tool === "execute_mcp_tool" || tool.includes(":"),
  ended: async (run, { services }) =>
    (await callResult(services, run)) ?? ok({ run: JSON.parse(JSON.stringify(run)) }),
};
const EMPTY = "{}";
/** More names than any prompt has; each one that is not known is a problem to report. */
const MAX_ARGUMENTS = 50;

/** Every method that is served. */
export function createMethods(
  catalog: Catalog,
  appPage: AppPage,
  entry: EntryPoint = GATEWAY,
): ReadonlyMap<string, Method> {
  const lists = createLists(catalog, entry);
  const pending = new PendingCalls();
  const prompts = new Map(catalog.prompts.map((prompt) => [prompt.name, prompt]));
  const resources = createResourceTable(catalog.resources);
  const discover = fixed({
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: { ...capabilitiesOf(entry), extensions: { ...UI, [TASKS]: {} } },
    serverInfo: SERVER_INFO,
    instructions: entry.instructions,
  });
  return new Map<string, Method>([
    ["initialize", { kind: "open", generations: ["legacy"], run: (call) => initialize(call, entry) }],
    ["ping", { kind: "open", generations: ["legacy"], run: () => EMPTY }],
    ["server/discover", { kind: "open", generations: ["modern"], run: () => discover }],
    ["tools/list", toolsList(entry, lists)],
    ["resources/list", { kind: "open", generations: BOTH, run: (call) => onePage(call, lists.resources) }],
    [
      "resources/templates/list",
      { kind: "open", generations: BOTH, run: (call) => onePage(call, lists.templates) },
    ],
    ["prompts/list", { kind: "open", generations: BOTH, run: (call) => onePage(call, lists.prompts) }],
    [
      "completion/complete",
      {
        kind: "identified",
        generations: BOTH,
        label: () => "completion/complete",
        run: (call) => complete(prompts, resources.uris, call),
      },
    ],
    [
      "tools/call",
      {
        kind: "identified",
        generations: BOTH,
        label: labels(
          "tools/call",
          "name",
          catalog.tools.map(({ name }) => name),
        ),
        run: (call) => callTool({ catalog, pending, entry }, call),
      },
    ],
    [
      "resources/read",
      {
        kind: "identified",
        generations: BOTH,
        label: labels("resources/read", "uri", resources.uris),
        run: (call) => readResource(resources, appPage, call),
      },
    ],
    [
      "prompts/get",
      {
        kind: "identified",
        generations: BOTH,
        label: labels("prompts/get", "name", prompts.keys()),
        run: (call) => getPrompt(prompts, call),
      },
    ],
    [
      "subscriptions/listen",
      {
        kind: "identified",
        generations: ["modern"],
        label: () => "subscriptions/listen",
        run: createListen(entry),
      },
    ],
    ...taskMethods(entry),
  ]);
}

/** Names what is called by one of our own names; whatever else a caller writes counts as one. */
function labels(
  method: string,
  member: string,
  known: Iterable<string>,
): (params: OpenCall["params"]) => string {
  const byName = new Map<unknown, string>();
  for (const name of known) byName.set(name, `${method} ${name}`);
  const other = `${method} other`;
  return (params) => byName.get(params[member]) ?? other;
}

/** A list that changes is announced to clients that listen. */
function capabilitiesOf(entry: EntryPoint): JsonObject {
  return entry.toolsVersion === undefined ? CAPABILITIES : { ...CAPABILITIES, tools: { listChanged: true } };
}

function initialize({ params }: OpenCall, entry: EntryPoint): string {
  const asked = params["protocolVersion"] ?? LEGACY_VERSIONS[0];
  if (typeof asked !== "string")
    throw badParam("/protocolVersion", "a protocol revision such as 2025-11-25", asked);
  const protocolVersion = LEGACY_VERSIONS.find((known) => known === asked) ?? LEGACY_VERSIONS[0];
  return JSON.stringify({
    protocolVersion,
    capabilities: { ...capabilitiesOf(entry), tools: {} },
    serverInfo: SERVER_INFO,
    instructions: entry.instructions,
  });
}

/** The list of all, serialised once, or the one of the caller. */
function toolsList(entry: EntryPoint, lists: Lists): Method {
  if (entry.tools === undefined)
    return { kind: "open", generations: BOTH, run: (call) => onePage(call, toolsFor(call, lists)) };
  return {
    kind: "identified",
    generations: BOTH,
    label: () => "tools/list",
    async run(call) {
      const members = call.generation === "modern" ? `${modernMembers({ ttlMs: 0, scope: "private" })},` : "";
      return `{${members}"tools":${JSON.stringify(await entry.tools?.(call.context))}}`;
    },
  };
}

/** Every list is one page, so there is no cursor that we could have given out. */
/** `_meta: {"svc/outputs": "full"}` asks for the whole schemas of the outputs. */
function toolsFor({ params: { _meta: meta } }: OpenCall, { tools, fullTools }: Lists): FixedResult {
  return isObject(meta) && meta["svc/outputs"] === "full" ? fullTools() : tools;
}

function onePage({ params }: OpenCall, list: FixedResult): FixedResult {
  const { cursor } = params;
  if (cursor !== undefined) {
    throw new AppError("invalid_params", "The list has one page; no cursor is valid.", {
      problems: [{ pointer: "/cursor", message: "There is no further page.", fix: "Leave the cursor out." }],
    });
  }
  return list;
}

interface ResourceTable {
  find(uri: string): { readonly resource: Resource; readonly id: string } | undefined;
  readonly uris: readonly string[];
}

function createResourceTable(resources: readonly Resource[]): ResourceTable {
  const exact = new Map<string, Resource>();
  const templates: { readonly before: string; readonly after: string; readonly resource: Resource }[] = [];
  for (const resource of resources) {
    const [before = "", after] = resource.uri.split("{id}");
    if (after === undefined) exact.set(resource.uri, resource);
    else {
      templates.push({ before, after, resource });
      // A template is listed too, so reading it as it is written must tell how it is meant.
      exact.set(resource.uri, { ...resource, read: () => templateDocument(resource) });
    }
  }
  return {
    uris: resources.map((resource) => resource.uri),
    find(uri) {
      const direct = exact.get(uri);
      if (direct !== undefined) return { resource: direct, id: "" };
      for (const { before, after, resource } of templates) {
        if (!uri.startsWith(before) || !uri.endsWith(after) || uri.length <= before.length + after.length)
          continue;
        const id = decodeId(uri.slice(before.length, uri.length - after.length));
        if (id !== undefined) return { resource, id };
      }
      return undefined;
    },
  };
}

/** What a template gives when its variable is still in the URI. */
function templateDocument({ uri, title, description, idsFrom }: Resource): JsonObject {
  return {
    uriTemplate: uri,
    title,
    description,
    variables: { id: "The id of one record." },
    ...(idsFrom !== undefined && { idsFrom: { ...idsFrom } }),
    nextAction:
      idsFrom === undefined
        ? "Put an id in place of {id} and read again."
        : `Put an id in place of {id} and read again; ${idsFrom.resource} and ${idsFrom.tool} list the ids.`,
  };
}

function decodeId(text: string): string | undefined {
  if (/[/?#{}\s]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function readResource(table: ResourceTable, appPage: AppPage, call: IdentifiedCall): Promise<string> {
  const { uri } = call.params;
  if (typeof uri !== "string") throw badParam("/uri", "the URI of a resource", uri);
  if (lengthProblem(uri, "name", "/uri") !== null)
    throw badParam("/uri", "the URI of a resource, 4,096 characters at most", uri);
  const members = (scope: "public" | "private"): string =>
    call.generation === "modern" ? `${modernMembers({ ttlMs: 0, scope })},` : "";
  if (appPage.has(uri)) {
    return `{${members("public")}"contents":[${JSON.stringify(await appPage.read(uri))}]}`;
  }
  const found = table.find(uri);
  if (found === undefined) throw unknownResource(uri, table.uris);
  checkMeta(call.context.meta);
  const { mimeType } = found.resource;
  const document = await found.resource.read(call.context, found.id);
  const contents = [
    mimeType === undefined
      ? { uri, mimeType: "application/json", text: JSON.stringify(document, null, 2) }
      : { uri, mimeType, ...document },
  ];
  return `{${members(scopeFor(call.context.caller))}"contents":${JSON.stringify(contents)}}`;
}

function scopeFor(caller: Caller): "public" | "private" {
  return caller.kind === "anonymous" ? "public" : "private";
}

function unknownResource(uri: string, known: readonly string[]): AppError {
  const near = nearestNames(uri, known);
  return new AppError("not_found", "There is no resource at this URI.", {
    details: { uri: uri.slice(0, 300) },
    nextAction: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Call resources/list.",
  });
}

async function getPrompt(prompts: ReadonlyMap<string, Prompt>, call: IdentifiedCall): Promise<string> {
  const { name, arguments: args = {} } = call.params;
  if (typeof name !== "string") throw badParam("/name", "the name of a prompt", name);
  const prompt = prompts.get(name);
  if (prompt === undefined) throw unknownPrompt(name, prompts.keys());
  checkMeta(call.context.meta);
  const checked = promptArguments(prompt, args);
  const { answers, context } = await stateFor(name, checked, call);
  let messages;
  try {
    messages = await prompt.messages(checked, context);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    return inputRequired({ call, name, args: checked }, error.requests, { answers, runId: null, since: 0 });
  }
  const members = call.generation === "modern" ? `${modernMembers()},` : "";
  return `{${members}"description":${JSON.stringify(prompt.description)},"messages":${JSON.stringify(messages)}}`;
}

function unknownPrompt(name: string, known: Iterable<string>): AppError {
  const near = nearestNames(name, known);
  const fix =
    near.length > 0 ? `Did you mean ${near.map((item) => `"${item}"`).join(" or ")}?` : "Call prompts/list.";
  return new AppError("invalid_params", `There is no prompt named "${name.slice(0, 100)}".`, {
    problems: [
      { pointer: "/name", message: "The prompt is not registered here.", given: name.slice(0, 100), fix },
    ],
  });
}

/** Every argument is text; all problems are reported at once. */
function promptArguments(prompt: Prompt, given: unknown): Record<string, string> {
  if (!isObject(given)) throw badParam("/arguments", "an object of strings", given);
  const problems: Problem[] = [];
  const checked: Record<string, string> = {};
  const names = prompt.arguments.map((argument) => argument.name);
  for (const [name, value] of Object.entries(given).slice(0, MAX_ARGUMENTS)) {
    const pointer = `/arguments/${name.slice(0, 100)}`;
    const long = typeof value === "string" ? lengthProblem(value, textKindOf(name), pointer) : null;
    if (!names.includes(name)) {
      const near = nearestNames(name, names, 1)[0];
      problems.push({
        pointer,
        message: `"${name.slice(0, 100)}" is not an argument of ${prompt.name}.`,
        expected: names.length === 0 ? "no arguments" : `only ${names.join(", ")}`,
        fix: near === undefined ? "Remove it." : `Rename it to "${near}".`,
      });
    } else if (typeof value !== "string") {
      problems.push({
        pointer,
        message: `"${name}" must be a string.`,
        expected: "a string",
        given: typeof value,
      });
    } else if (long !== null) problems.push(long);
    else checked[name] = value;
  }
  for (const argument of prompt.arguments) {
    if (!argument.required || Object.hasOwn(given, argument.name)) continue;
    problems.push({
      pointer: `/arguments/${argument.name}`,
      message: `"${argument.name}" is required.`,
      expected: argument.description,
      given: "nothing",
      fix: `Add "${argument.name}".`,
    });
  }
  if (problems.length === 0) return checked;
  throw new AppError(
    "invalid_params",
    `The arguments of ${prompt.name} have a problem: ${problems[0]?.message ?? ""}`,
    {
      problems,
    },
  );
}

/** Completes ids and names with what the caller may see. */
async function complete(
  prompts: ReadonlyMap<string, Prompt>,
  uris: readonly string[],
  { params, generation, context }: IdentifiedCall,
): Promise<string> {
  const { ref, argument } = params;
  if (!isObject(ref) || (ref["type"] !== "ref/prompt" && ref["type"] !== "ref/resource")) {
    throw badParam("/ref", "a reference to a prompt or a resource template", ref);
  }
  if (!isNamedValue(argument)) throw badParam("/argument", "an object with name and value", argument);
  const { name, value } = argument;
  if (lengthProblem(value, "name", "/argument/value") !== null)
    throw badParam("/argument/value", "a text of 4,096 characters at most", value);
  let completion: Completion;
  if (ref["type"] === "ref/prompt") {
    if (!prompts.has(String(ref["name"]))) throw unknownPrompt(String(ref["name"]), prompts.keys());
    completion = await completeArgument(name, value, context);
  } else {
    const uri = String(ref["uri"]);
    if (!uris.includes(uri)) throw badTemplate(uri, uris);
    completion = await completeId(uri, name, value, context);
  }
  const members = generation === "modern" ? `${modernMembers()},` : "";
  return `{${members}"completion":${JSON.stringify(completion)}}`;
}
function isNamedValue(given: unknown): given is { readonly name: string; readonly value: string } {
  return isObject(given) && typeof given["name"] === "string" && typeof given["value"] === "string";
}

function badTemplate(uri: string, uris: readonly string[]): AppError {
  const templates = uris.filter((known) => known.includes("{"));
  return new AppError("invalid_params", "There is no resource template with this URI.", {
    problems: [
      {
        pointer: "/ref/uri",
        message: "The template is not listed by resources/templates/list.",
        expected: `one of ${templates.join(", ")}`,
        given: uri.slice(0, 100),
      },
    ],
  });
}

function checkMeta(meta: JsonObject): void {
  const problems = metaProblems(meta);
  const [first] = problems;
  if (first !== undefined) throw new AppError("invalid_params", first.message, { problems });
}
