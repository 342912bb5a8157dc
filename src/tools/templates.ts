import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const listTemplates = defineTool({
  name: "list_templates",
  title: "List templates",
  description: "public templates incl. built-in ones (description to be written by the owner of this domain)",
  params: params({ limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_templates"),
});

export const getTemplate = defineTool({
  name: "get_template",
  title: "Get template",
  description: "one template (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_template"),
});

export const instantiateTemplate = defineTool({
  name: "instantiate_template",
  title: "Instantiate template",
  description: "create server workflow from template (description to be written by the owner of this domain)",
  params: params({
    templateId: Type.String(),
    name: Type.Optional(Type.String()),
    owner: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("instantiate_template"),
});

/** The tools of this domain. */
export const templatesTools: readonly Tool[] = [listTemplates, getTemplate, instantiateTemplate];
