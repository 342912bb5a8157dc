import { Type } from "typebox";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { freeObject, freeValue, inputOf } from "../model/common.ts";
import { contextWith } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import { defineTool, type Tool } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import { sampleOf } from "../workflows/sample.ts";
import { objectsIn, partOf, pick, previewOf, textOr } from "./answers.ts";
import { argumentNames, Finder, FOUND_KINDS } from "./find.ts";

/** The answers of these tools have members of their own for every kind of thing. */
const ANSWER = freeObject("Each kind of thing has members of its own.");
/** What every tool of the endpoint for agents has in common: rights are checked by what it calls. */
export const OPEN = { output: ANSWER, access: "public", openWorld: false } as const;
/** Reads and changes nothing. */
export const READ = { ...OPEN, effect: "none", idempotent: true } as const;
/** How much of an answer is asked for. */
export const WANTED = {
  detail: Type.Optional(Type.Enum(["summary", "full"])),
  select: Type.Optional(Type.String({ description: "JSON Pointer: only this part, whole, e.g. /items/0" })),
};

/** The same call with further members of `_meta`, which the fixed tools read; undefined ones are left out. */
export function withMeta(
  context: CallContext,
  more: Readonly<Record<string, Json | undefined>>,
): CallContext {
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return contextWith(context, {
    meta: { ...context.meta, ...Object.fromEntries(given), "svc/entry": "agent" },
  });
}

/** The answer made of a success; what did not happen is passed on as it is. */
export function onSuccess(
  { ok, data }: Envelope,
  answer: (data: JsonObject) => JsonObject,
): JsonObject | NotDone {
  return ok ? answer(data) : new NotDone(data);
}

/** An address of the web app. */
export function linkTo({ settings }: Services, path: string): string {
  return new URL(path, settings.baseUrl).href;
}

const finder = new Finder();

