/*
 * The public API of @workflow-ui/forms-react. What is not exported here may change in any release. `npm run check`
 * holds the web app to this list.
 */

// The whole form with the standard look.
export { Form, useFormStore, useFormVersion } from "../../web/src/forms/form.tsx";
export type { FormProps } from "../../web/src/forms/form.tsx";

// What a page gives its forms: widgets and an editor of its own, and values to choose from.
export { FormSettings } from "../../web/src/forms/settings.ts";
export type { JsonEditorProps, Language, Settings } from "../../web/src/forms/settings.ts";
export { Suggestions } from "../../web/src/forms/context.ts";
export type { Suggestion } from "../../web/src/forms/context.ts";

// For widgets of one's own inside the standard look.
export { useDraft, useFormScope, useProblems, useStanding, useValue } from "../../web/src/forms/context.ts";
export type { FormScope, Standing } from "../../web/src/forms/context.ts";
export { Frame, placeholderOf, useControlProps, useIds } from "../../web/src/forms/frame.tsx";
export type { FieldIds, FrameProps } from "../../web/src/forms/frame.tsx";
export { FieldView } from "../../web/src/forms/field-view.tsx";
export { richText } from "../../web/src/forms/rich-text.tsx";
export type { WidgetProps } from "../../web/src/forms/widgets/types.ts";

// Headless: state, checks and attributes for markup of one's own.
export {
  FormField,
  FormProvider,
  useField,
  useFieldPointers,
  useForm,
} from "../../web/src/forms/headless.tsx";
export type { FieldHandle, FormHandle, FormOptions } from "../../web/src/forms/headless.tsx";
