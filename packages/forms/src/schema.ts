/* @workflow-ui/forms/schema: the JSON Schema of form documents, for tests and other programs; a page does not need it. */
export { formDocumentSchema } from "./compile/document-schema.ts";