const find = defineTool({
  ...READ,
  name: "find",
  title: "Find tools and records",
  description:
    "Search own tools, connected tools (server:tool), workflows, templates and artifacts by words. Start here; then describe, then call.",
  input: inputOf({
    query: Type.String({ minLength: 1, maxLength: 300, description: "Words, e.g. create github issue" }),
    kinds: Type.Optional(Type.Array(Type.Enum([...FOUND_KINDS]), { minItems: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Default 8" })),
    cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,6}$" })),
  }),
  async run({ query, kinds = [...FOUND_KINDS], limit = 8, cursor = "0" }, { context }) {
    const hits = await finder.find(query, kinds, context);
    const from = Number(cursor);
    const page = hits.slice(from, from + limit);
    return {
      text:
        page.length === 0
          ? `Nothing found for "${query}". Try fewer or other words.`
          : `Best first: ${page.map(({ name }) => name).join(", ")}`,
      hits: page,
      total: hits.length,
      nextCursor: from + limit < hits.length ? String(from + limit) : null,
    };
  },
});

const describe = defineTool({
  ...READ,
  name: "describe",
  title: "Describe a tool or workflow",
  description: "Arguments schema, effect and an example of a tool, a connected tool or a workflow.",
  input: inputOf({
    name: Type.String({
      maxLength: 300,
      description: "As find gave it: a tool, server:tool or a workflow id",
    }),
    detail: Type.Optional(Type.Enum(["summary", "full"], { description: "full: the output schema too" })),
  }),
  run: async ({ name, detail }, { context }) => described(name, detail === "full", context),
});

async function described(name: string, full: boolean, context: CallContext): Promise<JsonObject> {
  const { catalog, connections } = context.services;
  const tool = catalog.tool(name);
  if (tool !== undefined) {
    const { title, description, effect, access, idempotent, examples } = tool;
    const inputSchema: JsonObject = JSON.parse(JSON.stringify(tool.input));
    const outputSchema: JsonObject = JSON.parse(JSON.stringify(tool.output));
    const example: Json = JSON.parse(JSON.stringify(examples?.[0] ?? sampleOf(inputSchema)));
    return {
      text: `${name}(${argumentNames(inputSchema)}) · effect ${effect} · ${access === "public" ? "no key needed" : `scope ${access}`}`,
      kind: "tool",
      name,
      title,
      description,
      effect,
      idempotent,
      inputSchema,
      example: { name, arguments: example },
      ...(full && { outputSchema }),
    };
  }
  if (name.includes(":")) {
    const found = context.caller.kind === "anonymous" ? null : await connections.find(name);
    if (found === null) throw unknown(name, context);
    const { title, description, effect, state, idempotent, inputSchema, outputSchema } = found;
    return {
      text: `${name}(${argumentNames(inputSchema)}) · effect ${effect} · ${state}`,
      kind: "connected",
      name,
      title,
      description,
      effect,
      idempotent,
      state,
      inputSchema,
      example: { name, arguments: sampleOf(inputSchema) },
      ...(full && { outputSchema }),
    };
  }
  const { ok, data } = await catalog.call("get_workflow", { id: name }, context);
  const workflow = data["workflow"];
  if (!ok || !isJsonObject(workflow)) throw unknown(name, context);
  const document = isJsonObject(workflow["document"]) ? workflow["document"] : {};
  const inputSchema = isJsonObject(document["inputs"]) ? document["inputs"] : {};
  return {
    text: `${name}(${argumentNames(inputSchema)}) · workflow, ${textOr(workflow["status"], "")}`,
    kind: "workflow",
    ...pick(workflow, ["id", "name", "description", "status", "publishedVersion", "revision", "steps"]),
    inputSchema,
    example: { workflow: name, inputs: sampleOf(inputSchema) },
    ...(full && { document }),
  };
}

function unknown(name: string, { services, caller }: CallContext): AppError {
  return new AppError("not_found", `There is nothing called "${name.slice(0, 100)}" that you may see.`, {
    nextAction:
      caller.kind === "anonymous" && name.includes(":")
        ? "Connected tools need a key or a signed-in client."
        : `Search with find {"query": "${name
            .replaceAll(/[^\w ]+/g, " ")
            .trim()
            .slice(0, 60)}"}.`,
    details: { own: services.catalog.tools.length },
  });
}

const call = defineTool({
  ...OPEN,
  name: "call",
  title: "Call a tool",
  description:
    "Call any tool that find shows. Arguments are checked first; every problem names its fix. A call that needs a person's approval answers with an approval and a link; it runs once after the decision: follow it with get.",
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  input: inputOf({
    name: Type.String({ maxLength: 300, description: "e.g. get_health or shop:createOrder" }),
    arguments: Type.Optional(
      freeObject("Each tool has its own.", "As describe shows them; {} when left out"),
    ),
    idempotencyKey: Type.Optional(
      Type.String({ maxLength: 200, description: "Repeat safely with the same key" }),
    ),
    ...WANTED,
  }),
  async run({ name, arguments: args = {}, idempotencyKey, ...wanted }, { context }) {
    const { catalog, connections } = context.services;
    const effect = catalog.tool(name)?.effect ?? connections.head(name)?.effect;
    const repeatable = effect === "none" || effect === "read";
    const inner = withMeta(context, { "svc/idempotencyKey": idempotencyKey });
    const envelope = await catalog.call(name, args, inner);
    // What cannot be read again is given whole.
    const detail = wanted.detail ?? (repeatable ? "summary" : "full");
    return onSuccess(envelope, (data) => calledAnswer(data, { ...wanted, detail }));
  },
});

/** The result of a call; images and audio of a connected tool become content that the model sees. */
function calledAnswer(data: JsonObject, wanted: { detail: string; select?: string }): JsonObject {
  const blocks = objectsIn(data["content"]).filter(
    ({ type, data: bytes }) => (type === "image" || type === "audio") && typeof bytes === "string",
  );
  const content = data["content"] ?? null;
  const rest: JsonObject =
    blocks.length === 0 || !isList(content)
      ? data
      : {
          ...data,
          content: content.map((part) =>
            isJsonObject(part) && blocks.includes(part) ? shownAbove(part) : part,
          ),
        };
  // Text parts of an MCP result repeat its structured content.
  const { content: _texts, ...structured } = rest;
  const { value, omitted } = partOf(rest["structuredContent"] === undefined ? rest : structured, wanted);
  return {
    text: previewOf(value),
    result: value,
    ...(omitted !== undefined && { omitted }),
    ...(blocks.length > 0 && { blocks }),
  };
}

function shownAbove({ type = null, mimeType = null }: JsonObject): JsonObject {
  return { type, mimeType, shown: "as content of this answer" };
}

const renderForm = defineTool({
  ...READ,
  name: "render_form",
  title: "Form for a person",
  description: "A form for a person to fill in: of a tool or of a JSON Schema. Gives its fields and a link.",
  input: inputOf({
    tool: Type.Optional(Type.String({ description: "A tool or server:tool" })),
    schema: Type.Optional(freeObject("A JSON Schema.", "A JSON Schema instead of a tool")),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    ...WANTED,
  }),
  rules: ({ tool, schema }) =>
    (tool === undefined) === (schema === undefined)
      ? [
          {
            pointer: "",
            message: "Give either tool or schema.",
            expected: "tool or schema",
            fix: 'Add "tool" or "schema", not both.',
          },
        ]
      : [],
  async run({ tool, schema = {}, title, ...wanted }, { context }) {
    const { services } = context;
    const envelope =
      tool === undefined
        ? await services.catalog.call(
            "render_json_schema_form",
            { schema, ...(title !== undefined && { title }) },
            context,
          )
        : await services.catalog.call("render_mcp_tool_form", { toolName: tool }, context);
    return onSuccess(envelope, ({ form = null, formId = null, stored }) => {
      const isOwn = tool !== undefined && !tool.includes(":");
      const [connection = "", definition = ""] = tool?.split(":") ?? [];
      const link =
        tool === undefined
          ? null
          : linkTo(
              services,
              isOwn ? `/tools/${tool}` : `/connections/${connection}?pick=${encodeURIComponent(definition)}`,
            );
      const fields = isJsonObject(form) ? objectsIn(form["fields"]) : [];
      const { value, omitted } = partOf(
        wanted.detail === "full" || wanted.select !== undefined
          ? form
          : {
              fields: fields.map((field) =>
                pick(field, ["name", "path", "label", "type", "widget", "required", "options", "help"]),
              ),
            },
        wanted,
      );
      return {
        text: `Form with ${fields.length} fields${link === null ? "" : `: ${link}`}`,
        formId,
        form: value,
        ...(link === null ? pick({ stored: stored ?? null }, ["stored"]) : { link }),
        ...(omitted !== undefined && { omitted }),
      };
    });
  },
});

const checkValue = defineTool({
  ...READ,
  name: "check_value",
  title: "Check a value",
  description:
    "Validate a value against a JSON Schema, or arguments against a tool's schema: all problems at once.",
  input: inputOf({
    value: freeValue("The caller's own.", "Any JSON value"),
    schema: Type.Optional(freeObject("A JSON Schema.", "A JSON Schema")),
    tool: Type.Optional(Type.String({ description: "Or a tool or server:tool" })),
  }),
  async run({ value, schema, tool }, { context }) {
    const known = tool === undefined ? null : await described(tool, false, context);
    const against = known === null ? schema : known["inputSchema"];
    if (!isJsonObject(against))
      throw new AppError("invalid_input", "Give schema or tool.", {
        problems: [
          {
            pointer: "/schema",
            message: "is missing",
            expected: "a JSON Schema",
            fix: 'Add "schema" or "tool".',
          },
        ],
      });
    const verdict = await context.services.validator.validate(against, value, context.signal);
    const problems = verdict.errors.map(({ pointer, message }) => ({ pointer, message }));
    return {
      text: verdict.valid
        ? "Valid."
        : [
            `${problems.length} problems:`,
            ...problems.map(({ pointer, message }) => `- ${pointer} ${message}`),
          ].join("\n"),
      valid: verdict.valid,
      problems,
    };
  },
});

/** What a person can do where an agent may not. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(["forbidden", "blocked"]);

const connect = defineTool({
  ...OPEN,
  name: "connect",
  title: "Connect an API or MCP server",
  description:
    "Add an OpenAPI service or MCP server by address; its operations become server:tool. Never send secrets: where a credential is needed the answer has a link for the person.",
  effect: "write",
  idempotent: false,
  openWorld: true,
  input: inputOf({
    url: Type.String({ maxLength: 2_000, description: "e.g. https://api.example.com/openapi.json" }),
    name: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9-]{0,30}$",
        description: "Short name, e.g. shop; required to add it",
      }),
    ),
    kind: Type.Optional(Type.Enum(["mcp", "openapi", "http"], { description: "When known" })),
    credential: Type.Optional(Type.String({ description: "Name of a stored credential, never its value" })),
  }),
  async run({ url, name, kind, credential }, { context }) {
    const { services } = context;
    const link = linkTo(services, `/connections?add=open&url=${encodeURIComponent(url)}`);
    const more = { ...(credential !== undefined && { credential }) };
    const perform = async (operation: string, input: JsonObject): Promise<Envelope> => {
      try {
        return await services.site.perform(operation, { ...input, ...more }, context);
      } catch (error) {
        if (!(error instanceof AppError) || !FOR_A_PERSON.has(error.code)) throw error;
        const nextAction = `${error.info.nextAction ?? ""} A person with the rights can do it at ${link}`;
        throw new AppError(error.code, error.message, { ...error.info, nextAction: nextAction.trim() });
      }
    };
    const { data: found } = await perform("probe_address", { url, ...(kind !== undefined && { kind }) });
    const existing = objectsIn(found["existing"]);
    const seen = pick(found, ["kind", "title", "definitions", "wants", "problem", "nextAction"]);
    if (existing.length > 0)
      return {
        text: `Connected already as ${existing.map((item) => textOr(item["name"], "")).join(", ")}.`,
        connected: true,
        existing,
      };
    if (found["needsCredential"] === true && credential === undefined) return askPerson(link, seen, context);
    if (found["kind"] === "http")
      return {
        text: `Neither an API description nor an MCP server was found at ${url}. ${textOr(found["problem"], textOr(found["nextAction"], ""))}`,
        connected: false,
        found: seen,
        link,
      };
    if (name === undefined)
      return {
        text: `Found: ${textOr(found["title"], url)}. Call connect again with a short name to add it.`,
        connected: false,
        found: seen,
      };
    const made = await perform("create_connection", {
      name,
      kind: kind ?? textOr(found["kind"], "openapi"),
      url: textOr(found["url"], url),
    });
    return onSuccess(made, (data) => {
      const tools = objectsIn(data["definitions"]).map((head) => `${name}:${textOr(head["name"], "")}`);
      return {
        text: `Connected ${name} with ${tools.length} tools: ${tools.slice(0, 10).join(", ")}`,
        connected: true,
        name,
        tools: tools.slice(0, 50),
        total: tools.length,
        link: linkTo(services, `/connections/${name}`),
      };
    });
  },
});

/** A secret goes from the person to the service, never through the model. */
async function askPerson(link: string, found: JsonObject, { questions }: CallContext): Promise<JsonObject> {
  const message =
    "This server asks for a credential. Add it on the page that opens; the model never sees it.";
  const asked = questions?.modes.has("url") === true;
  const answer = asked
    ? await questions.ask({ mode: "url", message, url: link, elicitationId: `connect-${randomHex(8)}` })
    : null;
  return {
    text: `A credential is needed. Ask the person to open ${link}, then call connect again with the name of the credential.`,
    connected: false,
    needsCredential: true,
    found,
    link,
    ...(answer !== null && { person: textOr(answer["action"], "cancel") }),
  };
}

/** Finding, understanding and calling. */
export const callTools: readonly Tool[] = [find, describe, call, renderForm, checkValue, connect];
