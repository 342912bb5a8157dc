import process from "node:process";
import { Type } from "typebox";
import { plainSchema } from "../src/discovery/declarations.ts";
import { isObject } from "../src/kernel/json.ts";
import { inputOf } from "../src/model/common.ts";
import {
  operationsWith,
  placesOf,
  routeOfOperation,
  type Declaration,
  type JsonOperation,
  type Operation,
} from "../src/ports/operations.ts";
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

/** Whose body is one value in a format of others, or no JSON: the handler checks it with that format's own rules. */
const OWN_BODIES = new Set(["receive_handoff", "receive_webhook", "send_form_page", "stop_mails"]);

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
    [
      kind === "protocol" || !readsBody(operation) || OWN_BODIES.has(name),
      "it reads its body itself and is not in OWN_BODIES",
    ],
  ];
  return [...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])), ...outputProblems(operation)];
}

function readsBody(operation: Operation): boolean {
  return operation.wholeBody !== undefined || ("bodyType" in operation && operation.bodyType !== undefined);
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
      ? named.length === 0 && patterns.length === 0 && others !== false
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

const declared = {
  name: "look_at_canary",
  title: "Look at the canary",
  description: "It breaks no rule.",
  http: "POST /api/svc/canary",
  access: "public",
  effect: "none",
  idempotent: true,
  input: inputOf({}),
} as const;
const output = Type.Object({ sings: Type.Boolean() });
const { operation: declare } = operationsWith<never>();
const canary: JsonOperation = { ...declared, output, run: () => ({ sings: true }) };
// What the compiler refuses: when it no longer does, it refuses the comment.
// @ts-expect-error -- no output
declare({ ...declared, run: () => ({ sings: true }) });
// @ts-expect-error -- an answer that is not the output
declare({ ...declared, output, run: () => ({ sings: "yes" }) });
// @ts-expect-error -- the body of the request
declare({ ...declared, output, run: (_input, { request }) => ({ sings: request.body !== undefined }) });
/** Each breaks one rule: if one were let through, the check would be blind. */
const canaries: readonly Operation[] = [
  { ...canary, output: Type.Object({ one: Type.Object({}), two: Type.Boolean() }) },
  { ...canary, wholeBody: Type.Object({}) },
  {
    ...canary,
    kind: "page",
    contentType: "text/html",
    bodyType: "*/*",
    answer: () => ({ status: 200, contentType: "text/html", content: "" }),
  },
  {
    ...canary,
    kind: "protocol",
    contentType: "text/html",
    handle: () => ({ status: 200, contentType: "text/html", content: "" }),
  },
];
if (problemsOf(canary).length !== 0 || canaries.some((one) => problemsOf(one).length !== 1))
  throw new TypeError("the check of declarations no longer sees what is wrong");

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
