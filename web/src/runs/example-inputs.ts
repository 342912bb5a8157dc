import type { FormValue } from "#forms/index.ts";

/** Inputs to try a workflow with, by its id: what a template brought along. Kept while the page lives. */
export const exampleInputs = new Map<string, FormValue>();
