import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { isSecretName } from "../kernel/secrets.ts";
import { quote, type HttpCollector } from "./http/collector.ts";
import { jsonOf, type Placeholder, type Template } from "./http/placeholders.ts";
import type { Losses } from "./http/sequence.ts";
import { segments } from "./postman-scripts.ts";

/** What an expression of a node can refer to. */
export interface N8nScope {
  /** The data of the step before this one. */
  readonly before: Placeholder | null;
  /** The data of a step by its name. */
  data(name: string): Placeholder | null;
  readonly pointer: string;
  /** The name of the node, for sentences. */
  readonly node: string;
}

/** The data of the step before, and the data of a step by its name, each followed by a path. */
const BEFORE =
  /^(?:\$json|\$input\.(?:item|first\(\)|last\(\))\.json|\$input\.all\(\)\[0\]\.json|item\.json)(?![\w$(])/;
const NAMED = [
  /^\$node\[["']([^"']{1,200})["']\]\.json/,
  /^\$\(["']([^"']{1,200})["']\)\.(?:item|first\(\)|last\(\)|all\(\)\[0\])\.json/,
  /^\$items\(["']([^"']{1,200})["']\)\[0\]\.json/,
  /^\$node\.([A-Za-z_]\w{0,100})\.json/,
] as const;
const PATH = /^(?:\.[A-Za-z_$][\w$]{0,99}|\[\d{1,6}\]|\[["'][^"'\]]{1,100}["']\])*$/;
const VARIABLE = /^\$(?:vars|env)\.([A-Za-z_]\w{0,60})$/;

/** Reads the values of n8n parameters: texts, and expressions in double braces. */
export class N8nValues {
  readonly #collector: HttpCollector;
  readonly #losses: Losses;

  constructor(collector: HttpCollector, losses: Losses) {
    this.#collector = collector;
    this.#losses = losses;
  }

  /** A text parameter; one that begins with `=` has expressions in it. */
  template(value: Json | undefined, scope: N8nScope): Template {
    if (value === undefined || value === null) return [];
    if (typeof value !== "string") return [typeof value === "object" ? JSON.stringify(value) : String(value)];
    if (!value.startsWith("=")) return value === "" ? [] : [value];
    return value
      .slice(1)
      .split(/(\{\{[\s\S]{1,2000}?\}\})/)
      .flatMap((part): Template => {
        if (!part.startsWith("{{") || !part.endsWith("}}")) return part === "" ? [] : [part];
        return [this.#expression(part.slice(2, -2).trim(), scope)];
      });
  }

  /** Any parameter as a value of a step. */
  value(value: Json | undefined, scope: N8nScope): Json {
    if (typeof value === "string") return this.#collector.value(this.template(value, scope), scope.pointer);
    if (value === undefined) return null;
    if (isList(value)) return value.map((item) => this.value(item, scope));
    return isJsonObject(value) ? this.object(value, scope) : value;
  }

  /** An object of parameters. */
  object(value: JsonObject, scope: N8nScope): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.value(item, scope)]));
  }

  /** A parameter that holds JSON as text, with or without expressions; undefined when it is no JSON. */
  json(value: Json | undefined, scope: N8nScope): Json | undefined {
    if (typeof value !== "string") return value === undefined ? undefined : this.value(value, scope);
    const template = this.template(value, scope);
    const [only] = template;
    // ={{ $json }} as a whole is the data itself.
    if (template.length === 1 && typeof only === "object")
      return this.#collector.value(template, scope.pointer);
    return jsonOf(template, () => {});
  }

  #expression(given: string, scope: N8nScope): string | Placeholder {
    const text = given.replaceAll("?.", ".").trim();
    const before = pathAfter(BEFORE.exec(text), text);
    if (before !== null && scope.before !== null) return this.at(scope.before, before);
    for (const pattern of NAMED) {
      const named = pattern.exec(text);
      const path = pathAfter(named, text);
      const data = named === null || path === null ? null : scope.data(named[1] ?? "");
      if (data !== null && path !== null) return this.at(data, path);
    }
    const fixed = /^(?:"([^"\\]*)"|'([^'\\]*)'|(-?\d+(?:\.\d+)?|true|false))$/.exec(text);
    if (fixed !== null) return fixed[1] ?? fixed[2] ?? fixed[3] ?? "";
    const variable = VARIABLE.exec(text)?.[1];
    if (variable !== undefined) {
      const schema = isSecretName(variable) ? { type: "string", format: "password" } : { type: "string" };
      this.#losses.lose({
        pointer: scope.pointer,
        what: `The variable ${quote(variable)} of n8n.`,
        why: "Its value is not in the file; the run asks for it as an input.",
      });
      return this.#collector.input(variable, schema);
    }
    return this.asked(given, scope);
  }

  /** An input of the run in the place of something that has no equivalent here. */
  asked(expression: string, scope: N8nScope, schema: JsonObject = {}): Placeholder {
    const word = `${scope.node} ${(expression.match(/[A-Za-z_]\w*/g) ?? []).slice(-2).join(" ")}`;
    const placeholder = this.#collector.input(word.trim().replaceAll(/\W+/g, "_").toLowerCase(), {
      ...schema,
      title: `${scope.node}: ${expression}`.slice(0, 200),
    });
    this.#losses.lose({
      pointer: scope.pointer,
      what: `The expression ${quote(expression)} of ${quote(scope.node)}.`,
      why: `JavaScript is not run here; the run asks for its value as the input ${quote(placeholder.id)}.`,
    });
    return placeholder;
  }

  /** A place inside the data of a step, or an input by its name. */
  at(data: Placeholder, path: readonly string[]): Placeholder {
    if (data.root === "steps" || data.id !== "") return { ...data, path: [...data.path, ...path] };
    const [word, ...rest] = path;
    if (word === undefined) return data;
    const input = this.#collector.input(word, {});
    // What stands for a whole input that is missing does not stand for a part of it.
    return rest.length === 0 ? input : { root: "inputs", id: input.id, path: rest };
  }
}

/** The path behind the root of an expression; null when something else stands there. */
function pathAfter(root: RegExpExecArray | null, text: string): readonly string[] | null {
  if (root === null) return null;
  const rest = text.slice(root[0].length);
  return PATH.test(rest) ? segments(rest) : null;
}
