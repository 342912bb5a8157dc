import { listedFor } from "../ports/caller.ts";
import type { Resource } from "../ports/definitions.ts";
import { findWorkflow } from "../workflows/seen.ts";
import { workflowAccess } from "../workflows/visibility.ts";
import { getTemplate, listTemplates } from "../workflows/template-library.ts";
import { fullView, summaryOf } from "../workflows/views.ts";

/** The resources of this domain. */
export const workflowsResources: readonly Resource[] = [
  {
    uri: "svc://workflows",
    name: "svc-workflows",
    title: "Workflows",
    description:
      "The newest stored workflows: with a key all of them, without one those that are public and published. Documents are at svc://workflow/{id}.",
    read: async ({ services, caller }) => {
      const { items, nextCursor } = await services.store.read.workflows.list(
        { limit: 100 },
        listedFor(caller),
      );
      return {
        workflows: items.map((record) => summaryOf(record, workflowAccess(caller, record) ?? "public")),
        more: nextCursor !== null,
        storage: { kind: services.store.kind, persistent: services.store.kind !== "none" },
      };
    },
  },
  {
    uri: "svc://workflow/{id}",
    idsFrom: { resource: "svc://workflows", tool: "list_workflows" },
    name: "svc-workflow-by-id",
    title: "Workflow",
    description:
      "One workflow with its suite.workflow.v1 document: the published version, or with a key the draft as it is now.",
    read: async (context, id) => {
      const seen = await findWorkflow(id, context);
      return { workflow: fullView(seen.record, seen) };
    },
  },
  {
    uri: "svc://templates",
    name: "svc-templates",
    title: "Workflow templates",
    description:
      "Ready-made workflows that solve whole tasks, built-in ones first, with what each of them needs.",
    read: async (context) => {
      const { templates, nextCursor } = await listTemplates({ limit: 100 }, context);
      return { templates, more: nextCursor !== null };
    },
  },
  {
    uri: "svc://template/{id}",
    idsFrom: { resource: "svc://templates", tool: "list_templates" },
    name: "svc-template-by-id",
    title: "Workflow template",
    description: "One template with its whole document and inputs to try it with.",
    read: async (context, id) => ({ template: await getTemplate(id, context) }),
  },
];
