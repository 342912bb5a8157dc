/*
 * The public API of @workflow-ui/forms. What is not exported here (or by check.ts and sample.ts beside it) may change
 * in any release. `npm run check` holds the web app to this list.
 */

// Schema → form document.
export { boundsOfSize, findRefusal, PUBLIC_BOUNDS, TRUSTED_BOUNDS } from "../../src/forms/bounds.ts";
export type { Bounds, Refusal } from "../../src/forms/bounds.ts";
export { withCompanions } from "../../src/forms/companions.ts";
export { compileForm, formIdentity } from "../../src/forms/compile.ts";
export type { CompileOptions, CompileResult } from "../../src/forms/compile.ts";
export { FORM_VERSION, WIDGETS } from "../../src/forms/document.ts";
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
} from "../../src/forms/document.ts";
export type { HintReader } from "../../src/forms/hint-reader.ts";
export { inferSchema } from "../../src/forms/infer.ts";
export { portabilityNotes } from "../../src/forms/portability.ts";

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
} from "../../src/forms/fields.ts";
export type { ExtraEntry } from "../../src/forms/fields.ts";
export { parseMarkdown, plainText } from "../../src/forms/markdown.ts";
export type { Block, Inline } from "../../src/forms/markdown.ts";
export { MOST_PARTS, MOST_PROBLEMS } from "../../src/forms/caps.ts";
export { viewValue } from "../../src/forms/walk.ts";
export type { FormView, LeafView } from "../../src/forms/walk.ts";
export { fieldAt } from "../../web/src/forms/field-at.ts";
export { atMost, labelsTo } from "../../web/src/forms/labels.ts";
export { isOfType } from "../../src/forms/check-scalars.ts";
export { matchesPattern } from "../../src/forms/regex.ts";

// Values.
export { diff, merge } from "../../src/forms/changes.ts";
export type { Change } from "../../src/forms/changes.ts";
export { JsonTextError, openJson, parseExact, saveJson, stringifyExact } from "../../src/forms/exact.ts";
export type { OpenedJson } from "../../src/forms/exact.ts";
export { ExactNumber, isJson, sameJson } from "../../src/forms/json.ts";
export type { FormObject, FormValue, Json, JsonObject } from "../../src/forms/json.ts";
export { applyDefaults, defaultFits, prune, requiredValue, startValue } from "../../src/forms/values.ts";
export { withoutSecrets } from "../../web/src/forms/secrets.ts";

// Verdicts, in this thread. Beside the page, in a worker: @workflow-ui/forms/check.
export { checkValue } from "../../src/forms/check.ts";
export type { CheckOptions, Verdict } from "../../src/forms/check.ts";
export type { ValueProblem } from "../../src/forms/messages.ts";
export { missingRequired } from "../../src/forms/required.ts";
export type { MissingField, RequiredCheck } from "../../src/forms/required.ts";
export { createFormValidator, validate, validateForm, validateValue } from "../../src/forms/validate.ts";
export type { FormValidator, Validation, ValidationOptions } from "../../src/forms/validate.ts";

// The state of a form that is being filled in.
export { childPointer, FormStore, isFormObject, parentPointer } from "../../web/src/forms/form-store.ts";
export type { Draft, FieldProblem } from "../../web/src/forms/form-store.ts";
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
} from "../../web/src/forms/logic.ts";
export type { Active } from "../../web/src/forms/logic.ts";

// The HTTP request of an operation's form.
export { buildRequest, curlOf, hasRequest, QUERY_STRING } from "../../src/forms/request.ts";
export type { BuiltRequest } from "../../src/forms/request.ts";
