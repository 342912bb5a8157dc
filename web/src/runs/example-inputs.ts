import type { FormValue } from "@workflow-ui/forms";

/** Inputs to try a workflow with, by its id: what a template brought along. Kept while the page lives. */
export const exampleInputs = new Map<string, FormValue>();
