import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { AppError } from "../../src/kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/kernel/json.ts";
import { inputOf } from "../../src/model/common.ts";
import type { CallContext } from "../../src/ports/definitions.ts";
import { defineTool, type Tool } from "../../src/ports/operations.ts";
import { startCall } from "../../src/runs/tasks.ts";
import { runView } from "../../src/runs/views.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { createWorkflow } from "../../src/workflows/library.ts";

/* The fixtures of the official suite that ask their client, take long or wait for input. */

const shared = {
  title: "Conformance fixture",
  description: "Asks its client or takes its time, for the conformance suite.",
  output: jsonObject(),
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
} as const;

function form(message: string, properties: JsonObject): JsonObject {
  const requestedSchema = { type: "object", properties, required: Object.keys(properties) };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

function sampling(text: string): JsonObject {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 100 } };
}

const ROOTS: JsonObject = { method: "roots/list", params: {} };
const NAME = form("What is your name?", { name: { type: "string" } });

async function askClient(
  { client }: CallContext,
  requests: Readonly<Record<string, JsonObject>>,
): Promise<JsonObject> {
  if (client !== undefined) return client.ask(requests);
  throw new AppError("missing_capability", "The client cannot be asked.", {
    details: { requiredCapabilities: { sampling: {} } },
  });
}

/** A tool that asks once and answers with what it got. */
function asking(name: string, requests: Readonly<Record<string, JsonObject>>, end = ""): Tool {
  return defineTool({
    ...shared,
    name,
    input: Type.Object({}, { additionalProperties: true }),
    run: async (_, { context }) => ({ text: `${JSON.stringify(await askClient(context, requests))}${end}` }),
  });
}

const multiRound = defineTool({
  ...shared,
  name: "test_input_required_result_multi_round",
  input: inputOf({}),
  async run(_, { context }) {
    await askClient(context, { step1: form("Step 1: What is your name?", { name: { type: "string" } }) });
    const answers = await askClient(context, {
      step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }),
    });
    return { text: JSON.stringify(answers) };
  },
});

const capabilities = defineTool({
  ...shared,
  name: "test_input_required_result_capabilities",
  input: inputOf({}),
  async run(_, { context }) {
    const declared = context.meta["io.modelcontextprotocol/clientCapabilities"] ?? null;
    const requests = {
      ...(isJsonObject(declared) && declared["elicitation"] !== undefined && { name: NAME }),
      ...(isJsonObject(declared) && declared["sampling"] !== undefined && { poem: sampling("A poem") }),
    };
    return { text: JSON.stringify(await askClient(context, requests)) };
  },
});

const name = Type.Optional(Type.String());
const greet = defineTool({
  ...shared,
  name: "greet",
  input: inputOf({ name }),
  run: ({ name: whom = "you" }) => ({ text: `Hello, ${whom}!` }),
});

const slow = defineTool({
  ...shared,
  name: "slow_compute",
  task: "optional",
  input: inputOf({ seconds: Type.Optional(Type.Number()), label: Type.Optional(Type.String()) }),
  async run({ seconds = 1, label = "" }, { context }) {
    await sleep(seconds * 1_000, undefined, { signal: context.signal });
    return { text: `Computed ${label}` };
  },
});

const failing = defineTool({
  ...shared,
  name: "failing_job",
  task: "required",
  input: inputOf({}),
  run: () => {
    throw new AppError("conflict", "This job always fails.");
  },
});

const broken = defineTool({
  ...shared,
  name: "protocol_error_job",
  task: "optional",
  input: inputOf({}),
  run: () => {
    throw new Error("broken on purpose");
  },
});

const withTask = defineTool({
  ...shared,
  name: "test_tool_with_task",
  task: "own",
  input: inputOf({}),
  async run(_, { context }) {
    const { user_name: answer = null } = await askClient(context, { user_name: NAME });
    const content = isJsonObject(answer) ? (answer["content"] ?? null) : null;
    const { name: given } = isJsonObject(content) ? content : {};
    const whom = typeof given === "string" ? given : "";
    const { id } = await startCall("greet", { name: whom }, context);
    return started(id, context);
  },
});

/** A run that waits for as many answers as there are names. */
function confirming(toolName: string, questions: readonly string[]): Tool {
  return defineTool({
    ...shared,
    name: toolName,
    task: "own",
    input: inputOf({ filename: Type.Optional(Type.String()) }),
    async run(_, { context }) {
      const nodes: Json[] = questions.map((id) => ({
        id,
        type: "approval",
        approval: {
          title: `Confirm ${id}`,
          form: { type: "object", properties: { confirm: { type: "boolean" } } },
        },
      }));
      const document = { nodes, edges: [], outputs: { result: { ok: true, data: { text: "confirmed" } } } };
      const workflow = await createWorkflow({ name: toolName, tags: ["call"], document }, context);
      const { caller, services, trace } = context;
      const run = await services.engine.start({
        workflowId: workflow.id,
        version: "draft",
        inputs: {},
        caller,
        trace,
      });
      return started(run.id, context);
    },
  });
}

async function started(id: string, { services, caller }: CallContext): Promise<JsonObject> {
  return { run: JSON.parse(JSON.stringify(await runView(services, id, caller))) };
}

const enumNames = ["Option One", "Option Two", "Option Three"];
const titled = ["value1", "value2", "value3"].map((value, index) => ({
  const: value,
  title: enumNames[index] ?? "",
}));
const options = ["option1", "option2", "option3"];

/** Fixtures of the suite that ask, take long, or wait. */
export const waitingFixtures: readonly Tool[] = [
  asking("test_input_required_result_elicitation", { user_name: NAME }),
  asking("test_input_required_result_sampling", {
    capital_question: sampling("What is the capital of France?"),
  }),
  asking("test_input_required_result_list_roots", { client_roots: ROOTS }),
  asking(
    "test_input_required_result_request_state",
    { confirm: form("Please confirm", { ok: { type: "boolean" } }) },
    " state-ok",
  ),
  asking("test_input_required_result_tampered_state", {
    confirm: form("Please confirm", { ok: { type: "boolean" } }),
  }),
  asking("test_input_required_result_multiple_inputs", {
    user_name: NAME,
    greeting: sampling("Generate a greeting"),
    client_roots: ROOTS,
  }),
  asking("test_missing_capability", { capital_question: sampling("What is the capital of France?") }),
  asking("test_elicitation", {
    answer: form("Please provide your information", {
      username: { type: "string" },
      email: { type: "string" },
    }),
  }),
  asking("test_elicitation_sep1034_defaults", {
    answer: form("Check the defaults", {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  }),
  asking("test_elicitation_sep1330_enums", {
    answer: form("Choose", {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
  }),
  multiRound,
  capabilities,
  greet,
  slow,
  failing,
  broken,
  withTask,
  confirming("confirm_delete", ["first"]),
  confirming("multi_input", ["first", "second"]),
];

/** The question of the prompt that asks. */
export async function promptAnswer(context: CallContext): Promise<string> {
  const question = form("What context should the prompt use?", { context: { type: "string" } });
  return JSON.stringify(await askClient(context, { user_context: question }));
}
