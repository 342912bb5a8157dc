import type { ASTNode } from "@marcbachmann/cel-js";
import { compileExpression } from "../workflows/expressions.ts";
import { parseReference } from "../workflows/values.ts";

const OPERATORS: Readonly<Record<string, string>> = {
  "==": "==",
  "!=": "!=",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "/",
  "%": "%",
  "&&": "and",
  "||": "or",
};

/** A jq path to a reference: inputs are the workflow's input, steps are kept in the context by id. Null: not sayable. */
export function referenceToJq(text: string): string | null {
  const reference = parseReference(text);
  if (reference === null) return null;
  const tail = reference.pointer
    .map((part) => (/^[0-9]+$/.test(part) ? `[${part}]` : `[${JSON.stringify(part)}]`))
    .join("");
  if (reference.root === "inputs") {
    return `$workflow.input${reference.name === null ? "" : `[${JSON.stringify(reference.name)}]`}${tail}`;
  }
  if (reference.root === "steps") {
    return reference.part === "outputs" ? `$context[${JSON.stringify(reference.step)}].outputs${tail}` : null;
  }
  if (reference.root === "run") return reference.name === "id" ? "$workflow.id" : null;
  return `$${reference.root}${tail}`;
}

/** A jq expression that means the same as a CEL expression; null when this subset cannot say it. */
export function celToJq(source: string): string | null {
  const compiled = compileExpression(source);
  return compiled.ok ? convert(compiled.expression.run.ast) : null;
}

function convert(node: ASTNode): string | null {
  if (node.op === "value") {
    const value = node.args;
    if (typeof value === "bigint") return value.toString();
    if (
      typeof value === "number" ||
      typeof value === "string" ||
      typeof value === "boolean" ||
      value === null
    ) {
      return JSON.stringify(value);
    }
    return null;
  }
  if (node.op === "id") return rootOf(node.args);
  if (node.op === ".") return access(node.args[0], JSON.stringify(node.args[1]));
  if (node.op === "[]") return access(node.args[0], convert(node.args[1]));
  if (node.op === "!_") return wrap(convert(node.args), (inner) => `(${inner} | not)`);
  if (node.op === "-_") return wrap(convert(node.args), (inner) => `(-(${inner}))`);
  if (node.op === "?:") {
    const [when, yes, no] = node.args.map(convert);
    if (typeof when !== "string" || typeof yes !== "string" || typeof no !== "string") return null;
    return `(if ${when} then ${yes} else ${no} end)`;
  }
  if (node.op === "list") return join(node.args.map(convert), (items) => `[${items.join(", ")}]`);
  if (node.op === "in") {
    return join(
      [convert(node.args[1]), convert(node.args[0])],
      ([list, item]) => `(${list} | index(${item}) != null)`,
    );
  }
  if (node.op === "call") return call(node.args[0], node.args[1]);
  if (node.op === "rcall") {
    const [name, receiver, parameters] = node.args;
    return call(name, [receiver, ...parameters]);
  }
  const operator = OPERATORS[node.op];
  if (operator === undefined || !isPair(node.args)) return null;
  return join(node.args.map(convert), ([left, right]) => `(${left} ${operator} ${right})`);
}

function isPair(parts: unknown): parts is readonly [ASTNode, ASTNode] {
  return Array.isArray(parts) && parts.length === 2;
}

function rootOf(name: string): string | null {
  if (name === "inputs") return "$workflow.input";
  if (name === "steps") return "$context";
  return name === "item" || name === "index" ? `$${name}` : null;
}

function access(target: ASTNode, key: string | null): string | null {
  if (target.op === "id" && target.args === "run") return key === '"id"' ? "$workflow.id" : null;
  const base = convert(target);
  return base === null || key === null ? null : `${base}[${key}]`;
}

function call(name: string, parameters: readonly ASTNode[]): string | null {
  const [first, second] = parameters.map(convert);
  if (typeof first !== "string") return null;
  if (name === "size") return `(${first} | length)`;
  if (name === "string") return `(${first} | tostring)`;
  if (name === "has") return `(${first} != null)`;
  if (name === "int" || name === "double") return `(${first} | tonumber)`;
  if (typeof second !== "string") return null;
  if (name === "startsWith") return `(${first} | startswith(${second}))`;
  if (name === "endsWith") return `(${first} | endswith(${second}))`;
  return name === "contains" ? `(${first} | contains(${second}))` : null;
}

function wrap(inner: string | null, build: (inner: string) => string): string | null {
  return inner === null ? null : build(inner);
}

function join(parts: readonly (string | null)[], build: (parts: readonly string[]) => string): string | null {
  const texts = parts.filter((part) => part !== null);
  return texts.length === parts.length ? build(texts) : null;
}
