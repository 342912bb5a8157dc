import { Type } from "typebox";
import { NotDone } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject, textOr } from "../kernel/json.ts";
import { isSecretName } from "../kernel/secrets.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { runHasEnded } from "../model/states.ts";
import type { CallContext } from "../ports/definitions.ts";
import { defineTool } from "../ports/operations.ts";
import { runView } from "../runs/views.ts";
import { pick } from "./answers.ts";
import { described, unknown } from "./describe.ts";
import {
  approvalLink,
  calledAnswer,
  formLink,
  MAX_WAIT_SECONDS,
  onSuccess,
  OPEN,
  orAPerson,
  WANTED,
  withMeta,
} from "./parts.ts";
import { endedAnswer, read } from "./records.ts";

/** Calls any tool. */
export const call = defineTool({
  ...OPEN,
  name: "call",
  task: "own",
  title: "Call a tool",
  description:
    "Call any tool that find shows. Arguments are checked first; every problem names its fix. A call that needs a person's approval answers with an approval and a link; it runs once after the decision: follow it with get.",
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  examples: [{ name: "get_health", arguments: {} }],
  input: inputOf({
    name: Type.String({ maxLength: 300, description: "e.g. get_health or shop:createOrder" }),
    arguments: Type.Optional(
      freeObject("Each tool has its own.", "As describe shows them; {} when left out"),
    ),
    ask: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 20,
        description: "Arguments that the person fills in, e.g. query.customer",
      }),
    ),
    idempotencyKey: Type.Optional(
      Type.String({ maxLength: 200, description: "Repeat safely with the same key" }),
    ),
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WAIT_SECONDS,
        description: "For slow tools: a durable run; after this time get follows it",
      }),
    ),
    ...WANTED,
  }),
  async run({ name, arguments: given = {}, ask = [], idempotencyKey, waitSeconds, ...wanted }, { context }) {
    const { catalog, connections } = context.services;
    if (catalog.tool(name) === undefined && !name.includes(":")) throw await unknown(name, context);
    const args = ask.length === 0 ? given : await filledIn(name, given, ask, context);
    if (args instanceof NotDone) return args;
    const effect = catalog.tool(name)?.effect ?? connections.head(name)?.effect;
    const repeatable = effect === "none" || effect === "read";
    const durable = waitSeconds !== undefined && effect !== undefined && effect !== "destructive";
    const inner = withMeta(context, {
      "svc/idempotencyKey": idempotencyKey,
      ...(durable && { "svc/durable": true }),
    });
    const isDecision = name === "approve_step" || name === "reject_step";
    const link = isDecision
      ? approvalLink(textOr(args["id"], ""), context.services)
      : formLink(name, context);
    const envelope = await orAPerson(link, () => catalog.call(name, args, inner));
    if (durable && envelope.ok) return followed(envelope.data, waitSeconds, context);
    // What cannot be read again is given whole.
    const detail = wanted.detail ?? (repeatable ? "summary" : "full");
    return onSuccess(envelope, (data) => calledAnswer(data, { ...wanted, detail }));
  },
});

/** The end of a run that makes one call, or the run when it takes longer. */
async function followed(
  { run = null }: JsonObject,
  seconds: number,
  context: CallContext,
): Promise<JsonObject | NotDone> {
  const id = isJsonObject(run) ? textOr(run["id"], "") : "";
  const { services, caller } = context;
  await services.engine.waitFor(id, seconds * 1_000);
  const now = await runView(services, id, caller);
  if (!runHasEnded(now.status)) return read("run", id, {}, context);
  const { ok, data } = await endedAnswer(now, context);
  return ok ? data : new NotDone(data);
}

/** The arguments with those that the person fills in; a secret is never asked for this way. */
async function filledIn(
  name: string,
  args: JsonObject,
  ask: readonly string[],
  context: CallContext,
): Promise<JsonObject | NotDone> {
  const { inputSchema = null } = await described(name, false, context);
  const properties = Object.fromEntries(ask.map((member) => [member, fieldAt(inputSchema, member)] as const));
  const wrong = ask.filter((member) => !isPlainField(properties[member] ?? null, member));
  const link = formLink(name, context);
  if (wrong.length > 0)
    throw new AppError("invalid_input", `The client cannot ask for ${wrong.join(", ")}.`, {
      problems: wrong.map((member) => ({
        pointer: "/ask",
        message: `"${member}" is not a text, number, boolean or choice of ${name}, or it is secret.`,
        fix: `Ask the person to fill in the form: ${link}`,
      })),
    });
  if (context.client?.modes.has("form") !== true)
    return new NotDone({
      status: "not_asked",
      reason: "This client cannot ask its person for values.",
      link,
      nextAction: `Ask the person for ${ask.join(", ")}, or to fill in the form: ${link}`,
    });
  const params = {
    message: `${name} needs values from you.`,
    requestedSchema: { type: "object", properties, required: [...ask] },
  };
  const answers = await context.client.ask({ arguments: { method: "elicitation/create", params } });
  const answer = answers["arguments"] ?? null;
  const content = isJsonObject(answer) && answer["action"] === "accept" ? (answer["content"] ?? null) : null;
  if (!isJsonObject(content))
    return new NotDone({ status: "declined", reason: "The person gave no values. Nothing was called." });
  return Object.entries(pick(content, ask)).reduce(
    (filled, [member, value]) => placed(filled, member.split("."), value ?? null),
    args,
  );
}

/** The schema of an argument; "query.customer" is a member of a member. */
function fieldAt(schema: Json, member: string): Json {
  return member.split(".").reduce<Json>((at, part) => {
    const properties = isJsonObject(at) ? (at["properties"] ?? null) : null;
    return isJsonObject(properties) && Object.hasOwn(properties, part) ? (properties[part] ?? null) : null;
  }, schema);
}

function placed(into: JsonObject, [first = "", ...rest]: readonly string[], value: Json): JsonObject {
  const inner = into[first] ?? null;
  return {
    ...into,
    [first]: rest.length === 0 ? value : placed(isJsonObject(inner) ? inner : {}, rest, value),
  };
}

/** What a form of an MCP client can ask for. */
function isPlainField(schema: Json, name: string): boolean {
  if (!isJsonObject(schema) || isSecretName(name.split(".").at(-1) ?? "")) return false;
  const isWritten = schema["format"] !== "password" && schema["writeOnly"] !== true;
  return isWritten && ["string", "number", "integer", "boolean"].includes(textOr(schema["type"], ""));
}
