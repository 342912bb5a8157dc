import process from "node:process";
import type { Envelope } from "../../kernel/envelope.ts";
import { isJson, type Json, type JsonObject } from "../../kernel/json.ts";
import { nearestNames } from "../../kernel/nearest.ts";
import { jsonBlock, object } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure, failureOfEnvelope } from "../failure.ts";
import { fillSchema } from "../form/fill-schema.ts";
import { jsonOption } from "../input.ts";
import type { Result } from "../output.ts";
import { canAsk, Prompter } from "../prompt.ts";
import { safeText } from "../terminal-text.ts";

/** Calling a connected tool. */
export const handlers: Handlers = { call };

async function call(cli: Cli): Promise<Result> {
  const { given } = cli;
  const id = given.argument("tool");
  const cut = id.indexOf(":");
  if (cut < 1) {
    throw new Failure("usage", `"${id.slice(0, 60)}" is not the name of a connected tool.`, {
      next: "Write connection:name; suitectl connections tools lists them.",
    });
  }
  const connection = `/api/svc/connections/${encodeURIComponent(id.slice(0, cut))}`;
  const name = encodeURIComponent(id.slice(cut + 1));
  const whole = given.option("args");
  let args: JsonObject = whole === undefined ? {} : await jsonOption(whole, "--args");
  if (given.fields.length > 0) {
    const { data } = await cli.client().get(`${connection}/definitions/${name}`);
    const fields = fieldsOf(object(object(data["definition"])["inputSchema"]));
    for (const [field, value] of given.fields) args = withField(args, field, value, fields, id);
  }
  const key = given.option("idempotency-key");
  const path = `${connection}/call/${name}`;
  const isAsked = canAsk() && !given.flag("preview");
  const body = {
    arguments: args,
    ...(given.flag("preview") && { preview: true }),
    ...(key !== undefined && { idempotencyKey: key }),
  };
  const envelope = isAsked ? await conversation(cli, path, body) : await cli.client().post(path, body);
  return { envelope, ids: [], view: [jsonBlock(envelope.data)] };
}

/** A call whose server may ask the person at this terminal before it goes on. */
async function conversation(cli: Cli, path: string, body: JsonObject): Promise<Envelope> {
  const client = cli.client();
  let envelope = await client.answer(path, { ...body, elicitation: true });
  while (object(envelope.data["error"])["code"] === "input_required") {
    const { requestState = null, inputRequests } = envelope.data;
    const inputResponses: Record<string, JsonObject> = {};
    for (const [id, request] of Object.entries(object(inputRequests)))
      inputResponses[id] = await answerTo(cli, object(object(request)["params"]));
    envelope = await client.answer(path, { ...body, requestState, inputResponses });
  }
  if (!envelope.ok) throw failureOfEnvelope(envelope);
  return envelope;
}

async function answerTo(cli: Cli, params: JsonObject): Promise<JsonObject> {
  const { message, url } = params;
  process.stderr.write(`${typeof message === "string" ? safeText(message) : "The server asks:"}\n`);
  const prompter = new Prompter();
  let agreed: boolean;
  try {
    const isUrl = params["mode"] === "url";
    if (isUrl && typeof url === "string") process.stderr.write(`Open ${safeText(url)}\n`);
    agreed = await prompter.confirm(isUrl ? "Opened, go on?" : "Answer it?");
  } finally {
    prompter.close();
  }
  if (!agreed) return { action: "decline" };
  if (params["mode"] === "url") return { action: "accept" };
  return { action: "accept", content: await fillSchema(cli, object(params["requestedSchema"]), "Answer") };
}

/** A field of a definition. */
interface Field {
  readonly path: readonly string[];
  readonly type: Json | undefined;
  readonly required: boolean;
  readonly description: string;
}

/** Every field of a schema by its dotted path. */
export function fieldsOf(schema: JsonObject, path: readonly string[] = [], depth = 0): readonly Field[] {
  const properties = Object.entries(object(schema["properties"]));
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  if (depth > 6) return [];
  return properties.flatMap(([name, property]) => {
    const at = [...path, name];
    const { type, description } = object(property);
    const field = {
      path: at,
      type,
      required: needed.includes(name),
      description: typeof description === "string" ? description.slice(0, 200) : "",
    };
    return [field, ...fieldsOf(object(property), at, depth + 1)];
  });
}

/** The arguments with one more field, found by its whole path or by its own name where only one has it. */
function withField(
  args: JsonObject,
  field: string,
  value: string,
  fields: readonly Field[],
  id: string,
): JsonObject {
  const exact = fields.find(({ path }) => path.join(".") === field);
  const named = fields.filter(({ path }) => path.at(-1) === field);
  const found = exact ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined) {
    const names = fields.map(({ path }) => path.join("."));
    const near = named.length > 1 ? named.map(({ path }) => path.join(".")) : nearestNames(field, names);
    throw new Failure(
      "usage",
      `${id} has ${named.length > 1 ? "several fields" : "no field"} "${field.slice(0, 60)}".`,
      {
        next:
          near.length > 0
            ? `Write --${near.join(" or --")}.`
            : `It takes ${names.slice(0, 20).join(", ") || "none"}.`,
      },
    );
  }
  return placed(args, found.path, read(value, found.type, field));
}

function placed(target: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first = "", ...rest] = path;
  return { ...target, [first]: rest.length === 0 ? value : placed(object(target[first]), rest, value) };
}

function read(value: string, type: unknown, field: string): Json {
  if (type === "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    if (isJson(parsed)) return parsed;
  } catch {
    if (type === undefined || (Array.isArray(type) && type.includes("string"))) return value;
  }
  if (type === "array") return value.split(",");
  throw new Failure("usage", `The value of --${field} is not JSON.`, {
    next: 'Write numbers, true, [1, 2] or {"a": 1}.',
  });
}
