/*
 * The public API of @workflow-ui/forms. What is not exported here (or by check.ts and sample.ts beside it) may change
 * in any release. `npm run check` holds the web app to this list.
 */

// Schema → form document.
export { boundsOfSize, findRefusal, PUBLIC_BOUNDS, TRUSTED_BOUNDS } from "./compile/bounds.ts";
export type { Bounds, Refusal } from "./compile/bounds.ts";
export { withCompanions } from "./compile/companions.ts";
export { compileForm, formIdentity } from "./compile/compile.ts";
export type { CompileOptions, CompileResult } from "./compile/compile.ts";
export { FORM_VERSION, WIDGETS } from "./compile/document.ts";
export type {
  BodyEncoding,
  Condition,
  Constraints,
  Dialect,
  Discriminator,
  Fallback,
  FallbackPart,
  Field,
  FieldHints,
  FieldLocation,
  FieldType,
  FormDocument,
  FormExample,
  FormSource,
  HintCondition,
  HintSection,
  HintTexts,
  MapRule,
  Note,
  Option,
  Override,
  Predicate,
  RawReason,
  RequestParameter,
  RequestSecurity,
  RequestTemplate,
  ValidationPreview,
  Variant,
  Widget,
} from "./compile/document.ts";
export type { HintReader } from "./compile/hint-reader.ts";
export { isFormDocument } from "./compile/is-form-document.ts";
export { inferSchema } from "./compile/infer.ts";
export { portabilityNotes } from "./compile/portability.ts";

// Reading a form document.
export {
  accepts,
  effectiveField,
  everyField,
  extraEntries,
  hintHolds,
  holds,
  itemField,
  keyField,
  pickVariant,
  rootField,
  visibleChildren,
} from "./values/fields.ts";
export type { ExtraEntry } from "./values/fields.ts";
export { parseMarkdown, plainText } from "./compile/markdown.ts";
export type { Block, Inline } from "./compile/markdown.ts";
export { MOST_PARTS, MOST_PROBLEMS } from "./check/caps.ts";
export { viewValue } from "./values/walk.ts";
export type { FormView, LeafView } from "./values/walk.ts";
export { fieldAt } from "./state/field-at.ts";
export { atMost, labelsTo, problemText } from "./state/labels.ts";
export { isOfType } from "./check/check-scalars.ts";
export { matchesPattern } from "./check/regex.ts";

// Values.
export { diff, merge } from "./values/changes.ts";
export type { Change } from "./values/changes.ts";
export { JsonTextError, openJson, parseExact, saveJson, stringifyExact } from "./values/exact.ts";
export type { OpenedJson } from "./values/exact.ts";
export { ExactNumber, isJson, sameJson } from "./values/json.ts";
export type { FormObject, FormValue, Json, JsonObject } from "./values/json.ts";
export { applyDefaults, defaultFits, prune, requiredValue, startValue } from "./values/values.ts";
export { withoutSecrets } from "./state/secrets.ts";

// Verdicts, in this thread. Beside the page, in a worker: @workflow-ui/forms/check.
export { checkValue } from "./check/check.ts";
export type { CheckOptions, Verdict } from "./check/check.ts";
export type { ValueProblem } from "./check/messages.ts";
export { missingRequired } from "./check/required.ts";
export type { MissingField, RequiredCheck } from "./check/required.ts";
export { createFormValidator, validate, validateForm, validateValue } from "./check/validate.ts";
export type { FormValidator, Validation, ValidationOptions } from "./check/validate.ts";

// The state of a form that is being filled in.
export { childPointer, FormStore, isFormObject, parentPointer } from "./state/form-store.ts";
export type { Draft, FieldProblem } from "./state/form-store.ts";
export {
  activeField,
  addText,
  copyable,
  initialAt,
  initialOf,
  isLeaf,
  literal,
  lowerFirst,
  opened,
  parseText,
  printText,
  readDuration,
  readNumber,
  rootOf,
  variantOf,
  wireText,
} from "./state/logic.ts";
export type { Active } from "./state/logic.ts";

// The HTTP request of an operation's form.
export { buildRequest, curlOf, hasRequest, QUERY_STRING } from "./values/request.ts";
export type { BuiltRequest } from "./values/request.ts";
