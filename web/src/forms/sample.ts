import type { FormDocument, FormValue } from "#forms/index.ts";
import { sampleValue } from "#forms/sample.ts";

/** An example made from the schema. Loaded when one is asked for, not with the page. */
export function sampleOf(form: FormDocument): FormValue | undefined {
  return sampleValue(form);
}
