export { withCompanions } from "./companions.ts";
export { MOST_PARTS, MOST_PROBLEMS } from "./caps.ts";
export { parseMarkdown, plainText } from "./markdown.ts";
export type { Block, Inline } from "./markdown.ts";
export { boundsOfSize, findRefusal, PUBLIC_BOUNDS, TRUSTED_BOUNDS } from "./bounds.ts";
export type { Bounds, Refusal } from "./bounds.ts";
export { diff, merge } from "./changes.ts";
export type { Change } from "./changes.ts";
export { checkValue } from "./check.ts";
export type { CheckOptions, Verdict } from "./check.ts";
export { compileForm, formIdentity } from "./compile.ts";
export type { CompileOptions, CompileResult } from "./compile.ts";
export { formDocumentSchema } from "./document-schema.ts";
export { FORM_VERSION, WIDGETS } from "./document.ts";
export type {
  BodyEncoding,
  Condition,
  Constraints,
  Dialect,
  Discriminator,
  Fallback,
  FallbackPart,
  Field,
  FieldLocation,
  FieldType,
  FormDocument,
  FormExample,
  FormSource,
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
} from "./document.ts";
export { JsonTextError, openJson, parseExact, saveJson, stringifyExact } from "./exact.ts";
export type { OpenedJson } from "./exact.ts";
export {
  accepts,
  effectiveField,
  everyField,
  extraEntries,
  holds,
  itemField,
  keyField,
  pickVariant,
  rootField,
  visibleChildren,
} from "./fields.ts";
export type { ExtraEntry } from "./fields.ts";
export { ExactNumber } from "./json.ts";
export type { FormObject, FormValue, Json, JsonObject } from "./json.ts";
export { viewValue } from "./walk.ts";
export type { FormView, LeafView } from "./walk.ts";
export { applyDefaults, prune, requiredValue, startValue } from "./values.ts";
export { renderExamples } from "./examples.ts";
export type { ValueProblem } from "./messages.ts";
export { uiHints, withHints } from "./hints.ts";
export { normalizeForValidation } from "./normalize.ts";
export { portabilityNotes } from "./portability.ts";
export { buildRequest, curlOf, QUERY_STRING } from "./request.ts";
export type { BuiltRequest } from "./request.ts";
export { missingRequired } from "./required.ts";
export type { MissingField, RequiredCheck } from "./required.ts";
export { sampleOf, sampleValue } from "./sample.ts";
export { createFormValidator, validate, validateForm, validateValue } from "./validate.ts";
export type { FormValidator, Validation, ValidationOptions } from "./validate.ts";
