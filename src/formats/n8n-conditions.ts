import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { compileExpression } from "../workflows/expressions.ts";
import { celPath, celText, celValue, type Template } from "./http/placeholders.ts";
import type { N8nScope, N8nValues } from "./n8n-values.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

interface Test {
  readonly left: Json | undefined;
  readonly right: Json | undefined;
  readonly operation: string;
  readonly type: string;
}

/** The names of operations in both generations of the node. */
const SAME: Readonly<Record<string, string>> = {
  equal: "equals",
  notEqual: "notEquals",
  larger: "gt",
  largerEqual: "gte",
  smaller: "lt",
  smallerEqual: "lte",
  isEmpty: "empty",
  isNotEmpty: "notEmpty",
};
const COMPARE: Readonly<Record<string, string>> = {
  equals: "==",
  notEquals: "!=",
  gt: ">",
  gte: ">=",
  lt: "<",
  lte: "<=",
};

/** CEL that means the same as the conditions of an n8n node; null when there is none. */
export function conditionOf(
  conditions: JsonObject,
  parameters: JsonObject,
  values: N8nValues,
  scope: N8nScope,
): string | null {
  const { tests, any } = testsOf(conditions, parameters);
  const parts = tests.map((test) => celOf(test, values, scope));
  if (parts.length === 0 || parts.some((part) => part === null)) return null;
  const cel = parts.map((part) => (parts.length > 1 ? `(${part})` : part)).join(any ? " || " : " && ");
  return compileExpression(cel).ok ? cel : null;
}

/** The text of conditions, for the person who is asked instead. */
export function conditionText(conditions: JsonObject, parameters: JsonObject): string {
  const { tests, any } = testsOf(conditions, parameters);
  return tests
    .map(({ left, right, operation }) => `${shown(left)} ${operation} ${shown(right)}`.trim())
    .join(any ? " or " : " and ");
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === "") return "";
  return typeof value === "string" ? value.replace(/^=/, "") : JSON.stringify(value);
}

function testsOf(conditions: JsonObject, parameters: JsonObject): { tests: readonly Test[]; any: boolean } {
  const listed = listAt(conditions, "conditions").filter(isJsonObject);
  if (listed.length > 0)
    return {
      any: textAt(conditions, "combinator") === "or",
      tests: listed.map((item) => {
        const operator = objectAt(item, "operator");
        return {
          left: item["leftValue"],
          right: operator["singleValue"] === true ? undefined : item["rightValue"],
          operation: textAt(operator, "operation"),
          type: textAt(operator, "type"),
        };
      }),
    };
  // The first generation groups conditions by type.
  return {
    any: textAt(parameters, "combineOperation") === "any",
    tests: ["string", "number", "boolean", "dateTime"].flatMap((type) =>
      listAt(conditions, type)
        .filter(isJsonObject)
        .map((item) => ({
          left: item["value1"],
          right: item["value2"],
          operation: textAt(item, "operation") || (type === "number" ? "smaller" : "equal"),
          type,
        })),
    ),
  };
}

function celOf(test: Test, values: N8nValues, scope: N8nScope): string | null {
  const operation = SAME[test.operation] ?? test.operation;
  const template = values.template(test.left, scope);
  const left = operand(test.left, template, test.type);
  const right = operand(test.right, values.template(test.right, scope), test.type);
  const [only] = template;
  const path =
    template.length === 1 && typeof only === "object" && only.path.length > 0 ? celPath(only) : null;
  const known = path !== null && /\.[A-Za-z_]\w*$/.test(path) ? path : null;
  if (left === null) return null;
  const comparison = COMPARE[operation];
  if (comparison !== undefined && test.type !== "dateTime")
    return right === null ? null : `${left} ${comparison} ${right}`;
  switch (operation) {
    case "true":
    case "false":
      return `${left} == ${operation}`;
    case "contains":
      return right === null
        ? null
        : test.type === "array"
          ? `${right} in ${left}`
          : `${left}.contains(${right})`;
    case "notContains":
      return right === null
        ? null
        : test.type === "array"
          ? `!(${right} in ${left})`
          : `!${left}.contains(${right})`;
    case "startsWith":
    case "endsWith":
      return right === null ? null : `${left}.${operation}(${right})`;
    case "notStartsWith":
      return right === null ? null : `!${left}.startsWith(${right})`;
    case "notEndsWith":
      return right === null ? null : `!${left}.endsWith(${right})`;
    case "exists":
      return known === null ? null : `has(${known})`;
    case "notExists":
      return known === null ? null : `!has(${known})`;
    case "empty":
      return `size(${left}) == 0`;
    case "notEmpty":
      return `size(${left}) > 0`;
    case "lengthEquals":
    case "lengthGt":
    case "lengthLt":
      return right === null
        ? null
        : `size(${left}) ${{ lengthEquals: "==", lengthGt: ">", lengthLt: "<" }[operation]} ${right}`;
    default:
      return null;
  }
}

function operand(given: Json | undefined, template: Template, type: string): string | null {
  if (typeof given === "number" || typeof given === "boolean") return String(given);
  const [only] = template;
  if (only === undefined) return type === "number" ? "0" : '""';
  if (template.length > 1)
    return template
      .map((part) => (typeof part === "string" ? JSON.stringify(part) : celText(part)))
      .join(" + ");
  if (typeof only === "object") return celValue(only);
  if (type === "number" || type === "boolean" || type === "array")
    return /^-?\d+(?:\.\d+)?$|^(?:true|false)$/.test(only) ? only : JSON.stringify(only);
  return JSON.stringify(only);
}
