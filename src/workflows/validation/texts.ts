import { isList, type Json } from "../../kernel/json.ts";
import { holdsSecret, tellsSecret } from "../../kernel/secrets.ts";
import { problem, quoted, segment } from "../problems.ts";
import { parseReference, walkValue } from "../values.ts";
import type { Shared } from "./context.ts";

const SECRET_SHAPES = [
  /\bsuite_(?:live|tok)_[A-Za-z0-9]{4,}_[A-Za-z0-9]{8,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\b(?:glpat-|npm_|hf_)[A-Za-z0-9_-]{20,}/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{35}/,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/,
  /\b[Bb]earer [A-Za-z0-9._~+/-]{16,}/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{3,100}@/,
];
/** One quick look that every shape above must pass. */
const SECRET_HINT =
  /suite_live_|suite_tok_|sk-|k_live_|k_test_|glpat-|npm_|hf_|gh[pousr]_|github_pat_|xox|AKIA|AIza|-----BEGIN|eyJ|earer |:\/\//;

const MAX_PROBLEMS = 5_000;

/** Fields of a node whose texts are handed on, so that a reader might expect them to be evaluated. */
const VALUE_FIELDS = new Set(["with", "value", "idempotencyKey", "wait", "handoff", "approval", "map"]);

/** Reports texts that look like credentials, and texts that look as if they were meant to be evaluated. */
export function checkTexts(shared: Shared): void {
  const { document, places } = shared;
  for (const node of document.nodes) {
    if (shared.problems.length >= MAX_PROBLEMS) return;
    checkPart(shared, node, places.get(node) ?? "", VALUE_FIELDS);
  }
  checkPart(shared, document.inputs, "/inputs", null);
  checkPart(shared, document.outputs, "/outputs", "all");
}

function checkPart(
  shared: Shared,
  part: Json,
  place: string,
  fields: ReadonlySet<string> | "all" | null,
): void {
  // Most documents hold neither, and telling where something stands costs more than seeing that it is there.
  const seen = glance(part);
  if (seen.secret) reportSecrets(shared, part, place);
  if (!seen.template || fields === null) return;
  const look = (text: string, pointer: string): void => {
    // Conditions inside the body of a map are expressions and look like one.
    if (!looksLikeTemplate(text) || pointer.endsWith("/if") || pointer.endsWith("/when")) return;
    shared.problems.push(
      problem("looks_like_template", pointer, `${quoted(text)} is passed as it is, not evaluated.`),
    );
  };
  if (fields === "all") walkValue(part, place, () => undefined, look);
  else {
    for (const [field, value] of Object.entries(part ?? {})) {
      if (fields.has(field)) walkValue(value, place + segment(field), () => undefined, look);
    }
  }
}

function glance(root: Json): { readonly secret: boolean; readonly template: boolean } {
  const open: Json[] = [root];
  let secret = false;
  let template = false;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    if (isList(value)) {
      for (const item of value) {
        if (typeof item !== "string") open.push(item);
        else {
          secret ||= looksSecret(item, "");
          template ||= looksLikeTemplate(item);
        }
      }
      continue;
    }
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (typeof item === "string") {
        secret ||= OF_PROPERTY.has(key) || looksSecret(item, key);
        template ||= key !== "$ref" && key !== "$expr" && looksLikeTemplate(item);
      } else if (item !== undefined) open.push(item);
    }
  }
  return { secret, template };
}

/** The value itself is never repeated. */
function reportSecrets(shared: Shared, root: Json, place: string): void {
  for (const pointer of secretPlaces(root, place))
    shared.problems.push(problem("secret_literal", pointer, "This literal looks like a credential."));
}

/** Members that hold expressions: what they compare and build is no literal. */
const EXPRESSIONS: ReadonlySet<string> = new Set(["$expr", "$ref", "if", "when", "filter"]);

/** Keywords of a JSON Schema whose value belongs to the property that the schema is of. */
const OF_PROPERTY: ReadonlySet<string> = new Set(["default", "const", "enum", "examples", "example"]);

/**
 * Where a value holds texts that look like credentials, as JSON Pointers. `wide`, for what strangers are to see, also looks
 * at lists and pairs under the name of a secret, and into texts.
 */
export function secretPlaces(root: Json, place: string, wide = false): readonly string[] {
  const places: string[] = [];
  const open: { value: Json | undefined; name: string; pointer: string }[] = [
    { value: root, name: "", pointer: place },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, name, pointer } = next;
    if (typeof value === "string") {
      const isTold = wide && !EXPRESSIONS.has(name) && tellsSecret(value.slice(0, 10_000), true);
      if (isTold || looksSecret(value, name)) places.push(pointer);
    } else if (value !== undefined && value !== null && typeof value === "object") {
      if (isList(value))
        value.forEach((item, i) =>
          open.push({ value: item, name: wide ? name : "", pointer: `${pointer}/${i}` }),
        );
      else {
        // Headers, cookies and fields are often lists of pairs.
        const { name: first, key: second = null } = value;
        const paired = typeof first === "string" ? first : typeof second === "string" ? second : name;
        for (const key of Object.keys(value))
          open.push({
            value: value[key],
            name: wide && key === "value" ? paired : OF_PROPERTY.has(key) ? name : key,
            pointer: pointer + segment(key),
          });
      }
    }
  }
  return places;
}

function looksSecret(text: string, name: string): boolean {
  if (text.length < 8) return false;
  const head = text.length > 10_000 ? text.slice(0, 10_000) : text;
  if (holdsSecret(name, text) && text.length <= 500 && !/\s/.test(head)) return true;
  return SECRET_HINT.test(head) && SECRET_SHAPES.some((shape) => shape.test(head));
}

function looksLikeTemplate(text: string): boolean {
  if (text.startsWith("steps.")) return parseReference(text) !== null;
  if (!text.includes("$") && !text.includes("{{")) return false;
  if (/^\$(inputs|steps|item|index|run)\b/.test(text)) return true;
  const opened = text.indexOf("{{");
  if (opened >= 0 && text.includes("}}", opened)) return true;
  const dollar = text.indexOf("${");
  return dollar >= 0 && text.includes("}", dollar);
}
