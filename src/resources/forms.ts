import type { Resource } from "../ports/definitions.ts";
import { findForm, formsStatus, listForms } from "../rendering/rendered-forms.ts";
import { readForm, renderStored } from "../rendering/render.ts";

/** The resources of this domain. */
export const formsResources: readonly Resource[] = [
  {
    uri: "svc://rendered-forms",
    name: "svc-rendered-forms",
    title: "Rendered forms",
    description: "Whether rendered forms are kept, where, and the newest of them that the caller may see.",
    read: async (context) => ({ ...formsStatus(context.services), ...(await listForms(context)) }),
  },
  {
    uri: "svc://rendered-form/{id}",
    idsFrom: { resource: "svc://rendered-forms", tool: "list_rendered_forms" },
    name: "svc-rendered-form-by-id",
    title: "One rendered form",
    description:
      "A kept form by its id, rendered again from the stored schema, when durable storage is configured.",
    read: async (context, id) => {
      const record = await findForm(id, context);
      const { createdAt, lastRenderedAt, renderCount } = record;
      return {
        form: readForm(await renderStored(record, context.services)),
        createdAt,
        lastRenderedAt,
        renderCount,
      };
    },
  },
];
