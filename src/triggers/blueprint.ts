import type { Services } from "../ports/services.ts";
import { examplesContext } from "../workflows/examples.ts";
import { publishWorkflow } from "../workflows/library.ts";
import { instantiate } from "../workflows/template-library.ts";
import { sheetsToDocs } from "../workflows/templates/content.ts";
import { createTrigger } from "./triggers.ts";

/** The blueprint of the demo suite as a workflow with its schedule, where it is missing: for a service started with the suite. */
export async function ensureBlueprint(services: Services): Promise<void> {
  const context = examplesContext(services);
  const { id: templateId, triggers = [] } = sheetsToDocs;
  const own = { visibleTo: "public", ownedBy: context.caller.id } as const;
  const { items } = await services.store.read.workflows.list({ limit: 100 }, own);
  if (items.some(({ tags }) => tags.includes(`template:${templateId}`))) return;
  const { id } = await instantiate(templateId, {}, context);
  await publishWorkflow(id, context, false);
  for (const trigger of triggers)
    await createTrigger(services, { workflowId: id, ...trigger }, context.caller);
}
