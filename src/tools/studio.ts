import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { saveArtifact } from "../artifacts/registry.ts";
import { unconfirmedAnswer } from "../handoffs/results.ts";
import { isJsonObject, isList, type JsonObject } from "../kernel/json.ts";
import { shellCommand } from "../kernel/shell.ts";
import { checkFor } from "../workflows/checking.ts";
import { composeDocument } from "../workflows/library.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import type { SiblingOutcome } from "../ports/siblings.ts";
import {
  designFrom,
  studioTemplate,
  templateForPrompt,
  templateOfDesign,
  workflowDraft,
} from "../studio/designs.ts";
import { readForm, render } from "../rendering/render.ts";
import { chooseTools, exampleFor, nodeId, type ChosenTool } from "../studio/tool-specs.ts";
import { atMost, oneOf } from "./rules.ts";
import { freeObject, inputOf, rpcCall, schemaDocument, TextOrNull, viewOf } from "../model/common.ts";
import { verdictMembers } from "../model/plans.ts";
import { jsonArray, jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

/** Services, tools and steps that specs are made of in one call. */
const MAX_CHOICES = 100;

const draft = freeObject("A draft to be changed: create_workflow takes its name, nodes and edges.");
const toolInput = freeObject("The arguments of the tool.");
const Validation = Type.Object(verdictMembers, { description: "What validate_workflow says of it." });
const ToolSpec = viewOf("ToolSpec", "A tool with an example of its input and how to call it.", {
  stepId: Type.String(),
  tool: Type.String(),
  title: Type.String(),
  description: Type.String(),
  access: Type.Enum(["public", "key"]),
  inputSchema: schemaDocument("JSON Schema of the arguments."),
  exampleInput: toolInput,
  exampleFits: Type.Boolean(),
  jsonRpc: rpcCall,
  suitectl: Type.String(),
});
type ToolSpec = Static<typeof ToolSpec>;

defineTool({
  name: "preview_studio_design",
  title: "Preview a design",
  description:
    "Previews a screen design for a request in words or for a template. When the design service is configured and confirms, the preview is its own; otherwise it is a deterministic fallback from built-in templates, labelled as such. Creates nothing anywhere.",
  input: inputOf({
    prompt: Type.Optional(Type.String({ description: "What the screen is for, in a sentence." })),
    templateId: Type.Optional(
      Type.String({
        description: "A template of svc://studio/templates; chosen from the prompt when left out.",
      }),
    ),
  }),
  output: Type.Object({
    source: Type.Enum(["studio", "fallback"]),
    status: Type.Enum(["confirmed", "degraded", "preview_ready"]),
    design: freeObject("The design service decides what a design of its own holds."),
    note: Type.String(),
    resultRef: Type.Optional(Type.String()),
    evidence: Type.Optional(freeObject("That service's own answer.")),
    matchedKeywords: Type.Optional(Type.Array(Type.String())),
  }),
  access: "public",
  effect: "none",
  openWorld: true,
  run: async ({ prompt = "", templateId }, { context }) => {
    const { template, matched } =
      templateId === undefined
        ? templateForPrompt(prompt)
        : { template: studioTemplate(templateId), matched: [] };
    const fallback = designFrom(template, prompt);
    if (context.services.siblings.status("studio").configured) {
      const outcome = await askStudio("preview", { prompt, templateId: template.id }, context);
      if (outcome.status === "confirmed") {
        const { data, resultRef } = outcome.confirmation;
        return {
          source: "studio" as const,
          status: "confirmed" as const,
          design: data,
          resultRef,
          note: "Confirmed by the design service.",
        };
      }
      return {
        source: "fallback" as const,
        status: "degraded" as const,
        design: fallback,
        note: outcome.reason,
        evidence: outcome.evidence,
      };
    }
    return {
      source: "fallback" as const,
      status: "preview_ready" as const,
      design: fallback,
      matchedKeywords: matched,
      note: "The design service is not configured; this is a deterministic preview from a built-in template.",
    };
  },
});

defineTool({
  name: "convert_studio_design_to_workflow",
  title: "Turn a design into a workflow draft",
  description:
    "Gives the workflow behind a design as a local draft: nodes, edges, inputs and outputs, with what validate_workflow says of it. Nothing is saved or run; create_workflow saves it.",
  input: inputOf({
    designId: Type.Optional(
      Type.String({
        description: "The id of a previewed design, or of a studio template; intake-form by default.",
      }),
    ),
  }),
  output: Type.Object({
    status: Type.Literal("draft"),
    persisted: Type.Literal(false),
    designId: Type.String(),
    workflow: draft,
    validation: Validation,
    nextAction: Type.String(),
  }),
  access: "public",
  effect: "none",
  run: async ({ designId = "intake-form" }, { context }) => {
    const workflow = workflowDraft(templateOfDesign(designId));
    return {
      status: "draft" as const,
      persisted: false as const,
      designId,
      workflow,
      validation: await validated(workflow, context),
      nextAction:
        "Save it with create_workflow, or look at it with plan_workflow and dry_run_workflow first.",
    };
  },
});

defineTool({
  name: "import_studio_design",
  title: "Import a design",
  description:
    "Imports a design that the design service holds and saves it here as an artifact. Only a design that it confirms is imported; without a confirmation the answer is degraded and nothing is saved.",
  input: inputOf({ designId: Type.String({ description: "The design's id at the design service." }) }),
  output: Type.Object({
    status: Type.Literal("imported"),
    artifactId: Type.String(),
    resultRef: Type.String(),
    designId: Type.String(),
  }),
  access: "handoff",
  effect: "external",
  idempotent: false,
  openWorld: true,
  asks: "studio",
  run: async ({ designId }, { context }) => {
    const outcome = await askStudio("import", { designId }, context);
    if (outcome.status === "degraded") return unconfirmedAnswer("studio", outcome, { designId });
    const { data, resultRef } = outcome.confirmation;
    const title = typeof data.title === "string" && data.title !== "" ? data.title : `Design ${designId}`;
    const { record } = await saveArtifact(
      { title, type: "design", sourceService: "studio", sourceRef: resultRef, design: data },
      context,
    );
    return { status: "imported" as const, artifactId: record.id, resultRef, designId };
  },
});

defineTool({
  name: "generate_tool_specs",
  title: "Generate tool specs",
  description:
    "For a service, a capability, a toolchain or chosen steps: the input schema of each tool, an example input that fits it, the JSON-RPC call and the suitectl command, and a draft workflow of them with its validation. Executes no tool.",
  input: inputOf({
    service: Type.Optional(
      Type.String({ description: "A service of the suite, such as docs, sandbox or svc." }),
    ),
    capability: Type.Optional(Type.String({ description: "What the tools should do, in a word or two." })),
    source_url: Type.Optional(
      Type.String({ description: "Where the work comes from; kept in the run JSON, not fetched." }),
    ),
    topic: Type.Optional(Type.String({ description: "What the work is about; used in example inputs." })),
    output_mode: Type.Optional(
      Type.String({ description: "`specs`, `run`, `workflow` or `all` (default)." }),
    ),
    selected_steps: Type.Optional(
      jsonObject("Step ids, each with true (the id is the tool), a tool's name, or {tool, arguments}."),
    ),
    services: Type.Optional(jsonArray("Several services.")),
    toolchain: Type.Optional(jsonArray("Tool names, or {tool, arguments}, in order.")),
  }),
  output: Type.Object({
    executed: Type.Literal(false),
    specs: Type.Array(ToolSpec),
    unknown: Type.Array(Type.Object({ name: Type.String(), nearest: Type.Array(Type.String()) })),
    run: Type.Optional(
      Type.Object({
        topic: Type.String(),
        sourceUrl: TextOrNull,
        status: Type.Literal("preview_ready"),
        steps: Type.Array(
          Type.Object({
            order: Type.Integer(),
            stepId: Type.String(),
            tool: Type.String(),
            access: Type.String(),
            input: toolInput,
            status: Type.Literal("preview_ready"),
            resultRef: Type.Null(),
          }),
        ),
      }),
    ),
    workflow: Type.Optional(draft),
    validation: Type.Optional(Validation),
  }),
  access: "public",
  effect: "none",
  rules: ({ output_mode, services, toolchain, selected_steps }) => [
    ...oneOf("output_mode", output_mode, ["specs", "run", "workflow", "all"]),
    ...atMost("services", services?.length ?? 0, MAX_CHOICES),
    ...atMost("toolchain", toolchain?.length ?? 0, MAX_CHOICES),
    ...atMost("selected_steps", Object.keys(selected_steps ?? {}).length, MAX_CHOICES),
  ],
  run: async (args, { context }) => {
    const { topic = "Example", source_url = null, output_mode = "all" } = args;
    const { chosen, unknown } = chooseTools(args, context.services.catalog.tools);
    const connected = await connectedSpecs(unknown, context);
    const specs = [...chosen.map((choice) => specOf(choice, topic)), ...connected.map(({ spec }) => spec)];
    const workflow = draftOf(chosen, topic, connected);
    const found = new Set(connected.map(({ name }) => name));
    const wants = (part: string): boolean => output_mode === "all" || output_mode === part;
    return {
      executed: false as const,
      specs,
      unknown: unknown.filter(({ name }) => !found.has(name)).map(({ name, nearest }) => ({ name, nearest })),
      ...(wants("run") && {
        run: {
          topic,
          sourceUrl: source_url,
          status: "preview_ready" as const,
          steps: specs.map(runStep),
        },
      }),
      ...(wants("workflow") && { workflow, validation: await validated(workflow, context) }),
    };
  },
});

function askStudio(capability: string, payload: JsonObject, context: CallContext): Promise<SiblingOutcome> {
  const { services, trace, signal, requestId } = context;
  return services.siblings.ask({
    sibling: "studio",
    capability,
    payload,
    trace,
    signal,
    idempotencyKey: requestId,
  });
}

/** What validate_workflow says of a draft. */
async function validated(workflow: JsonObject, context: CallContext): Promise<Static<typeof Validation>> {
  const { nodes = [], edges = [], inputs, outputs } = workflow;
  const given = { ...(inputs && { inputs }), ...(outputs && { outputs }) };
  const supplied = { ...(isList(nodes) && { nodes }), ...(isList(edges) && { edges }), document: given };
  const { plan: _plan, problems, ...verdict } = await checkFor(composeDocument({}, supplied), null, context);
  return { ...verdict, problems: [...problems] };
}

function specOf({ stepId, tool, given }: ChosenTool, topic: string): ToolSpec {
  const example = exampleFor(tool, given, topic);
  const schema: JsonObject = JSON.parse(JSON.stringify(tool.input));
  return {
    stepId,
    tool: tool.name,
    title: tool.title,
    description: tool.description,
    access: tool.access === "public" ? "public" : "key",
    inputSchema: schema,
    exampleInput: example,
    exampleFits: Value.Check(tool.input, example),
    jsonRpc: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool.name, arguments: example } },
    suitectl: toolCommand(tool.name, example),
  };
}

