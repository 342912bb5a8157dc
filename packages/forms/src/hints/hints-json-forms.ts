import { DEEPEST_HINT, hintNode, nodeAt, setOption, type HintNode, type Remark } from "./hint-tree.ts";
import { isRecord, own, pointerToken, pointerTokens } from "../values/json.ts";

/*
 * A UI schema of JSON Forms, read into hints. A form here has the shape of its data, so a control of a nested object
 * is drawn inside that object, in the order of the layout; groups and categories become sections, and a horizontal
 * layout becomes columns.
 */

const COLUMNS = 12;

interface Section {
  title?: string | undefined;
  help?: string;
  fields: string[];
  columns?: number;
  visible?: unknown;
  key?: string | undefined;
}

interface Rule {
  readonly visible?: unknown;
  readonly enabled?: unknown;
}

/** Options that ours are called too, and options that are widgets here. */
const AS_OPTIONS = ["restrict", "trim", "step", "orientation", "focus"];
const AS_WIDGETS = new Map([
  ["multi", "multiline"],
  ["slider", "slider"],
  ["toggle", "toggle"],
  ["autocomplete", "search"],
]);

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
  reader.element(document, "", { depth });
  return reader.finish();
}

interface Context {
  readonly depth: number;
  /** Columns that each control takes, inside a horizontal layout. */
  readonly span?: number | undefined;
  /** Of the groups around it. */
  readonly title?: string | undefined;
  readonly visible?: unknown;
  readonly enabled?: unknown;
}

class Reader {
  readonly root = hintNode();
  readonly #remark: Remark;
  readonly #isRoot: boolean;
  readonly #placed = new Map<string, Section>();
  #sections: Section[] = [{ fields: [] }];

  constructor(remark: Remark, isRoot: boolean) {
    this.#remark = remark;
    this.#isRoot = isRoot;
  }

