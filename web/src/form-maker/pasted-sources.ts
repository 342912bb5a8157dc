import { isObject } from "#kernel/json.ts";
import {
  formIdentity,
  type FormDocument,
  type FormSource,
  inferSchema,
  isJson,
  withCompanions,
} from "@workflow-ui/forms";
import { withHints } from "@workflow-ui/forms/hints";
import { sampleValue } from "@workflow-ui/forms/sample";
import { asyncapiEvent, isAsyncapi, openapiWebhook, webhookNames } from "#sources/asyncapi.ts";
import { isCurl } from "#formats/http/curl.ts";
import { describedCredential } from "#sources/openapi-security.ts";
import { operationSchema, readApi } from "#sources/openapi.ts";
import { parseText } from "../lib/parse-text.ts";
import { at, objectAt, objectsAt, textAt, type JsonRecord } from "../lib/read.ts";
import { compileGiven } from "./compile-given.ts";
import {
  holdsRequests,
  isWorkflow,
  programIn,
  requestsIn,
  serversIn,
  suggestName,
  type ConnectionCandidate,
} from "./connection-source.ts";

/*
 * What a person brings becomes forms here, in a worker of the page: nothing is uploaded and no key is needed. The
 * compiler and the readers are the service's own.
 */

/** What a person brought as text. */
export interface PastedText {
  readonly text: string;
  readonly as: "auto" | "webhook";
  readonly beside: SourceCompanions;
}

/** One thing that can be made into a form. */
interface SourceItem {
  readonly id: string;
  readonly title: string;
  readonly sub: string;
  readonly make: () => FormDocument;
}

/** What was found in a text. */
export interface PastedSource {
  readonly kind:
    | "schema"
    | "sample"
    | "openapi"
    | "asyncapi"
    | "tools"
    | "requests"
    | "servers"
    | "program"
    | "workflow";
  readonly title: string;
  /** What forms can be made of. */
  readonly items: readonly SourceItem[];
  /** What can be added as a connection. */
  readonly connections?: readonly ConnectionCandidate[];
}

/** Reads JSON or YAML and finds out what it is. Throws with a sentence that says what is wrong. */
export async function readSource({ text, as, beside }: PastedText): Promise<PastedSource> {
  if (isCurl(text)) return requests(text);
  const program = programIn(text);
  if (program !== null) return others("program", program.title, [program]);
  const document = await parseText(text);
  if (as === "webhook" && isPayload(document)) return sample(document);
  if (
    isObject(document) &&
    (typeof document["openapi"] === "string" || typeof document["swagger"] === "string")
  )
    return openapi(document, text);
  if (isAsyncapi(document)) return asyncapi(document);
  if (isObject(document) && holdsRequests(document)) return requests(text);
  if (isObject(document) && isWorkflow(document)) return others("workflow", "Workflow", []);
  const servers = serversIn(document);
  if (servers !== null) return others("servers", "MCP servers", servers);
  const tools = toolsIn(document);
  if (tools.length > 0) return toolList(tools);
  if (isSample(document)) return sample(document);
  if (typeof document !== "boolean" && !isObject(document))
    throw new Error(
      "This is neither an address, an API description, requests, a list of tools nor a schema.",
    );
  return schema(isObject(document) ? await together(document, beside) : document, as === "webhook");
}

async function requests(text: string): Promise<PastedSource> {
  return others("requests", "HTTP requests", await requestsIn(text));
}

function others(
  kind: PastedSource["kind"],
  title: string,
  connections: readonly ConnectionCandidate[],
): PastedSource {
  return { kind, title, items: [], connections };
}

/** What a person brings with a schema, as text: hints, and documents that it refers to by their addresses. */
export interface SourceCompanions {
  readonly hints?: string;
  readonly companions?: Readonly<Record<string, string>>;
}

async function together(
  schema: JsonRecord,
  { hints = "", companions = {} }: SourceCompanions,
): Promise<JsonRecord> {
  if (!isJson(schema)) return schema;
  const documents: Record<string, unknown> = {};
  for (const [address, text] of Object.entries(companions)) documents[address] = await parsed(text, address);
  const whole = Object.keys(documents).length === 0 ? schema : withCompanions(schema, documents);
  return hints.trim() === "" ? whole : withHints(whole, await parsed(hints, "The hints"));
}

