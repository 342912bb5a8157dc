/* @workflow-ui/forms-react/languages/de: the form's own texts in this language; loaded only where it is imported. */
export { de } from "../../../web/src/forms/languages/de.ts";
