import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonArray, jsonObject, params, unavailable } from "./shapes.ts";

export const previewStudioDesign = defineTool({
  name: "preview_studio_design",
  title: "Preview studio design",
  description:
    "deterministic preview or degraded state (description to be written by the owner of this domain)",
  params: params({ prompt: Type.Optional(Type.String()), templateId: Type.Optional(Type.String()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("preview_studio_design"),
});

export const convertStudioDesignToWorkflow = defineTool({
  name: "convert_studio_design_to_workflow",
  title: "Convert studio design to workflow",
  description: "local workflow draft plan (description to be written by the owner of this domain)",
  params: params({ designId: Type.Optional(Type.String()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("convert_studio_design_to_workflow"),
});

export const importStudioDesign = defineTool({
  name: "import_studio_design",
  title: "Import studio design",
  description:
    "no import faked without a confirmed artifact (description to be written by the owner of this domain)",
  params: params({ designId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("import_studio_design"),
});

export const generateToolSpecs = defineTool({
  name: "generate_tool_specs",
  title: "Generate tool specs",
  description:
    "public-safe input specs and enriched run JSON; executes no target tool (description to be written by the owner of this domain)",
  params: params({
    service: Type.Optional(Type.String()),
    capability: Type.Optional(Type.String()),
    source_url: Type.Optional(Type.String()),
    topic: Type.Optional(Type.String()),
    output_mode: Type.Optional(Type.String()),
    selected_steps: Type.Optional(jsonObject()),
    services: Type.Optional(jsonArray()),
    toolchain: Type.Optional(jsonArray()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("generate_tool_specs"),
});

/** The tools of this domain. */
export const studioTools: readonly Tool[] = [
  previewStudioDesign,
  convertStudioDesignToWorkflow,
  importStudioDesign,
  generateToolSpecs,
];
