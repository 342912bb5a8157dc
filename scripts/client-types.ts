import { isObject } from "../src/kernel/json.ts";
import {
  placesOf,
  routeOfOperation,
  scopesFor,
  type Declaration,
  type OperationDeclaration,
} from "../src/ports/operations.ts";

/*
 * Writes the types of the client from the operations: a type for each named view, the input and the output of each
 * operation, and the table of their routes. The package that uses it has no dependency and needs no schema at run time.
 */

/** The text of packages/client/operations.ts. */
export function renderClientTypes(
  operations: readonly OperationDeclaration[],
  tools: readonly Declaration[],
): string {
  const views = new Map<string, string>();
  const entry = ({ name, title, input, output }: Declaration): string =>
    [
      `  /** ${sentence(title)} */`,
      `  readonly ${name}: {`,
      `    readonly input: ${typeOf(plain(input), views)};`,
      `    readonly output: ${typeOf(plain(output), views)};`,
      "  };",
    ].join("\n");
  const entries = operations.map(entry);
  const toolEntries = tools.map(entry);
  const routes = operations.map(
    (operation) => `  ${operation.name}: ${JSON.stringify(routeText(operation))},`,
  );
  const needs = [...tools, ...operations].flatMap(({ name, access }) => {
    const text = needText(access);
    return text === "" ? [] : [`  ${name}: ${JSON.stringify(text)},`];
  });
  return [
    "// Generated from the operations by `npm run generate`, long because it has all of them. Do not edit.",
    "",
    "/** Any value that JSON text can hold. */",
    "export type Json = null | boolean | number | string | readonly Json[] | JsonObject;",
    "",
    "/** A JSON object whose members its owner chose. */",
    "export interface JsonObject {",
    "  readonly [name: string]: Json | undefined;",
    "}",
    "",
    ...[...views].map(([, text]) => `${text}\n`),
    "/** What each tool takes and answers: operations that `tools/call` of `/api/mcp` reaches. */",
    "export interface Tools {",
    ...toolEntries,
    "}",
    "",
    "/** What each operation takes and answers. */",
    "export interface Operations extends Tools {",
    ...entries,
    "}",
    "",
    "/** Method and path of each operation that is no tool; behind `?` the members of a body that travel in the query. */",
    "export const ROUTES = {",
    ...routes,
    "} as const satisfies Readonly<Record<Exclude<keyof Operations, keyof Tools>, string>>;",
    "",
    "/** What a caller needs for each operation that not everybody may call: all scopes joined by `&`, or one of those joined by `|`. */",
    "export const NEEDS: Readonly<Partial<Record<keyof Operations, string>>> = {",
    ...needs,
    "};",
    "",
  ].join("\n");
}

function needText(access: Declaration["access"]): string {
  if (access === "key" || access === "person") return access;
  // What is the caller's own is asked for without the scopes.
  if (typeof access === "object" && "except" in access) return "key";
  const { all, any } = scopesFor(access);
  return all.length > 0 ? all.join("&") : any.join("|");
}

function routeText(operation: OperationDeclaration): string {
  const { method, path } = routeOfOperation(operation);
  const { query } = placesOf(operation);
  return method === "GET" || method === "DELETE" || query.length === 0
    ? `${method} ${path}`
    : `${method} ${path}?${query.join("&")}`;
}

function plain(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema));
}

function typeOf(schema: unknown, views: Map<string, string>): string {
  if (!isObject(schema)) return "Json";
  const { title, ...unnamed } = schema;
  if (typeof title !== "string" || !/^[A-Z][A-Za-z0-9]+$/.test(title)) return unnamedType(schema, views);
  if (!views.has(title)) {
    views.set(title, "");
    const shape = unnamedType(unnamed, views);
    const text = shape.startsWith("{\n") ? `interface ${title} ${shape}` : `type ${title} = ${shape};`;
    // Behind the views that it uses.
    views.delete(title);
    views.set(title, `/** ${sentence(schema["description"])} */\nexport ${text}`);
  }
  return title;
}

function unnamedType(schema: Readonly<Record<string, unknown>>, views: Map<string, string>): string {
  const { type, properties } = schema;
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((item) => JSON.stringify(item)).join(" | ");
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches))
    return [...new Set(branches.map((branch) => typeOf(branch, views)))].join(" | ");
  if (Array.isArray(schema["allOf"])) return schema["allOf"].map((part) => typeOf(part, views)).join(" & ");
  if (type === "array") return `readonly (${typeOf(schema["items"], views)})[]`;
  if (type === "object") {
    if (isObject(properties)) return membersOf(schema, views);
    const values = schema["additionalProperties"] ?? patternValues(schema);
    return isObject(values) ? `{ readonly [name: string]: ${typeOf(values, views)} }` : "JsonObject";
  }
  return SIMPLE[String(type)] ?? "Json";
}

function patternValues({ patternProperties }: Readonly<Record<string, unknown>>): unknown {
  return isObject(patternProperties) ? Object.values(patternProperties)[0] : undefined;
}

function membersOf(schema: Readonly<Record<string, unknown>>, views: Map<string, string>): string {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
  const members = Object.entries(properties).map(([name, member]) => {
    const description =
      isObject(member) && typeof member["description"] === "string" ? member["description"] : "";
    const comment = description === "" ? "" : `/** ${sentence(description)} */\n`;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const isRequired = required.has(name);
    return `${comment}readonly ${key}${isRequired ? "" : "?"}: ${typeOf(member, views)}${isRequired ? "" : " | undefined"};`;
  });
  if (schema["additionalProperties"] === true) members.push("readonly [name: string]: Json | undefined;");
  return members.length === 0 ? "{ readonly [name: string]: never }" : `{\n${members.join("\n")}\n}`;
}

function sentence(text: unknown): string {
  return typeof text === "string" ? text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ") : "";
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};