async function parsed(text: string, name: string): Promise<unknown> {
  try {
    return await parseText(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : "this could not be read."}`, {
      cause: error,
    });
  }
}

const SCHEMA_WORDS = [
  "$schema",
  "$ref",
  "$defs",
  "properties",
  "allOf",
  "anyOf",
  "oneOf",
  "enum",
  "const",
  "openapi",
  "swagger",
  "asyncapi",
  "tools",
];
const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** True for a sample of what a webhook sends, and not a description of it. */
function isPayload(document: unknown): boolean {
  if (!isObject(document)) return Array.isArray(document);
  const { type } = document;
  const states = typeof type === "string" ? TYPES.has(type) : Array.isArray(type);
  return !states && !SCHEMA_WORDS.some((word) => Object.hasOwn(document, word));
}

/** Words that a schema may consist of alone; they also name members of samples. */
const COMMON_WORDS =
  /^(?:title|description|type|format|default|examples?|items|required|not|if|then|else|pattern|definitions|(?:min|max|exclusive|multiple|additional|unevaluated|pattern|prefix|dependent|content|read|write)[A-Z]\w*|maximum|minimum|deprecated|x-.*|\$.*)$/;

/** True for a sample whose members are no words of a schema, so that nobody has to say what it is. */
function isSample(document: unknown): boolean {
  if (!isObject(document)) return Array.isArray(document);
  const names = Object.keys(document);
  return names.length > 0 && isPayload(document) && !names.some((name) => COMMON_WORDS.test(name));
}

function sample(given: unknown): PastedSource {
  const inferred = isJson(given) ? inferSchema(given) : {};
  const whole = { title: "Webhook payload (from your sample)", ...inferred, examples: [given] };
  return { ...schema(whole, true), kind: "sample" };
}

function schema(given: JsonRecord | boolean, webhook: boolean): PastedSource {
  const title =
    typeof given === "boolean" ? "Schema" : textAt(given, "title", webhook ? "Webhook payload" : "Schema");
  return {
    kind: "schema",
    title: title.slice(0, 200),
    items: [
      {
        id: "schema",
        title: title.slice(0, 200),
        sub: "",
        make: () => formOf(given, title, { kind: webhook ? "webhook" : "json_schema" }),
      },
    ],
  };
}

function openapi(document: JsonRecord, text: string): PastedSource {
  const api = readApi(document, "");
  const suggested = describedCredential(api);
  const operations = api.operations.map((operation) => ({
    id: `${operation.method} ${operation.path}`,
    title: textAt(operation.definition, "summary", operation.id ?? operation.path),
    sub: `${operation.method.toUpperCase()} ${operation.path}`,
    make: () => {
      const made = operationSchema(api, operation);
      const ref = operation.id ?? `${operation.method.toUpperCase()} ${operation.path}`;
      return formOf(made.schema, made.title, {
        kind: "openapi_operation",
        ref,
        server: api.title,
        protected: made.isProtected,
        request: made.request,
      });
    },
  }));
  const hooks = api.webhooks.flatMap((operation) => {
    const [name = ""] = webhookNames(operation);
    const made = openapiWebhook(api, name);
    return made === null
      ? []
      : [
          {
            id: `webhook ${name}`,
            title: made.title,
            sub: `webhook ${name}`,
            make: () => formOf(made.schema, made.title, { kind: "webhook", ref: name }),
          },
        ];
  });
  const size = operations.length;
  const server = URL.parse(textAt(objectsAt(document, "servers")[0], "url"));
  const found: ConnectionCandidate = {
    name: suggestName(api.title),
    title: api.title,
    about: `API with ${size === 1 ? "1 operation" : `${size} operations`}`,
    body: { kind: "openapi", title: api.title.slice(0, 200), document: text },
    ...(suggested !== null && { suggested: { ...suggested, hosts: server === null ? [] : [server.host] } }),
  };
  return { kind: "openapi", title: api.title, items: [...operations, ...hooks], connections: [found] };
}

function asyncapi(document: Record<string, unknown>): PastedSource {
  const named = [
    ...Object.keys(objectAt(document, "components", "messages")),
    ...Object.values(objectAt(document, "channels")).flatMap((channel) =>
      Object.keys(objectAt(channel, "messages")),
    ),
  ];
  const items = [...new Set(named)].flatMap((name) => {
    try {
      const event = asyncapiEvent(document, name);
      return [
        {
          id: name,
          title: event.title,
          sub: name,
          make: () => formOf(event.schema, event.title, { kind: "webhook", ref: name }),
        },
      ];
    } catch {
      return [];
    }
  });
  return { kind: "asyncapi", title: textAt(document, ["info", "title"], "AsyncAPI"), items };
}

function toolsIn(document: unknown): readonly JsonRecord[] {
  const lists = [at(document, "tools"), at(document, "result", "tools"), document];
  for (const list of lists) {
    const tools = objectsAt({ list }, "list").filter(
      (tool) => typeof tool["name"] === "string" && isObject(at(tool, "inputSchema")),
    );
    if (tools.length > 0) return tools;
  }
  return [];
}

function toolList(tools: readonly JsonRecord[]): PastedSource {
  return {
    kind: "tools",
    title: "MCP tools",
    items: tools.map((tool) => {
      const name = textAt(tool, "name");
      const title = textAt(tool, "title", textAt(tool, ["annotations", "title"], name));
      return {
        id: name,
        title,
        sub: textAt(tool, "description", name),
        make: () => formOf(at(tool, "inputSchema"), title, { kind: "mcp_tool", ref: name, server: "yours" }),
      };
    }),
  };
}

function formOf(schema: unknown, title: string, source: FormSource): FormDocument {
  const identity = isJson(schema) ? formIdentity(schema, source, title) : title;
  const form = compileGiven({
    schema,
    formId: `own:${JSON.stringify(identity).length}:${title}`,
    title,
    source,
    large: true,
  });
  const exampleValue = sampleValue(form);
  return exampleValue === undefined ? form : { ...form, exampleValue };
}
