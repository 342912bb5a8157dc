/*
 * The public API of @workflow-ui/forms-react. What is not exported here may change in any release. `npm run check`
 * holds the web app to this list.
 */

// The whole form with the standard look.
export { Form } from "./form.tsx";
export { useFormStore, useFormVersion } from "./use-form-store.ts";
export type { FormProps } from "./form.tsx";

// What a page gives its forms: widgets and an editor of its own, and values to choose from.
export { FormSettings } from "./settings.ts";
export type { JsonEditorProps, Language, Settings } from "./settings.ts";
export { Suggestions } from "./context.ts";
export type { Suggestion } from "./context.ts";

// For widgets of one's own inside the standard look.
export { useDraft, useFormScope, useProblems, useResolvedField, useValue } from "./context.ts";
export type { FormScope, ResolvedField } from "./context.ts";
export { Frame, placeholderOf, useControlProps, useIds } from "./frame.tsx";
export type { FieldIds, FrameProps } from "./frame.tsx";
export { FieldView } from "./field-view.tsx";
export { richText } from "./rich-text.tsx";
export type { WidgetProps } from "./widgets/types.ts";

// Headless: state, checks and attributes for markup of one's own.
export { FormField, FormProvider, useField, useFieldPointers, useForm } from "./headless.tsx";
export type { FieldHandle, FormHandle, FormOptions } from "./headless.tsx";
