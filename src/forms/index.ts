export { FORM_VERSION, WIDGETS } from "./document.ts";
export type {
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
export { ExactNumber } from "./json.ts";
export type { FormObject, FormValue, Json, JsonObject } from "./json.ts";
