import {
  compileForm,
  portabilityNotes,
  PUBLIC_BOUNDS,
  TRUSTED_BOUNDS,
  type Bounds,
  type FormDocument,
  type FormSource,
} from "@workflow-ui/forms";
import { uiHints } from "@workflow-ui/forms/hints";

/** A schema that a person gave, and what its form is called. */
export interface GivenSchema {
  readonly schema: unknown;
  readonly formId: string;
  readonly title: string;
  readonly source?: FormSource;
  /** A document that the person or an operator chose: larger than what anybody may send. */
  readonly large?: boolean;
  /** With remarks on what other programs make of the schema. */
  readonly portability?: boolean;
}

/** What is compiled in the page itself: at most some tens of milliseconds, whatever the schema. */
const PAGE_BOUNDS: Bounds = { ...PUBLIC_BOUNDS, size: 16_384, nodes: 1_000, steps: 500, fields: 500 };
/** What is compiled in the worker. The page still has to take over the form, so its parts are bounded as well. */
const LARGE_BOUNDS: Bounds = { ...TRUSTED_BOUNDS, size: 4_194_304, fields: 10_000 };

function compiled({ schema, formId, title, source, portability }: GivenSchema, bounds: Bounds) {
  return compileForm(schema, {
    formId,
    title,
    bounds,
    hints: uiHints,
    ...(source !== undefined && { source }),
    ...(portability === true && { notes: portabilityNotes }),
  });
}

/** The form of a small schema; null when it is too large for the page, or is refused. */
export function compileSmall(given: GivenSchema): FormDocument | null {
  const { form, isCut } = compiled(given, PAGE_BOUNDS);
  return form === undefined || isCut ? null : form;
}

/** The form of a schema. Throws with the reason when it is refused. */
export function compileGiven(given: GivenSchema): FormDocument {
  const { form, refusal } = compiled(given, given.large === true ? LARGE_BOUNDS : PUBLIC_BOUNDS);
  if (form === undefined) throw new Error(refusal.message);
  return form;
}
