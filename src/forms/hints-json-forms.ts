import { DEEPEST_HINT, hintNode, nodeAt, type HintNode, type Remark } from "./hint-tree.ts";
import { isRecord, own, pointerToken, pointerTokens } from "./json.ts";

/*
 * A UI schema of JSON Forms, read into hints. A form here has the shape of its data, so a control of a nested object
 * is drawn inside that object, in the order of the layout; groups and categories become sections, and a horizontal
 * layout becomes columns.
 */

const COLUMNS = 12;

interface Section {
  title?: string;
  help?: string;
  fields: string[];
  columns?: number;
  visible?: unknown;
}

/** True for a document that looks like a UI schema of JSON Forms. */
export function isJsonForms(document: Record<string, unknown>): boolean {
  const type = own(document, "type");
  return (
    typeof type === "string" &&
    (Array.isArray(own(document, "elements")) || typeof own(document, "scope") === "string")
  );
}

/** Reads a UI schema; `isRoot` is false for the details of a list, whose scopes begin at the item. */
export function readJsonForms(
  document: Record<string, unknown>,
  remark: Remark,
  isRoot = true,
  depth = 0,
): HintNode {
  const reader = new Reader(remark, isRoot);
  reader.element(document, "", { depth, span: undefined });
  return reader.finish();
}

interface Context {
  readonly depth: number;
  /** Columns that each control takes, inside a horizontal layout. */
  readonly span: number | undefined;
}

class Reader {
  readonly root = hintNode();
  readonly #remark: Remark;
  readonly #isRoot: boolean;
  readonly #placed = new Set<string>();
  #sections: Section[] = [{ fields: [] }];

  constructor(remark: Remark, isRoot: boolean) {
    this.#remark = remark;
    this.#isRoot = isRoot;
  }