  /** One element of the layout and everything inside it. */
  element(given: unknown, pointer: string, context: Context): void {
    if (!isRecord(given) || context.depth > DEEPEST_HINT) {
      this.#remark(
        pointer,
        isRecord(given) ? `Layouts are read down to ${DEEPEST_HINT} levels.` : "This is no element.",
      );
      return;
    }
    const type = own(given, "type");
    const rule = this.#rule(given, pointer);
    const inside: Context = {
      ...context,
      depth: context.depth + 1,
      visible: both(context.visible, rule.visible),
      enabled: both(context.enabled, rule.enabled),
    };
    switch (type) {
      case "Control":
      case "ListWithDetail":
        this.#control(given, pointer, rule, context);
        return;
      case "VerticalLayout":
      case "HorizontalLayout":
      case "Categorization":
      case "Group":
      case "Category":
        this.#layout(given, pointer, inside, rule.visible !== undefined, context);
        return;
      case "Label": {
        const help = labelOf(own(given, "text"));
        if (help !== undefined) this.#section({ help, visible: inside.visible });
        return;
      }
      default:
        this.#remark(
          pointer,
          `An element of the type “${String(type).slice(0, 60)}” has no effect in this form.`,
        );
    }
  }

  #layout(
    given: Record<string, unknown>,
    pointer: string,
    inside: Context,
    hasRule: boolean,
    around: Context,
  ): void {
    const type = own(given, "type");
    const elements = own(given, "elements");
    const list = Array.isArray(elements) ? elements : [];
    const isGroup = type === "Group" || type === "Category";
    const label = isGroup ? labelOf(own(given, "label")) : undefined;
    const i18n = own(given, "i18n");
    // A group inside another one says which: sections are not nested.
    const title = [around.title, label].filter((text) => text !== undefined).join(" – ") || undefined;
    if (isGroup || hasRule)
      this.#section({
        visible: inside.visible,
        ...(isGroup && { title, key: typeof i18n === "string" ? i18n : undefined }),
      });
    const isRow = type === "HorizontalLayout";
    if (isRow) this.#last().columns = COLUMNS;
    const span = isRow
      ? Math.max(1, Math.floor((inside.span ?? COLUMNS) / Math.max(1, list.length)))
      : isGroup
        ? undefined
        : inside.span;
    list.forEach((item, index) =>
      this.element(item, `${pointer}/elements/${index}`, { ...inside, span, title }),
    );
    if (isGroup || hasRule) this.#section({ visible: around.visible });
    const options = own(given, "options");
    for (const name of isRecord(options) ? Object.keys(options) : [])
      this.#noEffect(`${pointer}/options`, name);
  }

  #noEffect(pointer: string, name: string): void {
    this.#remark(`${pointer}/${pointerToken(name)}`, `The option “${name}” has no effect in this form.`);
  }

  #section(section: Partial<Section>): void {
    this.#sections.push({
      ...Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined)),
      fields: [],
    });
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

  #control(
    given: Record<string, unknown>,
    pointer: string,
    rule: Rule,
    { depth, span, visible, enabled }: Context,
  ): void {
    const tokens = scopeTokens(own(given, "scope"));
    const [first] = tokens ?? [];
    if (tokens === null || first === undefined) {
      if (tokens === null)
        this.#remark(`${pointer}/scope`, "The scope names no property, such as #/properties/name.");
      return;
    }
    const last = this.#last();
    if (!this.#placed.has(first)) {
      this.#placed.set(first, last);
      last.fields.push(first);
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
    // A section has the condition of what is around its fields; a member of an object elsewhere needs it itself.
    const isElsewhere = this.#placed.get(first) !== last;
    const shown = isElsewhere ? both(visible, rule.visible) : rule.visible;
    const open = both(enabled, rule.enabled);
    if (!this.#isRoot && tokens.length > 1 && (shown !== undefined || open !== undefined))
      this.#remark(`${pointer}/rule`, "A rule inside a list is read for members of the item itself only.");
    else
      Object.assign(
        node.own,
        shown !== undefined && { visible: shown },
        open !== undefined && { enabled: open },
      );
    for (const key of Object.keys(given))
      if (!["type", "scope", "label", "options", "rule", "i18n"].includes(key))
        this.#remark(`${pointer}/${pointerToken(key)}`, `“${key}” of a control has no effect in this form.`);
  }

  #texts(given: Record<string, unknown>, node: HintNode): void {
    const label = own(given, "label");
    const i18n = own(given, "i18n");
    const text = labelOf(label);
    if (text !== undefined) node.own["title"] = text;
    if (label === false || (isRecord(label) && own(label, "show") === false)) setOption(node, "label", false);
    if (typeof i18n === "string") node.own["key"] = i18n;
  }

  #options(given: unknown, node: HintNode, pointer: string, depth: number): void {
    if (!isRecord(given)) return;
    for (const [name, value] of Object.entries(given)) {
      const widget = AS_WIDGETS.get(name);
      if (AS_OPTIONS.includes(name)) setOption(node, name, value);
      else if (widget !== undefined && typeof value === "boolean") {
        if (value) node.own["widget"] = widget;
        else if (name === "autocomplete") node.own["widget"] = "select";
      } else if (name === "readonly" || name === "readOnly") node.own["readOnly"] = value === true;
      else if (name === "placeholder") node.own["placeholder"] = value;
      else if (name === "suggestion") node.own["suggestions"] = value;
      else if (name === "format" && typeof value === "string")
        node.own["widget"] = value === "date-time" ? "datetime" : value;
      else if (["labelRef", "elementLabelProp", "childLabelProp"].includes(name) && typeof value === "string")
        setOption(node, "itemLabel", itemPointer(value));
      else if (name === "showSortButtons") setOption(node, "orderable", value !== false);
      else if (name === "detail" && isRecord(value)) {
        const prefix: Remark = (at, message) => this.#remark(`${pointer}/detail${at}`, message);
        const inner = readJsonForms(value, prefix, false, depth + 1);
        node.items = inner;
        for (const [child, hints] of inner.children) node.children.set(child, hints);
        // Help is always shown, every field can be cleared, and items show all their fields.
      } else if (!["showUnfocusedDescription", "clearable", "detail"].includes(name) || value === false)
        this.#noEffect(pointer, name);
    }
  }

  #rule(given: Record<string, unknown>, pointer: string): Rule {
    const rule = own(given, "rule");
    if (!isRecord(rule)) return {};
    const effect = own(rule, "effect");
    const condition = this.#condition(own(rule, "condition"), 0);
    if (condition === undefined) {
      this.#remark(
        `${pointer}/rule`,
        "The condition of this rule is not understood; the element is always shown.",
      );
      return {};
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
        return {};
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

/** A condition that asks both. */
function both(one: unknown, other: unknown): unknown {
  return one === undefined ? other : other === undefined ? one : { all: [one, other] };
}

/** A label is a text, or an object with one. */
function labelOf(label: unknown): string | undefined {
  const text = isRecord(label) ? own(label, "text") : label;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** `#/items/properties/a/properties/b` and `a.b` → `/a/b`. */
function itemPointer(value: string): string {
  const tokens = value.startsWith("#")
    ? (scopeTokens(value.replace(/^#(?:\/items)?/, "#")) ?? [])
    : value.split(".");
  return tokens.map((token) => `/${pointerToken(token)}`).join("");
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
