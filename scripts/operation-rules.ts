import process from "node:process";
import { Type } from "typebox";
import { plainSchema } from "../src/discovery/declarations.ts";
import { isObject } from "../src/kernel/json.ts";
import { placesOf, routeOfOperation, type Declaration, type Operation } from "../src/ports/operations.ts";
import { operations, tools } from "../src/registry.ts";

/*
 * Rules about declarations that the compiler cannot say. It does say that an operation has an output, that its handler
 * gives it, and that a handler sees no body besides its checked input (`RequestFacts`): only what stands in PROTOCOLS
 * gets the request itself.
 */

/** Whose requests a protocol's own library reads and checks. */
const PROTOCOLS = new Set([
  "call_gateway",
  "call_agent_endpoint",
  "call_toolset",
  "finish_company_sign_in",
  "authorize_client",
  "resume_authorization",
  "request_token",
  "revoke_client_token",
  "begin_device_sign_in",
  "register_client",
]);

/** As many reasons for free JSON in an output are enough: formats of others, and documents of users. */
const MOST_REASONS = 40;

const reasons = new Set<string>();

/** What is wrong with a declaration of an operation. */
function problemsOf(operation: Operation): readonly string[] {
  const { name, title, description, input, kind } = operation;
  const rules: readonly (readonly [boolean, string])[] = [
    [/^[a-z]+(_[a-z0-9]+)+$/.test(name), "its name is not verb_noun"],
    [title.length <= 60 && !title.endsWith("."), "its title is too long or a sentence"],
    [description.endsWith("."), "its description is no sentence"],
    [plainSchema(input)["additionalProperties"] === false, "its input takes members that it does not name"],
    [
      placesOf(operation).path.every((member) => input.properties[member] !== undefined),
      "its path has a member that its input does not name",
    ],
    [
      Object.values(plainSchema(input)["properties"] ?? {}).every(
        (member) => isObject(member) && typeof member["description"] === "string",
      ),
      "a member of its input has no description",
    ],
    [
      routeOfOperation(operation).method !== "GET" || operation.effect === "none",
      "it is a GET and has an effect",
    ],
    [kind !== "protocol" || PROTOCOLS.has(name), "it reads requests itself and is not in PROTOCOLS"],
  ];
  return [...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])), ...outputProblems(operation)];
}

function outputProblems({ output }: Pick<Declaration, "output">): readonly string[] {
  return freeParts(plainSchema(output), "").map(
    (at) => `its output is free JSON at ${at === "" ? "its top" : at}: describe it, or freeObject("why")`,
  );
}

/** Where a schema allows anything without saying whose it is (`x-free` gives the reason). */
function freeParts(schema: unknown, at: string): readonly string[] {
  if (!isObject(schema)) return schema === false ? [] : [at];
  const { type, items, additionalProperties: others, "x-free": reason, properties } = schema;
  if (typeof reason === "string") return reasons.add(reason) && [];
  // A schema that OpenAPI makes of the registry itself.
  if (typeof schema["$ref"] === "string") return [];
  const branches = [schema["anyOf"], schema["allOf"], schema["oneOf"]].flatMap((list) => list ?? []);
  const named = Object.entries({
    ...(isObject(properties) && properties),
    ...(isObject(others) && { "*": others }),
  });
  const patterns = isObject(schema["patternProperties"]) ? Object.entries(schema["patternProperties"]) : [];
  const isFree =
    branches.length === 0 &&
    (type === "object"
      ? !isObject(properties) && !isObject(others) && patterns.length === 0
      : type === undefined && schema["const"] === undefined && schema["enum"] === undefined);
  return [
    ...(isFree ? [at] : []),
    ...(type === "array" ? freeParts(items, `${at}/items`) : []),
    ...branches.flatMap((branch, index) => freeParts(branch, `${at}/${index}`)),
    ...[...named, ...patterns].flatMap(([name, member]) => freeParts(member, `${at}/${name}`)),
  ];
}

/** What two of a list share and may not. */
function repeated(texts: readonly string[], what: string): readonly string[] {
  const twice = texts.filter((text, index) => texts.indexOf(text) !== index);
  return twice.map((text) => `${text}: two operations have this ${what}`);
}

// The canary: if this were let through, the check would be blind.
if (outputProblems({ output: Type.Object({ one: Type.Object({}), two: Type.Any() }) }).length !== 1)
  throw new TypeError("the check of outputs no longer sees free JSON");

const problems = [
  ...operations.flatMap((operation) =>
    problemsOf(operation).map((problem) => `${operation.name}: ${problem}`),
  ),
  ...tools.flatMap((tool) => outputProblems(tool).map((problem) => `${tool.name}: ${problem}`)),
  ...repeated(
    [...operations, ...tools].map(({ name }) => name),
    "name",
  ),
  ...repeated(
    operations.map(({ http }) => http.replaceAll(/\{\w+\}/g, "{}")),
    "route",
  ),
  ...[...reasons]
    .filter((reason) => !/^[A-Z].{10,}\.$/.test(reason))
    .map((reason) => `"${reason}" is no sentence about whose JSON it is`),
  ...(reasons.size > MOST_REASONS
    ? [`${reasons.size} reasons for free JSON, more than ${MOST_REASONS}`]
    : []),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  `${operations.length} operations and ${tools.length} tools are declared; free JSON for ${reasons.size} reasons.`,
);
