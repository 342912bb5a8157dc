import {
  createFormValidator,
  effectiveField,
  itemField,
  keyField,
  parseExact,
  pickVariant,
  rootField,
  startValue,
  stringifyExact,
  visibleChildren,
  type Field,
  type FormDocument,
  type FormValidator,
  type FormValue,
} from "../../../packages/forms/src/index.ts";
import { isRecord, pointerToken, pointerTokens, valueAt } from "../../../packages/forms/src/values/json.ts";
import { isForm } from "../../../packages/forms/src/values/values.ts";
import type { Variables } from "../environment.ts";
import type { Prompter } from "../prompt.ts";
import { safeText, type Paint } from "../terminal-text.ts";
import { editText } from "./editor.ts";
import { limitsOf } from "./outline.ts";
import { readAnswer, type Answer } from "./read-answer.ts";
import { withValue } from "./value-edit.ts";

const DEEPEST = 30;
const MOST_LISTED = 30;

/** What filling in works with. */
export interface FillTools {
  readonly prompter: Prompter;
  readonly paint: Paint;
  readonly variables: Variables;
  readonly say: (text: string) => void;
}

/** Fills in a form by asking field by field. */
export class Filler {
  readonly #form: FormDocument;
  readonly #tools: FillTools;
  readonly #validate: FormValidator;
  #root: FormValue | undefined;

  constructor(form: FormDocument, tools: FillTools) {
    this.#form = form;
    this.#tools = tools;
    this.#validate = createFormValidator(form);
    this.#root = form.initialValue;
  }

  /** The value as it is. */
  get value(): FormValue {
    return this.#root ?? null;
  }

