import process from "node:process";
import type { InputOf } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Cli } from "../command.ts";
import { fieldsOf, toolOf, withField, objectOf } from "../definition-fields.ts";
import { failureOfEnvelope } from "../failure.ts";
import { optionalJson } from "../input.ts";
import { canAsk, asking } from "../asking.ts";
import { plainResult } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";
import { safeText } from "../terminal-text.ts";

/** Calling an operation of a connection. */
export const call = group("", {
  call: {
    summary: "Call an operation of a connection.",
    about:
      "Fields are options by their names: --name value, or --body.name value where a name occurs in several groups. suitectl connections fields connection:name lists them with types. Values are read by the definition's schema. --args gives them as one JSON object; - is standard input, @FILE a file.",
    args: [argument("tool", "connection:name of the operation.", { kind: "connected" })],
    options: [
      option("--args <JSON>", "The arguments as a JSON object; - is standard input, @FILE a file.", {
        kind: "file",
      }),
      option("--preview", "Show the request and send nothing."),
      option(
        "--idempotency-key <TEXT>",
        "What makes a repeated call harmless, where the server supports it.",
      ),
    ],
    takesFields: true,
    examples: [
      example(
        "What would be sent",
        'sample:notify --args \'{"body":{"text":"Hello"}}\' --preview',
        ["connection"],
        { id: "call-preview" },
      ),
    ],
    async run(cli) {
      const { given } = cli;
      const tool = toolOf(cli);
      let args: JsonObject = (await optionalJson(cli, "args")) ?? {};
      if (given.fields.length > 0) {
        const { data } = await cli.client().run("get_definition", tool);
        const fields = fieldsOf(data.definition.inputSchema);
        for (const [field, value] of given.fields)
          args = withField(args, field, value, fields, given.argument("tool"));
      }
      const input = {
        ...tool,
        arguments: args,
        preview: given.flag("preview") || undefined,
        idempotencyKey: given.option("idempotency-key"),
      };
      const isAsked = canAsk() && !given.flag("preview");
      return plainResult(
        isAsked ? await conversation(cli, input) : await cli.client().run("call_definition", input),
      );
    },
  },
});

/** A call whose server may ask the person at this terminal before it goes on. */
async function conversation(cli: Cli, input: InputOf<"call_definition">): Promise<Envelope> {
  const client = cli.client();
  let envelope = await client.answer("call_definition", { ...input, elicitation: true });
  while (objectOf(envelope.data["error"])["code"] === "input_required") {
    const { requestState, inputRequests } = envelope.data;
    const inputResponses: Record<string, JsonObject> = {};
    for (const [id, request] of Object.entries(objectOf(inputRequests)))
      inputResponses[id] = await answerTo(cli, objectOf(objectOf(request)["params"]));
    const state = typeof requestState === "string" ? requestState : undefined;
    envelope = await client.answer("call_definition", { ...input, requestState: state, inputResponses });
  }
  if (!envelope.ok) throw failureOfEnvelope(envelope);
  return envelope;
}

async function answerTo(cli: Cli, params: JsonObject): Promise<JsonObject> {
  const { message, url } = params;
  process.stderr.write(`${typeof message === "string" ? safeText(message) : "The server asks:"}\n`);
  const isUrl = params["mode"] === "url";
  if (isUrl && typeof url === "string") process.stderr.write(`Open ${safeText(url)}\n`);
  const question = isUrl ? "Opened, go on?" : "Answer it?";
  if (!(await asking((prompter) => prompter.confirm(question)))) return { action: "decline" };
  if (isUrl) return { action: "accept" };
  const { fillSchema } = await import("../form/fill-schema.ts");
  return { action: "accept", content: await fillSchema(cli, objectOf(params["requestedSchema"]), "Answer") };
}
