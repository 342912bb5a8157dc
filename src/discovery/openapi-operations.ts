import { isJson, isJsonObject, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { placesOf, routeOfOperation, scopesFor, type Operation } from "../ports/operations.ts";
import type { Route } from "../ports/services.ts";

/** The named views of all operations: each is a component, and everywhere else a reference to it. */
export class NamedSchemas {
  readonly #named = new Map<string, JsonObject>();
  /** A view is an object that many others hold: it is written once. */
  readonly #written = new Map<object, JsonObject>();

  /** The schema with references in place of named views. */
  shortened(schema: object): JsonObject {
    const known = this.#written.get(schema);
    if (known !== undefined) return known;
    const copy: Record<string, Json> = {};
    for (const [name, value] of Object.entries(explicit(schema)))
      if (value !== undefined) copy[name] = this.#within(value);
    const written = this.#reference(copy);
    this.#written.set(schema, written);
    return written;
  }

  /** The components. */
  schemas(): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries(this.#named);
  }

  #reference(copy: JsonObject): JsonObject {
    const { title } = copy;
    if (typeof title !== "string" || !/^[A-Z][A-Za-z0-9]+$/.test(title)) return copy;
    const known = this.#named.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy))
      throw new TypeError(`two views are named ${title}`);
    this.#named.set(title, copy);
    return { $ref: `#/components/schemas/${title}` };
  }

  #within(value: unknown): Json {
    if (Array.isArray(value)) return value.map((item: unknown) => this.#within(item));
    if (isObject(value)) return this.shortened(value);
    if (isJson(value)) return value;
    throw new TypeError("a schema of JSON values has other members");
  }
}

/** What generators of clients read wrong when it is left out: the type of choices, and that a free object is free. */
function explicit(schema: object): object {
  const members: Record<string, unknown> = { ...schema };
  const { type, enum: choices, properties, additionalProperties, patternProperties } = members;
  if (type === undefined && Array.isArray(choices) && choices.every((one) => typeof one === "string"))
    return { type: "string", ...schema };
  const isFree = (properties ?? additionalProperties ?? patternProperties) === undefined;
  return type === "object" && isFree ? { ...schema, additionalProperties: true } : schema;
}

/** An operation as OpenAPI describes it: its parameters, its body and every answer it can give. */
export function declaredOperation(route: Route, named: NamedSchemas): JsonObject {
  const { operation } = route;
  const places = placesOf(operation);
  const { properties } = operation.input;
  const required: readonly string[] = operation.input.required ?? [];
  const schemaOf = (name: string): JsonObject => {
    const schema = properties[name];
    return schema === undefined ? { type: "string" } : named.shortened(schema);
  };
  const parameter = (name: string, place: "path" | "query"): JsonObject => {
    const { description, ...schema } = schemaOf(name);
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(typeof description === "string" && { description }),
      schema,
    };
  };
  const parameters = [
    ...places.path.map((name) => parameter(name, "path")),
    ...places.query.map((name) => parameter(name, "query")),
  ];
  const { all, any } = scopesFor(operation.access);
  const needed = [...all.map((scope) => `\`${scope}\``), any.map((scope) => `\`${scope}\``).join(" or ")];
  const scopes = needed.filter((text) => text !== "").join(" and ");
  return {
    operationId: operationId(route),
    summary: operation.title,
    description:
      scopes === "" ? operation.description : `${operation.description}\n\nNeeds the scope ${scopes}.`,
    "x-effect": operation.effect,
    "x-idempotent": operation.idempotent,
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(operation, places.body, schemaOf, named),
    responses: answersOf(route, named),
  };
}

/** The name, and behind an alias its path: no two may be the same. */
function operationId({ path, operation }: Route): string {
  return routeOfOperation(operation).path === path
    ? operation.name
    : `${operation.name}${path.replaceAll(/[^a-z0-9]+/g, "_")}`;
}

