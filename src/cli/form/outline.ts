import {
  effectiveField,
  rootField,
  type Field,
  type FormDocument,
} from "../../../packages/forms/src/index.ts";

const DEEPEST = 6;

/** One line of a form's outline. */
export interface OutlineRow {
  /** Where it is: `contact.email`, `tags[]`, `labels.<name>`. */
  readonly place: string;
  readonly kind: string;
  readonly required: boolean;
  readonly limits: string;
  readonly help: string;
}

/** A form as lines: every field with its kind and limits; recursion is shown once. */
export function outline(form: FormDocument): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const walk = (given: Field, place: string, depth: number, seen: readonly string[]): void => {
    const recursive = given.ref !== undefined && seen.includes(given.ref);
    const field = recursive ? given : effectiveField(form, given, undefined, undefined);
    rows.push({
      place,
      kind: recursive ? `${given.ref ?? ""} again` : kindOf(field),
      required: given.required,
      limits: limitsOf(field),
      help: field.raw?.reason ?? field.help ?? "",
    });
    if (recursive || depth >= DEEPEST) return;
    const inner = given.ref === undefined ? seen : [...seen, given.ref];
    for (const child of field.children ?? []) walk(child, `${place}.${child.name}`, depth + 1, inner);
    for (const item of field.tuple ?? []) walk(item, `${place}[${item.name}]`, depth + 1, inner);
    if (field.items) walk(field.items, `${place}[]`, depth + 1, inner);
    for (const { pattern, field: value } of field.map?.patterns ?? [])
      walk(value, `${place}.</${pattern}/>`, depth + 1, inner);
    if (field.map?.additional && field.widget === "map")
      walk(field.map.additional, `${place}.<name>`, depth + 1, inner);
    for (const variant of field.variants ?? [])
      walk(variant.field, `${place} (${variant.label})`, depth + 1, inner);
  };
  const root = rootField(form);
  if (root.children) for (const child of root.children) walk(child, child.name, 0, []);
  else walk(root, root.label, 0, []);
  return rows;
}

function kindOf(field: Field): string {
  return `${field.secret === true ? "secret " : ""}${field.widget}${field.nullable ? " or null" : ""}`;
}

/** What a value must keep to, in a few words. */
export function limitsOf(field: Field): string {
  const { constraints: c = {}, options = [], default: standard } = field;
  const range = (least: number | undefined, most: number | undefined, unit: string): string =>
    least === undefined && most === undefined
      ? ""
      : least !== undefined && most !== undefined
        ? `${least}–${most}${unit}`
        : least === undefined
          ? `at most ${most}${unit}`
          : `at least ${least}${unit}`;
  const parts = [
    options.length > 0 && options.length <= 12 ? options.map(({ label }) => label).join(" | ") : "",
    options.length > 12 ? `one of ${options.length}` : "",
    range(c.minimum ?? c.exclusiveMinimum, c.maximum ?? c.exclusiveMaximum, ""),
    range(c.minLength, c.maxLength, " characters"),
    range(c.minItems, c.maxItems, " items"),
    c.format ?? "",
    c.pattern === undefined ? "" : `/${c.pattern}/`,
    standard === undefined ? "" : `default ${JSON.stringify(standard)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
