import type { Resource } from "../ports/definitions.ts";
import { STUDIO_TEMPLATES } from "../studio/templates.ts";

/** The resources of this domain. */
export const studioResources: readonly Resource[] = [
  {
    uri: "svc://studio",
    name: "studio",
    title: "Design service",
    description: "What was really observed of the design service, and what previews fall back to without it.",
    read: ({ services }) => {
      const { name, configured, state, lastSuccessAt, lastFailureAt, lastFailure } =
        services.siblings.status("studio");
      return {
        sibling: { name, configured, state, lastSuccessAt, lastFailureAt, lastFailure },
        fallback: {
          policy:
            "Without a confirmed answer of the design service, previews come from built-in templates and are labelled fallback. Imports are never made up.",
          templates: STUDIO_TEMPLATES.map((template) => template.id),
        },
      };
    },
  },
  {
    uri: "svc://studio/templates",
    name: "studio-templates",
    title: "Design templates",
    description:
      "The deterministic design templates: screens, what a person fills in, and the workflow behind each.",
    read: () => ({
      deterministic: true,
      templates: STUDIO_TEMPLATES.map(({ id, title, description, keywords, sections, inputs, nodes }) => ({
        id,
        title,
        description,
        keywords,
        sections,
        inputs,
        steps: nodes.length,
      })),
    }),
  },
];
