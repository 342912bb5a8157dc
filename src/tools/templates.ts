import { Type } from "typebox";
import { toolList, type Tool } from "../ports/operations.ts";
import { getTemplate as get, instantiate, listTemplates as list } from "../workflows/template-library.ts";
import { fullView } from "../workflows/views.ts";
import { whole } from "./rules.ts";
import { documentObject, freeObject, inputOf, NEXT_CURSOR } from "../model/common.ts";
import { ProposedTrigger } from "../model/triggers.ts";
import { WorkflowView } from "../model/workflows.ts";
import { pageOf } from "./shapes.ts";

const { defineTool, declared } = toolList();

const summary = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  source: Type.Enum(["built-in", "stored"]),
  needs: Type.Array(Type.String(), {
    description: "Services of the suite that must be configured for every step to do its work.",
  }),
  steps: Type.Integer({ minimum: 0 }),
};

defineTool({
  name: "list_templates",
  title: "List workflow templates",
  description:
    "Lists ready-made workflows that solve whole tasks: the built-in ones first, then stored ones. Each says what it is for and which services of the suite it needs. Use get_template to see one, instantiate_template to make a workflow of it.",
  input: inputOf({
    limit: Type.Optional(
      Type.Number({ minimum: 1, maximum: 100, description: "How many to give at most (default 50)." }),
    ),
  }),
  output: Type.Object({
    templates: Type.Array(Type.Object(summary)),
    nextCursor: NEXT_CURSOR,
  }),
  access: "public",
  effect: "none",
  rules: ({ limit }) => whole("limit", limit, 1, 100),
  run: async ({ limit }, { context }) => {
    const page = pageOf(context.meta, limit);
    const { templates, nextCursor } = await list(page, context);
    return { templates, nextCursor };
  },
});

defineTool({
  name: "get_template",
  title: "Get a workflow template",
  description:
    "Reads one template with its whole document and inputs to try it with. Validate, plan or dry-run its nodes and edges as they are, or make a workflow of it with instantiate_template. Changes nothing.",
  input: inputOf({ id: Type.String({ description: "The template's id, as list_templates shows it." }) }),
  output: Type.Object({
    template: Type.Object({
      ...summary,
      exampleInputs: freeObject("The template's own inputs.", "Inputs to try it with."),
      triggers: Type.Array(ProposedTrigger, {
        description: "What starts it by itself, as create_trigger takes it.",
      }),
      digest: Type.String(),
      nodes: WorkflowView.properties.nodes,
      edges: WorkflowView.properties.edges,
      document: documentObject,
    }),
  }),
  access: "public",
  effect: "none",
  quick: true,
  run: async ({ id }, { context }) => ({ template: await get(id, context) }),
});

defineTool({
  name: "instantiate_template",
  title: "Create a workflow from a template",
  description:
    "Stores a new private draft with everything a template holds, under a name and an owner of your choice. Nothing is published or run. Answers degraded when the service has no storage.",
  input: inputOf({
    templateId: Type.String({ description: "The template's id, as list_templates shows it." }),
    name: Type.Optional(
      Type.String({ description: "The name of the new workflow; default the template's." }),
    ),
    owner: Type.Optional(
      Type.String({ description: "Who looks after it: a person or a team, as free text." }),
    ),
  }),
  output: Type.Object({
    workflow: WorkflowView,
    templateId: Type.String(),
  }),
  access: "write",
  effect: "write",
  idempotent: false,
  keyed: true,
  run: async ({ templateId, ...given }, { context }) => {
    const record = await instantiate(templateId, given, context);
    return { workflow: fullView(record), templateId };
  },
});

/** The tools of this domain. */
export const templatesTools: readonly Tool[] = declared;