  /** One element of the layout and everything inside it. */
  element(given: unknown, pointer: string, { depth, span }: Context): void {
    if (!isRecord(given) || depth > DEEPEST_HINT) {
      this.#remark(
        pointer,
        isRecord(given) ? `Layouts are read down to ${DEEPEST_HINT} levels.` : "This is no element.",
      );
      return;
    }
    const type = own(given, "type");
    const elements = own(given, "elements");
    const list = Array.isArray(elements) ? elements : [];
    const each = (inner: number | undefined) =>
      list.forEach((item, index) =>
        this.element(item, `${pointer}/elements/${index}`, { depth: depth + 1, span: inner }),
      );
    switch (type) {
      case "Control":
      case "ListWithDetail":
        this.#control(given, pointer, span, depth);
        return;
      case "VerticalLayout":
      case "Categorization":
        this.#apart(given, pointer, () => each(span));
        return;
      case "HorizontalLayout":
        this.#apart(given, pointer, () => {
          this.#last().columns = COLUMNS;
          each(Math.max(1, Math.floor((span ?? COLUMNS) / Math.max(1, list.length))));
        });
        return;
      case "Group":
      case "Category": {
        const label = own(given, "label");
        const visible = this.#rule(given, pointer)?.visible;
        this.#sections.push({
          fields: [],
          ...(typeof label === "string" && { title: label }),
          ...(visible !== undefined && { visible }),
        });
        each(undefined);
        this.#sections.push({ fields: [] });
        return;
      }
      case "Label": {
        const text = own(given, "text");
        if (typeof text === "string") this.#sections.push({ fields: [], help: text });
        return;
      }
      default:
        this.#remark(
          pointer,
          `An element of the type “${String(type).slice(0, 60)}” has no effect in this form.`,
        );
    }
  }

  /** The hints of the whole layout. */
  finish(): HintNode {
    const sections = this.#sections.filter(({ fields, help }) => fields.length > 0 || help !== undefined);
    for (const { columns, fields } of sections) {
      if (columns === undefined) continue;
      // What stands beside no other control takes the whole row.
      for (const name of fields) nodeAt(this.root, [name]).own["span"] ??= COLUMNS;
    }
    const [only] = sections;
    const isPlain = sections.length === 1 && only !== undefined && Object.keys(only).length === 1;
    if (isPlain) this.root.own["order"] = [...only.fields, "*"];
    else if (sections.length > 0) this.root.own["sections"] = sections;
    return this.root;
  }

  #last(): Section {
    const last = this.#sections.at(-1) ?? { fields: [] };
    if (this.#sections.length === 0) this.#sections.push(last);
    return last;
  }

  /** A layout with a rule of its own is a section of its own. */
  #apart(given: Record<string, unknown>, pointer: string, fill: () => void): void {
    const visible = this.#rule(given, pointer)?.visible;
    if (visible === undefined) return fill();
    this.#sections.push({ fields: [], visible });
    fill();
    this.#sections.push({ fields: [] });
  }

  #control(given: Record<string, unknown>, pointer: string, span: number | undefined, depth: number): void {
    const tokens = scopeTokens(own(given, "scope"));
    const [first] = tokens ?? [];
    if (tokens === null || first === undefined) {
      if (tokens === null)
        this.#remark(`${pointer}/scope`, "The scope names no property, such as #/properties/name.");
      return;
    }
    if (!this.#placed.has(first)) {
      this.#placed.add(first);
      this.#last().fields.push(first);
    }
    tokens.slice(1).forEach((token, index) => {
      const holder = nodeAt(this.root, tokens.slice(0, index + 1)).own;
      const order = Array.isArray(holder["order"]) ? holder["order"].filter((name) => name !== "*") : [];
      if (!order.includes(token)) holder["order"] = [...order, token, "*"];
    });
    const node = nodeAt(this.root, tokens);
    if (span !== undefined && tokens.length === 1) node.own["span"] = span;
    this.#texts(given, node);
    this.#options(own(given, "options"), node, `${pointer}/options`, depth);
    Object.assign(node.own, this.#rule(given, pointer));
    for (const key of Object.keys(given))
      if (!["type", "scope", "label", "options", "rule"].includes(key))
        this.#remark(`${pointer}/${pointerToken(key)}`, `“${key}” of a control has no effect in this form.`);
  }

  #texts(given: Record<string, unknown>, node: HintNode): void {
    const label = own(given, "label");
    const text = isRecord(label) ? own(label, "text") : label;
    if (typeof text === "string" && text !== "") node.own["title"] = text;
  }

  #options(given: unknown, node: HintNode, pointer: string, depth: number): void {
    if (!isRecord(given)) return;
    for (const [name, value] of Object.entries(given)) {
      if (name === "multi") {
        if (value === true) node.own["widget"] = "multiline";
      } else if (name === "readonly" || name === "readOnly") node.own["readOnly"] = value === true;
      else if (name === "placeholder") node.own["placeholder"] = value;
      // Lists can be sorted without being asked.
      else if (name === "showSortButtons" && value === true) continue;
      else if (name === "format" && typeof value === "string")
        node.own["widget"] = value === "date-time" ? "datetime" : value;
      else if (name === "detail" && isRecord(value)) {
        const prefix: Remark = (at, message) => this.#remark(`${pointer}/detail${at}`, message);
        const inner = readJsonForms(value, prefix, false, depth + 1);
        node.items = inner;
        for (const [child, hints] of inner.children) node.children.set(child, hints);
      } else
        this.#remark(`${pointer}/${pointerToken(name)}`, `The option “${name}” has no effect in this form.`);
    }
  }

  #rule(
    given: Record<string, unknown>,
    pointer: string,
  ): { visible?: unknown; enabled?: unknown } | undefined {
    const rule = own(given, "rule");
    if (!isRecord(rule)) return undefined;
    const effect = own(rule, "effect");
    const condition = this.#condition(own(rule, "condition"), 0);
    if (condition === undefined) {
      this.#remark(
        `${pointer}/rule`,
        "The condition of this rule is not understood; the element is always shown.",
      );
      return undefined;
    }
    switch (effect) {
      case "SHOW":
        return { visible: condition };
      case "HIDE":
        return { visible: { not: condition } };
      case "ENABLE":
        return { enabled: condition };
      case "DISABLE":
        return { enabled: { not: condition } };
      default:
        this.#remark(`${pointer}/rule/effect`, "The effect of a rule is SHOW, HIDE, ENABLE or DISABLE.");
        return undefined;
    }
  }

  #condition(given: unknown, depth: number): unknown {
    if (!isRecord(given) || depth > DEEPEST_HINT) return undefined;
    const list = own(given, "conditions");
    if (Array.isArray(list)) {
      const parts = list.map((item) => this.#condition(item, depth + 1));
      const kind = own(given, "type") === "OR" ? "any" : "all";
      return parts.includes(undefined) ? undefined : { [kind]: parts };
    }
    const tokens = scopeTokens(own(given, "scope"));
    if (tokens === null || (!this.#isRoot && tokens.length !== 1)) return undefined;
    const field = this.#isRoot ? tokens.map((token) => `/${pointerToken(token)}`).join("") : tokens[0];
    if (own(given, "type") === "LEAF" || own(given, "expectedValue") !== undefined)
      return { field, is: own(given, "expectedValue") };
    const schema = own(given, "schema");
    const orAbsent = own(given, "failWhenUndefined") !== true && acceptsNothing(schema);
    return schema === undefined ? undefined : { field, matches: schema, orAbsent };
  }
}

/** JSON Forms asks its validator about a value that is not there; most keywords then say yes. */
function acceptsNothing(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true;
  const not = own(schema, "not");
  return (
    !["const", "enum", "type"].some((key) => Object.hasOwn(schema, key)) &&
    (not === undefined || !acceptsNothing(not))
  );
}

/** Keywords that lead to another schema for the same value; an index follows those in the first list. */
const LISTS = ["allOf", "anyOf", "oneOf"];
const BRANCHES = ["then", "else"];

/** `#/properties/a/anyOf/0/properties/b` → a, b; none for the whole form (`#`, `#/`); null for what is no such scope. */
function scopeTokens(scope: unknown): string[] | null {
  if (typeof scope !== "string" || !/^#?(?:\/|$)/.test(scope)) return null;
  const tokens = scope === "#/" ? [] : pointerTokens(scope.replace("#", ""));
  const names: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const keyword = tokens[at] ?? "";
    const name = tokens[at + 1];
    if (keyword === "properties" && name !== undefined) {
      names.push(name);
      at += 2;
    } else if (LISTS.includes(keyword)) at += 2;
    else if (BRANCHES.includes(keyword)) at += 1;
    else return null;
  }
  return names.length <= DEEPEST_HINT ? names : null;
}
