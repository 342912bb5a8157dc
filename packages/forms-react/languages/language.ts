/* @workflow-ui/forms-react/languages/language: for a language of one's own, from its phrases. */
export { createLanguage } from "../../../web/src/forms/languages/language.ts";
export type { Phrases } from "../../../web/src/forms/languages/language.ts";
