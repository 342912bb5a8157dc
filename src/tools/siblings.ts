import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const executeAsciiConversion = defineTool({
  name: "execute_ascii_conversion",
  title: "Execute ascii conversion",
  description:
    "converts a bounded image through {ascii_service}; returns ASCII text or a degraded state (description to be written by the owner of this domain)",
  params: params({
    image: Type.String(),
    resolution: Type.Optional(Type.Number()),
    charset: Type.Optional(Type.String()),
    grayscale: Type.Optional(Type.Boolean()),
    inverted: Type.Optional(Type.Boolean()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("execute_ascii_conversion"),
});

export const previewLayoutArtifact = defineTool({
  name: "preview_layout_artifact",
  title: "Preview layout artifact",
  description:
    "confirmed preview from the layout sibling (description to be written by the owner of this domain)",
  params: params({
    document: Type.Optional(jsonObject()),
    templateSlug: Type.Optional(Type.String()),
    viewport: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("preview_layout_artifact"),
});

export const scoreLayoutArtifact = defineTool({
  name: "score_layout_artifact",
  title: "Score layout artifact",
  description: "confirmed score (description to be written by the owner of this domain)",
  params: params({ document: Type.Optional(jsonObject()), templateSlug: Type.Optional(Type.String()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("score_layout_artifact"),
});

export const exportLayoutArtifact = defineTool({
  name: "export_layout_artifact",
  title: "Export layout artifact",
  description: "confirmed export packet (description to be written by the owner of this domain)",
  params: params({
    document: Type.Optional(jsonObject()),
    templateSlug: Type.Optional(Type.String()),
    format: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("export_layout_artifact"),
});

export const publishArtifact = defineTool({
  name: "publish_artifact",
  title: "Publish artifact",
  description: "degraded without target confirmation (description to be written by the owner of this domain)",
  params: params({ artifactId: Type.String(), target: Type.Optional(Type.String()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("publish_artifact"),
});

export const createDocsReport = defineTool({
  name: "create_docs_report",
  title: "Create docs report",
  description: "degraded unless Docs confirms (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("create_docs_report"),
});

export const createSheetExport = defineTool({
  name: "create_sheet_export",
  title: "Create sheet export",
  description: "degraded unless Sheets confirms (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("create_sheet_export"),
});

export const createCatalogEntry = defineTool({
  name: "create_catalog_entry",
  title: "Create catalog entry",
  description: "degraded unless Catalog confirms (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("create_catalog_entry"),
});

export const triggerSandbox = defineTool({
  name: "trigger_sandbox",
  title: "Trigger sandbox",
  description:
    "degraded unless Sandbox confirms execution (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_sandbox"),
});

export const triggerBrowsercheck = defineTool({
  name: "trigger_browsercheck",
  title: "Trigger browsercheck",
  description:
    "degraded unless the browser-check sibling confirms evidence (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_browsercheck"),
});

export const triggerEvals = defineTool({
  name: "trigger_evals",
  title: "Trigger evals",
  description:
    "degraded unless Evals confirms a scorecard (description to be written by the owner of this domain)",
  params: params({ artifact: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_evals"),
});

export const triggerEval = defineTool({
  name: "trigger_eval",
  title: "Trigger eval",
  description: "degraded when no eval adapter (description to be written by the owner of this domain)",
  params: params({ workflowId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_eval"),
});

export const triggerSandboxValidation = defineTool({
  name: "trigger_sandbox_validation",
  title: "Trigger sandbox validation",
  description: "degraded when no sandbox adapter (description to be written by the owner of this domain)",
  params: params({ workflowId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_sandbox_validation"),
});

export const triggerBrowsercheckCheck = defineTool({
  name: "trigger_browsercheck_check",
  title: "Trigger browsercheck check",
  description:
    "degraded when no browser-check adapter (description to be written by the owner of this domain)",
  params: params({ workflowId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("trigger_browsercheck_check"),
});

export const publishDocsReport = defineTool({
  name: "publish_docs_report",
  title: "Publish docs report",
  description: "degraded when no Docs adapter (description to be written by the owner of this domain)",
  params: params({ workflowId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("publish_docs_report"),
});

export const createSheetReport = defineTool({
  name: "create_sheet_report",
  title: "Create sheet report",
  description: "degraded when no Sheets adapter (description to be written by the owner of this domain)",
  params: params({ workflowId: Type.String() }),
  output: anyData,
  access: "handoff",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("create_sheet_report"),
});

/** The tools of this domain. */
export const siblingsTools: readonly Tool[] = [
  executeAsciiConversion,
  previewLayoutArtifact,
  scoreLayoutArtifact,
  exportLayoutArtifact,
  publishArtifact,
  createDocsReport,
  createSheetExport,
  createCatalogEntry,
  triggerSandbox,
  triggerBrowsercheck,
  triggerEvals,
  triggerEval,
  triggerSandboxValidation,
  triggerBrowsercheckCheck,
  publishDocsReport,
  createSheetReport,
];
