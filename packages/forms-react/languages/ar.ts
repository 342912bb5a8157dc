/* @workflow-ui/forms-react/languages/ar: the form's own texts in this language; loaded only where it is imported. */
export { ar } from "../../../web/src/forms/languages/ar.ts";