function runStep(spec: ToolSpec, index: number) {
  const { stepId, tool, access, exampleInput } = spec;
  return {
    order: index + 1,
    stepId,
    tool,
    access,
    input: exampleInput,
    status: "preview_ready" as const,
    resultRef: null,
  };
}

interface ConnectedSpec {
  readonly name: string;
  readonly spec: ToolSpec;
}

/** Specs of the `connection:name` tools among the names that are not ours. */
async function connectedSpecs(
  names: readonly { readonly name: string }[],
  context: CallContext,
): Promise<readonly ConnectedSpec[]> {
  const { services, caller } = context;
  const found: ConnectedSpec[] = [];
  for (const { name } of names) {
    const tool = name.includes(":") ? await services.connections.find(name) : null;
    if (tool === null || tool.state !== "active" || !maySee(caller, tool.connection)) continue;
    const { id, title, description, inputSchema } = tool;
    const source = { kind: "mcp_tool", ref: id, server: tool.connection } as const;
    const limit = services.settings.schemaBytes.keyed;
    const form = await render({ schema: inputSchema, source, title, trusted: false, limit }, services);
    const sample = readForm(form).exampleValue;
    const example = isJsonObject(sample) ? sample : {};
    const call = { name: "execute_mcp_tool", arguments: { name: id, arguments: example } };
    found.push({
      name,
      spec: {
        stepId: id,
        tool: id,
        title,
        description,
        access: "key",
        inputSchema,
        exampleInput: example,
        exampleFits: sample !== undefined,
        jsonRpc: { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
        suitectl: toolCommand("execute_mcp_tool", call.arguments),
      },
    });
  }
  return found;
}

/** The chosen tools one after another, as a draft nobody has saved. */
function draftOf(
  chosen: readonly ChosenTool[],
  topic: string,
  connected: readonly ConnectedSpec[],
): JsonObject {
  const steps = [
    ...chosen.map(({ stepId, tool, given }) => ({
      stepId,
      title: tool.title,
      tool: tool.name,
      with: exampleFor(tool, given, topic),
    })),
    ...connected.map(({ spec }) => ({
      stepId: "",
      title: spec.title,
      tool: spec.tool,
      with: spec.exampleInput,
    })),
  ];
  const ids = steps.map(({ stepId }, index) => nodeId(stepId, index));
  return {
    name: topic,
    nodes: steps.map(({ title, tool, with: given }, index) => ({
      id: ids[index] ?? "",
      type: "tool",
      title,
      tool,
      with: given,
    })),
    edges: ids
      .slice(1)
      .map((to, index) => ({ id: `e${index + 1}`, from: ids[index] ?? "", to, port: "success" })),
  };
}

/** The command line that calls a tool. */
function toolCommand(name: string, args: unknown): string {
  return shellCommand(["suitectl", "tools", "call", name, "--args", JSON.stringify(args)]);
}

/** The tools of this domain. */
export const studioTools: readonly Tool[] = declared;
