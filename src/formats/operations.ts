import { Type } from "typebox";
import { problemAt } from "../kernel/errors.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { ImportReport, LossView } from "../model/workflows.ts";
import { operationsWith } from "../ports/operations.ts";
import { chosen, chosenVersion } from "../workflows/operations.ts";
import { EXPORT_FORMATS } from "./format.ts";
import { importFrom } from "./import-request.ts";

const { operation, declared } = operationsWith<unknown>();

operation({
  name: "import_workflow",
  title: "Import a workflow",
  description:
    "Reads a workflow from JSON, YAML, Arazzo, Serverless Workflow, n8n, Postman, HAR or curl; with save it is stored as a draft.",
  http: "POST /api/svc/workflows/import",
  access: "mixed",
  effect: "write",
  idempotent: false,
  input: inputOf({
    text: Type.Optional(Type.String({ description: "The workflow as text, in any of the formats." })),
    document: Type.Optional(
      Type.Union([freeObject("The file's own members."), Type.Null()], {
        description: "The same as JSON, instead of text.",
      }),
    ),
    save: Type.Optional(Type.Boolean({ description: "Store it as a draft; needs the scope write." })),
    name: Type.Optional(Type.String({ description: "Its name; the one in the file when left out." })),
  }),
  output: ImportReport,
  examples: [{ text: "curl https://example.com/orders", save: false }],
  rules: ({ text, document }) =>
    text === undefined && (document ?? null) === null
      ? [problemAt("text", "the workflow as text, or as JSON in document")]
      : [],
  run: (input, { context }) => importFrom(input, context),
});

operation({
  name: "export_workflow_as",
  title: "Export a workflow",
  description:
    "One workflow as json, yaml, arazzo, serverless or mermaid text, with everything that got lost named.",
  http: "GET /api/svc/workflows/{id}/export",
  access: "mixed",
  input: inputOf({
    id: Type.String({ description: "The id of the workflow." }),
    format: Type.Optional(
      Type.Enum([...EXPORT_FORMATS], {
        description: "The format; json when left out. Mermaid is a picture.",
      }),
    ),
    version: chosenVersion,
  }),
  output: Type.Object({
    format: Type.Enum([...EXPORT_FORMATS]),
    mediaType: Type.String(),
    fileName: Type.String(),
    text: Type.String(),
    losses: Type.Array(LossView),
  }),
  async run({ id: workflowId, format = "json", version: asked }, { context }) {
    const { record, document } = await chosen(workflowId, asked, context);
    const { name, description, tags, publishedVersion: version } = record;
    const { baseUrl } = context.services.settings;
    const { exportWorkflow } = await import("./index.ts");
    return exportWorkflow({ name, description, tags, version, document }, format, baseUrl);
  },
});

/** Workflows in the formats of others, both ways. */
export const formatOperations = declared;
