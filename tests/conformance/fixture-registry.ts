import { Type } from "typebox";
import { AppError } from "../../src/kernel/errors.ts";
import type { Registry } from "../../src/ports/services.ts";
import type { Prompt, Resource } from "../../src/ports/definitions.ts";
import { defineTool, type Tool } from "../../src/ports/operations.ts";
import { inputOf } from "../../src/model/common.ts";
import { approvalsTools } from "../../src/tools/approvals.ts";
import { jsonObject } from "../../src/tools/shapes.ts";
import { promptAnswer, waitingFixtures } from "./waiting-fixtures.ts";

/*
 * The tools, resources and prompts that the official conformance suite asks a server to have. They are served by the
 * same stack as the real ones.
 */

const shared = {
  title: "Conformance fixture",
  output: jsonObject(),
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
} as const;

const simpleText = defineTool({
  ...shared,
  name: "test_simple_text",
  description: "Returns a simple text for the conformance suite.",
  input: inputOf({}),
  run: () => ({ text: "This is a simple text response for testing." }),
});

const errorHandling = defineTool({
  ...shared,
  name: "test_error_handling",
  description: "Always fails, for the conformance suite.",
  input: inputOf({}),
  run: () => {
    throw new AppError("conflict", "This tool intentionally returns an error for testing");
  },
});

/** The suite calls these to see that nothing but the answer comes back: no log lines, no requests of the server's own. */
const quiet = ["test_logging_tool", "test_streaming_elicitation"].map((name) =>
  defineTool({
    ...shared,
    name,
    description: "Answers plainly, for the conformance suite.",
    input: inputOf({}),
    run: () => ({}),
  }),
);

const address = {
  $anchor: "addressDef",
  type: "object",
  properties: { street: { type: "string" }, city: { type: "string" } },
};

const jsonSchema = defineTool({
  ...shared,
  name: "json_schema_2020_12_tool",
  description: "Tool with JSON Schema 2020-12 features",
  input: Type.Object(
    {
      name: Type.Optional(Type.String()),
      address: Type.Optional(Type.Unsafe<object>({ $ref: "#/$defs/address" })),
      contactMethod: Type.Optional(Type.Unsafe<string>({ type: "string", enum: ["phone", "email"] })),
      phone: Type.Optional(Type.String()),
      email: Type.Optional(Type.String()),
    },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { address },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  ),
  run: () => ({}),
});

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
const audio = {
  type: "audio",
  data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=",
  mimeType: "audio/wav",
};
const resource = {
  type: "resource",
  resource: {
    uri: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource.",
  },
};

const blocks = Object.entries({
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [resource],
  test_multiple_content_types: [image, resource],
}).map(([name, parts]) =>
  defineTool({
    ...shared,
    name,
    description: "Answers with content blocks, for the conformance suite.",
    input: inputOf({}),
    run: () => ({ text: "Multiple content types test:", blocks: parts }),
  }),
);

const progress = defineTool({
  ...shared,
  name: "test_tool_with_progress",
  description: "Reports its progress, for the conformance suite.",
  input: inputOf({}),
  async run(_, { context }) {
    for (const done of [0, 50, 100]) {
      context.onProgress?.({ progress: done, total: 100 });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { text: "done" };
  },
});

const mirrored = defineTool({
  ...shared,
  name: "test_mirrored_argument",
  description: "Has an argument that clients repeat in a header, for the conformance suite.",
  input: inputOf({ region: Type.String({ "x-mcp-header": "Region" }) }),
  run: ({ region }) => ({ text: region }),
});

const tools: readonly Tool[] = [
  simpleText,
  mirrored,
  errorHandling,
  ...quiet,
  jsonSchema,
  ...blocks,
  progress,
  ...waitingFixtures,
  // What clients answer is a decision, and the guard decides about it as about these.
  ...approvalsTools.filter(({ decidesApprovals }) => decidesApprovals === true),
];

const resources: readonly Resource[] = [
  {
    uri: "test://static-text",
    name: "static-text",
    title: "Static text",
    description: "A static document for the conformance suite.",
    read: () => ({ text: "This is the content of the static text resource." }),
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    title: "Static bytes",
    description: "An image for the conformance suite.",
    mimeType: "image/png",
    read: () => ({ blob: PIXEL }),
  },
  {
    uri: "test://template/{id}/data",
    name: "template-data",
    title: "Template",
    description: "A templated document for the conformance suite.",
    read: (_, id) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  },
];

const prompts: readonly Prompt[] = [
  {
    name: "test_prompt_with_image",
    title: "Prompt with an image",
    description: "A prompt with an image.",
    arguments: [],
    messages: () => [
      { role: "user", content: image },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  },
  {
    name: "test_input_required_result_prompt",
    title: "Prompt that asks",
    description: "A prompt that asks the client for its context.",
    arguments: [],
    messages: async (_, context) => [
      { role: "user", content: { type: "text", text: await promptAnswer(context) } },
    ],
  },
  {
    name: "test_simple_prompt",
    title: "Simple prompt",
    description: "A prompt without arguments.",
    arguments: [],
    messages: () => [
      { role: "user", content: { type: "text", text: "This is a simple prompt for testing." } },
    ],
  },
  {
    name: "test_prompt_with_arguments",
    title: "Prompt with arguments",
    description: "A prompt with two arguments.",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    messages: ({ arg1 = "", arg2 = "" }) => [
      {
        role: "user",
        content: { type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
      },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    title: "Prompt with a resource",
    description: "A prompt that embeds a resource.",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    messages: ({ resourceUri = "" }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ],
  },
];

/** What the conformance suite asks for. */
export const fixtureRegistry: Registry = { tools, resources, prompts };
