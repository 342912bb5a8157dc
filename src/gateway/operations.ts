import type { TObject } from "typebox";
import { beforeSending } from "../kernel/effects.ts";
import { envelopeText } from "../kernel/envelope.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isObject } from "../kernel/json.ts";
import type { HttpAnswer, HttpRequest } from "../ports/http.ts";
import {
  placesOf,
  Reply,
  routeAccess,
  routeOfOperation,
  type Operation,
  type OperationAccess,
  type OperationDeclaration,
} from "../ports/operations.ts";
import type { Route } from "../ports/services.ts";
import { checksOf, type DispatchOptions } from "./dispatch.ts";
import { JSON_TYPE } from "./exchange.ts";
import { pointerSegment } from "../kernel/paths.ts";

type Places = ReturnType<typeof placesOf>;

const INVALID = { code: "invalid_input", what: "values for" } as const;

/** A route with what it does. */
export interface ServedRoute extends Route {
  /** A request without a body is answered too. */
  readonly isBodyOptional: boolean;
  handle(request: HttpRequest): Promise<HttpAnswer> | HttpAnswer;
}

/** The routes of operations: their input is put together from path, query and body. */
export function operationRoutes<Parts>(
  operations: readonly Operation<Parts>[],
  parts: Parts,
  options: DispatchOptions,
): readonly ServedRoute[] {
  const served = operations.filter((operation) => operation.isServed?.(parts) !== false);
  return served.flatMap((operation) => {
    const route = routeOf(operation, parts, options);
    return [route, ...(operation.aliases ?? []).map((path) => ({ ...route, path }))];
  });
}

function routeOf<Parts>(operation: Operation<Parts>, parts: Parts, options: DispatchOptions): ServedRoute {
  const { method, path } = routeOfOperation(operation);
  const places = placesOf(operation);
  const checks = checksOf(operation, INVALID, options);
  const { status = 200 } = operation;
  const refusing = <T>(check: () => T): T | Promise<T> =>
    operation.effect === "external" ? beforeSending(check) : check();
  const others = Object.keys(operation.otherStatuses ?? {});
  return {
    method,
    path,
    access: routeAccess(operation.access),
    operation,
    // Without a member in the body there is nothing to send.
    isBodyOptional: operation.wholeBody === undefined && !required(operation.input, places.body),
    async handle(request): Promise<HttpAnswer> {
      const { context } = request;
      if (!isExcept(operation.access, request)) await refusing(() => checks.authorize(context.caller));
      const { caller, services } = context;
      const wholeBody = operation.wholeBody === undefined ? undefined : request.body;
      const call = { caller, services, context, request, wholeBody, bytes: request.bytes };
      if (operation.kind === "protocol") return operation.handle(call, parts);
      const given = {
        ...(operation.wholeBody === undefined && bodyMembers(request, places)),
        ...queryMembers(request.query, operation),
        ...request.params,
      };
      const now = context.services.clock.now();
      const input = await refusing(() => checks.input(given, now, misplaced(request, places)));
      if ("answer" in operation) return operation.answer(input, call, parts);
      const result: unknown = await operation.run(input, call, parts);
      const more = result instanceof Reply ? result : null;
      const answered = more?.status ?? status;
      const isDeclared = answered === status || answered >= 400 || others.includes(String(answered));
      if (options.checkOutputs && !isDeclared)
        throw new TypeError(`${operation.name} answered the status ${answered}, which it does not declare`);
      return {
        status: answered,
        headers: more?.headers ?? {},
        contentType: JSON_TYPE,
        content: envelopeText(checks.answer(result)),
      };
    },
  };
}

function required(input: TObject, names: readonly string[]): boolean {
  return names.some((name) => input.required?.includes(name));
}

function isExcept(access: OperationAccess, { query }: HttpRequest): boolean {
  const except = typeof access === "object" && "all" in access ? access.except : undefined;
  return except !== undefined && query.get(except.member) === except.value;
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
    pointer: `/${pointerSegment(name)}`,
    message: `"${name}" belongs into the ${wanted}, not into the ${given}.`,
    expected: `"${name}" in the ${wanted}`,
    fix: `Remove "${name}" from the ${given}.`,
  };
}

/** Values of a query are texts: each becomes what its schema asks for, or stays a text that the check refuses. */
function queryMembers(
  query: URLSearchParams,
  { input: { properties }, ignoresOthers }: Pick<OperationDeclaration, "input" | "ignoresOthers">,
): Readonly<Record<string, unknown>> {
  const names = [...new Set(query.keys())].filter(
    (name) => ignoresOthers !== true || Object.hasOwn(properties, name),
  );
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
