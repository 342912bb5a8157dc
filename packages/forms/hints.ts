/* @workflow-ui/forms/hints: reads how an author wants a form to look; load it where schemas are compiled. */
export { HINTS_KEYWORD, uiHints, withHints } from "../../src/forms/hints.ts";
export { translateForm } from "../../src/forms/translate.ts";
export type { TextPlace, Translate } from "../../src/forms/translate.ts";