function bodyOf(
  operation: Operation,
  names: readonly string[],
  schemaOf: (name: string) => JsonObject,
  named: NamedSchemas,
): JsonObject {
  const type = ("bodyType" in operation ? operation.bodyType : undefined) ?? "application/json";
  if (type !== "application/json" && names.length === 0)
    return { requestBody: { required: true, content: { [type]: { schema: { type: "string" } } } } };
  if (operation.wholeBody !== undefined) {
    const schema = named.shortened(operation.wholeBody);
    return { requestBody: { required: true, content: { "application/json": { schema } } } };
  }
  if (names.length === 0) return {};
  const needed: readonly string[] = operation.input.required ?? [];
  const required = names.filter((name) => needed.includes(name));
  const examples = (operation.examples ?? []).map((example, index) => [
    `example${index + 1}`,
    { value: Object.fromEntries(Object.entries(example).filter(([name]) => names.includes(name))) },
  ]);
  const schema = {
    type: "object",
    // A protocol's library may take more than is described.
    ...(operation.kind !== "protocol" && { additionalProperties: false }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
  };
  const content = {
    [type]: { schema, ...(examples.length > 0 && { examples: Object.fromEntries(examples) }) },
  };
  const body: unknown = { required: required.length > 0, content };
  if (!isJsonObject(body)) throw new TypeError(`the examples of ${operation.name} are not JSON`);
  return { requestBody: body };
}

/** What can go wrong with operations, by status. */
const FAILURES = {
  "400": "What was sent is not what the operation takes; `problems` lists everything.",
  "401": "A key or a session is needed and none that is valid was sent.",
  "403": "The caller may not do this; a scope is missing, for example.",
  "404": "There is no such record that the caller may see.",
  "409": "It conflicts with the present state.",
  "413": "The body is larger than the operation takes.",
  "415": "The body is of a media type that the operation does not take.",
  "429": "Too many requests; see Retry-After.",
  "502": "The call was cut off: its effect may have happened.",
  "503": "The store or the service cannot take it now; see Retry-After.",
  "504": "The system outside did not answer in time.",
} as const;

function answersOf({ operation }: Route, named: NamedSchemas): JsonObject {
  const isProtocol = operation.kind === "protocol" && operation.failure !== undefined;
  const failures = {
    ...contentOf(
      isProtocol ? named.shortened(operation.failure) : { $ref: "#/components/schemas/ErrorEnvelope" },
    ),
    // A browser that a person sits at gets a page.
    ...(isProtocol && operation.contentType === "text/html" && contentOf({ type: "string" })),
  };
  const failure = (...statuses: readonly (keyof typeof FAILURES)[]): JsonObject =>
    Object.fromEntries(
      statuses.map((status) => [status, { description: FAILURES[status], content: failures }]),
    );
  const output = named.shortened(operation.output);
  const content: JsonObject =
    "contentType" in operation
      ? { [operation.contentType]: { schema: output } }
      : contentOf({
          type: "object",
          required: ["ok", "data"],
          properties: { ok: { type: "boolean" }, data: output },
        });
  const others = Object.entries(operation.otherStatuses ?? {}).map(
    ([status, description]) => [status, { description, content }] as const,
  );
  const isOpen = operation.access === "public" && operation.effect === "none";
  const isExternal = operation.effect === "external";
  const hasBody = ["POST", "PATCH"].includes(routeOfOperation(operation).method);
  const names = Object.keys(operation.input.properties);
  const location = { Location: { description: "Where to go on.", schema: { type: "string" } } };
  return {
    [String(operation.status ?? 200)]: {
      description: operation.title,
      ...(operation.status === 303 && { headers: location }),
      content,
    },
    ...Object.fromEntries(others),
    ...failure("400"),
    ...(!isOpen && failure("401", "403")),
    ...(names.length > 0 && failure("404")),
    ...failure("409"),
    ...(hasBody && failure("413", "415")),
    ...failure("429"),
    ...(isExternal && failure("502")),
    ...failure("503"),
    ...(isExternal && failure("504")),
  };
}

/** A text is a page, everything else JSON. */
function contentOf(schema: JsonObject): JsonObject {
  return { [schema["type"] === "string" ? "text/html" : "application/json"]: { schema } };
}