  /** Asks for everything, then again for what is wrong, until the whole value satisfies the schema. */
  async fill(): Promise<FormValue> {
    const { say, paint } = this.#tools;
    say(paint("bold", safeText(this.#form.title)));
    if (this.#form.description !== undefined) say(paint("dim", safeText(this.#form.description)));
    say(
      paint(
        "dim",
        "Enter keeps what is in brackets or leaves an optional field out; :help shows what else there is.",
      ),
    );
    await this.#ask(rootField(this.#form), "", 0);
    await this.fix();
    return this.value;
  }

  /** Asks again for what is wrong. */
  async fix(): Promise<void> {
    const { say, paint } = this.#tools;
    for (;;) {
      const problems = this.#validate(this.#root);
      if (problems.length === 0) return;
      say(paint("yellow", "This is not right yet:"));
      for (const { pointer, message } of problems)
        say(paint("yellow", `  ${pointer || "the whole"}: ${safeText(message)}`));
      const [first] = problems;
      const [token] = pointerTokens(first?.pointer ?? "");
      const root = rootField(this.#form);
      const children = visibleChildren(this.#form, root, this.#root);
      const child = children.find(({ name }) => name === token);
      if (child) await this.#ask(child, `/${pointerToken(child.name)}`, 1);
      else await this.editAsJson("");
    }
  }

  /** Lets a part be edited as JSON text. */
  async editAsJson(pointer: string): Promise<void> {
    const { say, paint, prompter, variables } = this.#tools;
    let text = stringifyExact(this.#at(pointer) ?? null, "  ");
    for (;;) {
      text = await editText(text, prompter, variables);
      try {
        this.#set(pointer, parseExact(text));
        return;
      } catch (error) {
        say(paint("red", `  That is not JSON: ${error instanceof Error ? error.message : ""}`));
      }
    }
  }

  #at(pointer: string): FormValue | undefined {
    const value = valueAt(this.#root, pointer);
    return isForm(value) ? value : undefined;
  }

  #set(pointer: string, value: FormValue | undefined): void {
    this.#root = withValue(this.#root, pointer, value);
  }

  /** The object that holds a field. */
  #holder(pointer: string): unknown {
    return pointer === "" ? undefined : valueAt(this.#root, pointer.slice(0, pointer.lastIndexOf("/")));
  }

  async #ask(given: Field, pointer: string, depth: number): Promise<void> {
    const value = this.#at(pointer);
    const field = {
      ...effectiveField(this.#form, given, value, this.#holder(pointer)),
      required: given.required,
    };
    if (field.readOnly === true || field.widget === "never") return;
    if (depth > DEEPEST) return this.editAsJson(pointer);
    const widget: string = field.widget;
    switch (widget) {
      case "constant":
        if (field.required || value !== undefined) this.#set(pointer, field.const);
        return;
      case "null":
        if (field.required) this.#set(pointer, null);
        return;
      case "group":
      case "map":
        return this.#askObject(field, pointer, depth);
      case "list":
      case "tuple":
        return this.#askList(field, pointer, depth);
      case "variants":
        return this.#askVariants(field, pointer, depth);
      default:
        return this.#askScalar(field, pointer);
    }
  }

  async #askObject(field: Field, pointer: string, depth: number): Promise<void> {
    if (depth > 0 && !(await this.#wanted(field, pointer))) return;
    if (!isRecord(this.#at(pointer)))
      this.#set(pointer, startValue(this.#form, { ...field, required: true }) ?? {});
    const asked = new Set<string>();
    for (;;) {
      // Answers decide which fields come next, so the list is made again after each of them.
      const child = visibleChildren(this.#form, field, this.#at(pointer)).find(
        ({ name }) => !asked.has(name),
      );
      if (!child) break;
      asked.add(child.name);
      await this.#ask(child, `${pointer}/${pointerToken(child.name)}`, depth + 1);
    }
    if (field.map && (field.map.additional !== null || field.map.patterns.length > 0)) {
      await this.#askMembers(field, pointer, depth);
    }
  }

  /** Members whose names the person chooses. */
  async #askMembers(field: Field, pointer: string, depth: number): Promise<void> {
    // An object that merely does not forbid more members is not asked about them.
    if (field.widget !== "map" && field.map?.patterns.length === 0 && field.map.additional?.widget === "json")
      return;
    const { prompter, paint, say } = this.#tools;
    for (;;) {
      const name = await prompter.line(
        `${paint("bold", safeText(field.label))}: name of a member (empty: no more) `,
      );
      if (name === "") return;
      const inner = keyField(field, name);
      if (inner === null || inner === undefined) {
        say(paint("red", `  “${safeText(name)}” is not allowed here.`));
        continue;
      }
      await this.#ask(
        { ...inner, name, label: name, required: true },
        `${pointer}/${pointerToken(name)}`,
        depth + 1,
      );
    }
  }

  async #askList(field: Field, pointer: string, depth: number): Promise<void> {
    const least = Math.max(field.constraints?.minItems ?? 0, field.required ? (field.tuple?.length ?? 0) : 0);
    if (depth > 0 && least === 0 && !(await this.#wanted(field, pointer))) return;
    if (!Array.isArray(this.#at(pointer))) this.#set(pointer, []);
    const { prompter, paint } = this.#tools;
    for (let index = 0; ; index++) {
      const present = this.#at(pointer);
      const have = Array.isArray(present) ? present.length : 0;
      const isFixed = index < (field.tuple?.length ?? 0);
      if (
        index >= (field.constraints?.maxItems ?? Number.POSITIVE_INFINITY) ||
        (!isFixed && !field.items && field.tuple)
      )
        return;
      if (index >= have && index >= least && !isFixed) {
        const more = await prompter.confirm(
          `${paint("bold", safeText(field.label))}: add ${index === 0 ? "an item" : "another item"}?`,
        );
        if (!more) return;
      }
      const item = itemField(this.#form, field, index, this.#at(`${pointer}/${index}`));
      await this.#ask(
        { ...item, label: `${field.label} ${index + 1}`, required: true },
        `${pointer}/${index}`,
        depth + 1,
      );
    }
  }

  async #askVariants(field: Field, pointer: string, depth: number): Promise<void> {
    const variants = field.variants ?? [];
    const { prompter, paint, say } = this.#tools;
    const value = this.#at(pointer);
    if (depth > 0 && !(await this.#wanted(field, pointer))) return;
    this.#heading(field, "choose one");
    variants.forEach(({ label, help }, index) =>
      say(
        `  ${index + 1}) ${safeText(label)}${help === undefined ? "" : paint("dim", `  ${safeText(help)}`)}`,
      ),
    );
    const present = pickVariant(this.#form, field, value);
    for (;;) {
      const answer = (await prompter.line(`${present >= 0 ? `[${present + 1}] ` : ""}› `)).trim();
      if (answer === ":json") return this.editAsJson(pointer);
      const chosen =
        answer === ""
          ? present
          : variants.findIndex(({ label }, index) => answer === String(index + 1) || answer === label);
      const variant = variants[chosen];
      if (!variant) {
        say(paint("red", `  A number from 1 to ${variants.length}, please.`));
        continue;
      }
      if (chosen !== present) this.#set(pointer, startValue(this.#form, variant.field));
      return this.#ask(
        { ...variant.field, label: variant.label, required: true, name: field.name },
        pointer,
        0,
      );
    }
  }

  /** Optional parts with several fields are entered only when they are wanted. */
  async #wanted(field: Field, pointer: string): Promise<boolean> {
    if (field.required || this.#at(pointer) !== undefined) {
      this.#tools.say(this.#tools.paint("bold", safeText(field.label)));
      return true;
    }
    const help = field.help === undefined ? "" : this.#tools.paint("dim", ` ${safeText(field.help)}`);
    return this.#tools.prompter.confirm(
      `${this.#tools.paint("bold", safeText(field.label))}: fill it in?${help}`,
    );
  }

  #heading(field: Field, kind: string): void {
    const { say, paint } = this.#tools;
    const limits = limitsOf({ ...field, options: [] });
    const facts = [kind, field.required ? "required" : "optional", limits]
      .filter((part) => part !== "")
      .join(", ");
    say(
      `${paint("bold", safeText(field.label))}${field.required ? paint("red", " *") : ""} ${paint("dim", `(${safeText(facts)})`)}`,
    );
    if (field.help !== undefined) say(paint("dim", `  ${safeText(field.help)}`));
    if (field.raw) say(paint("dim", `  Raw JSON: ${safeText(field.raw.reason)}`));
    if (field.deprecated === true) say(paint("yellow", "  Deprecated."));
  }

  async #askScalar(field: Field, pointer: string): Promise<void> {
    const { prompter, paint, say } = this.#tools;
    const present = this.#at(pointer);
    this.#heading(field, field.widget);
    const options = field.options ?? [];
    options
      .slice(0, MOST_LISTED)
      .forEach(({ label, help }, index) =>
        say(
          `  ${index + 1}) ${safeText(label)}${help === undefined ? "" : paint("dim", `  ${safeText(help)}`)}`,
        ),
      );
    if (options.length > MOST_LISTED)
      say(paint("dim", `  … ${options.length - MOST_LISTED} more; type one of them`));
    const shown =
      present === undefined ? "" : field.secret === true ? "[kept] " : `[${safeText(shortText(present))}] `;
    for (;;) {
      const line =
        field.secret === true
          ? await prompter.hidden(`${shown}› (not shown) `)
          : await prompter.line(`${shown}› `);
      const answer: Answer = readAnswer(field, line, present);
      if (answer.kind === "help") say(paint("dim", HELP));
      else if (answer.kind === "json") return this.editAsJson(pointer);
      else if (answer.kind === "wrong") say(paint("red", `  ${safeText(answer.message)}`));
      else {
        const wrong = this.#problemsAt(pointer, answer.value);
        if (wrong.length === 0) {
          this.#set(pointer, answer.value);
          return;
        }
        for (const message of wrong) say(paint("red", `  ${safeText(message)}`));
      }
    }
  }

  /** What would be wrong at this place with this value. Leaving out is checked when everything is there. */
  #problemsAt(pointer: string, value: FormValue | undefined): readonly string[] {
    if (value === undefined) return [];
    return this.#validate(withValue(this.#root, pointer, value))
      .filter((problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`))
      .map(({ message }) => message);
  }
}

const HELP = `  Enter      keep what is in brackets, or leave an optional field out
  ""         the empty text
  :skip      leave it out     :null   null     :json   edit as JSON
  ::text     a text that begins with a colon
  Ctrl-C     end without sending anything`;

function shortText(value: FormValue): string {
  const text = typeof value === "string" ? value : stringifyExact(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
