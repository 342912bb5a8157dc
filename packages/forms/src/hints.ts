/* @workflow-ui/forms/hints: reads how an author wants a form to look; load it where schemas are compiled. */
export { HINTS_KEYWORD, uiHints, withHints } from "./hints/hints.ts";
export { translateForm } from "./hints/translate.ts";
export type { TextPlace, Translate } from "./hints/translate.ts";
