import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import { allows, requireScope, type Caller } from "../ports/caller.ts";
import type { HttpAnswer, HttpRequest, HttpRoute } from "../ports/http.ts";
import {
  placesOf,
  Reply,
  routeOfOperation,
  scopesFor,
  type Operation,
  type OperationAccess,
  type OperationCall,
} from "../ports/operations.ts";
import type { Route } from "../ports/services.ts";
import { headline, lengthProblems, MAX_PROBLEMS, schemaProblems } from "./arguments.ts";
import { JSON_TYPE } from "./exchange.ts";
import { escapePointer } from "./json-duplicates.ts";

type Places = ReturnType<typeof placesOf>;

/** How operations are served. */
export interface DispatchOptions {
  /** Compare every answer with its declared output, and fail where it deviates: for tests and development. */
  readonly checkOutputs: boolean;
}

/** The routes of operations. The one place where their scope, their input and, in tests, their output is checked. */
export function operationRoutes<Parts>(
  operations: readonly Operation<Parts>[],
  parts: Parts,
  options: DispatchOptions,
): readonly HttpRoute[] {
  return operations.map((operation) => routeOf(operation, parts, options));
}

function routeOf<Parts>(operation: Operation<Parts>, parts: Parts, options: DispatchOptions): HttpRoute {
  const { method, path } = routeOfOperation(operation);
  const places = placesOf(operation);
  const readInput = inputReader(operation);
  const checkOutput = options.checkOutputs ? outputCheck(operation) : null;
  const scopes = scopesFor(operation.access);
  const { status = 200 } = operation;
  return {
    method,
    path,
    summary: operation.description,
    access: routeAccess(operation.access),
    operation,
    ...("answer" in operation && { contentType: operation.contentType }),
    ...("answer" in operation && operation.bodyType !== undefined && { bodyType: operation.bodyType }),
    ...(operation.status !== undefined && { status: operation.status }),
    ...(operation.largeDocument === true && { largeDocument: true }),
    // Without a member in the body there is nothing to send.
    ...(!required(operation.input, places.body) && { bodyOptional: true }),
    async handle(request): Promise<HttpAnswer> {
      const { context } = request;
      checkScopes(context.caller, scopes);
      const input = readInput(request, context.services.clock.now());
      const call: OperationCall = { caller: context.caller, services: context.services, context, request };
      if ("answer" in operation) return operation.answer(input, call, parts);
      const result: unknown = await operation.run(input, call, parts);
      const reply = result instanceof Reply ? result : new Reply(result);
      checkOutput?.(reply);
      return {
        status: reply.status ?? status,
        headers: reply.headers,
        contentType: JSON_TYPE,
        content: JSON.stringify({ ok: reply.ok, data: reply.data }),
      };
    },
  };
}

function required(input: TObject, names: readonly string[]): boolean {
  return names.some((name) => input.required?.includes(name));
}

function routeAccess(access: OperationAccess): Route["access"] {
  return access === "public" || access === "mixed" || access === "person" ? access : "key";
}

function checkScopes(caller: Caller, { all, any }: ReturnType<typeof scopesFor>): void {
  for (const scope of all) requireScope(caller, scope);
  const [first] = any;
  if (first !== undefined && !any.some((scope) => allows(caller, scope))) requireScope(caller, first);
}

/** Reads path, query and body into one input and reports everything that is wrong with it at once. */
function inputReader<Parts>(
  operation: Operation<Parts>,
): (request: HttpRequest, now: number) => Static<TObject> {
  const { name, input: schema } = operation;
  const places = placesOf(operation);
  let validator: ReturnType<typeof Compile<TObject>> | undefined;
  return (request, now) => {
    const input = {
      ...bodyMembers(request, places),
      ...queryMembers(request.query, schema),
      ...request.params,
    };
    // Compiled at its first use: a start does not pay for operations that are not called.
    validator ??= Compile(schema);
    const problems = [...lengthProblems(input), ...misplaced(request, places)];
    if (problems.length === 0 && validator.Check(input)) {
      problems.push(...(operation.rules?.(input, now) ?? []));
      if (problems.length === 0) return input;
    } else if (problems.length === 0) problems.push(...schemaProblems(validator, { name, schema }, input));
    throw new AppError("invalid_input", headline(`values for ${name}`, problems), {
      problems: problems.slice(0, MAX_PROBLEMS),
    });
  };
}

function bodyMembers({ body }: HttpRequest, { body: names }: Places): Readonly<Record<string, unknown>> {
  if (body === undefined || isObject(body)) return body ?? {};
  throw new AppError("invalid_input", "The body must be a JSON object.", {
    problems: [
      {
        pointer: "",
        message: "The body is not an object.",
        expected: names.length === 0 ? "an empty object" : `an object with ${names.join(", ")}`,
        fix: "Send a JSON object.",
      },
    ],
  });
}

/** Members that came by a way that is not theirs, such as the id of the path in the body. */
function misplaced({ body, query }: HttpRequest, places: Places): Problem[] {
  const inBody = isObject(body) ? Object.keys(body) : [];
  return [
    ...inBody.filter((name) => places.path.includes(name)).map((name) => wrongPlace(name, "body", "path")),
    ...inBody.filter((name) => places.query.includes(name)).map((name) => wrongPlace(name, "body", "query")),
    ...[...query.keys()]
      .filter((name) => places.body.includes(name) || places.path.includes(name))
      .map((name) => wrongPlace(name, "query", places.path.includes(name) ? "path" : "body")),
  ];
}

function wrongPlace(name: string, given: string, wanted: string): Problem {
  return {
    pointer: `/${escapePointer(name)}`,
    message: `"${name}" belongs into the ${wanted}, not into the ${given}.`,
    expected: `"${name}" in the ${wanted}`,
    fix: `Remove "${name}" from the ${given}.`,
  };
}

/** Values of a query are texts: each becomes what its schema asks for, or stays a text that the check refuses. */
function queryMembers(query: URLSearchParams, { properties }: TObject): Readonly<Record<string, unknown>> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const [first = "", ...more] = query.getAll(name);
      if (isObject(schema) && schema["type"] === "array")
        return [name, [first, ...more].map((text) => fromText(text, schema["items"]))];
      // A member that comes twice is no value of its type.
      return [name, more.length > 0 ? [first, ...more] : fromText(first, schema)];
    }),
  );
}

function fromText(text: string, schema: unknown): unknown {
  const type = isObject(schema) ? schema["type"] : undefined;
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  if ((type === "integer" || type === "number") && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text))
    return Number(text);
  return text;
}

/** Throws where a success is not what was declared. */
function outputCheck<Parts>({ name, output }: Operation<Parts>): (reply: Reply<unknown>) => void {
  let validator: ReturnType<typeof Compile<TSchema>> | undefined;
  return ({ ok, data }) => {
    if (!ok) return;
    validator ??= Compile(output);
    // As the caller gets it: without the members that JSON leaves out.
    const sent: unknown = JSON.parse(JSON.stringify(data));
    if (validator.Check(sent)) return;
    const [first] = validator.Errors(sent);
    throw new TypeError(
      `${name} answered what it does not declare: ${first?.instancePath ?? ""} ${first?.message ?? ""}`,
    );
  };
}
