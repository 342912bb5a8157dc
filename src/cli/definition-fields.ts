import { isJson, isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { Cli } from "./command.ts";
import { Failure } from "./failure.ts";

/** The connected tool that the command line names. */
export function toolOf({ given }: Cli): { readonly connection: string; readonly definition: string } {
  const id = given.argument("tool");
  const cut = id.indexOf(":");
  if (cut > 0) return { connection: id.slice(0, cut), definition: id.slice(cut + 1) };
  throw new Failure("usage", `"${id.slice(0, 60)}" is not the name of a connected tool.`, {
    next: "Write connection:name; suitectl connections tools lists them.",
  });
}

/** A field of a definition. */
interface Field {
  readonly path: readonly string[];
  readonly type: Json | undefined;
  readonly required: boolean;
  readonly description: string;
}

/** Every field of a schema by its dotted path. */
export function fieldsOf(schema: JsonObject, path: readonly string[] = [], depth = 0): readonly Field[] {
  const properties = Object.entries(objectOf(schema["properties"]));
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  if (depth > 6) return [];
  return properties.flatMap(([name, property]) => {
    const at = [...path, name];
    const { type, description } = objectOf(property);
    const field = {
      path: at,
      type,
      required: needed.includes(name),
      description: typeof description === "string" ? description.slice(0, 200) : "",
    };
    return [field, ...fieldsOf(objectOf(property), at, depth + 1)];
  });
}

/** The arguments with one more field, found by its whole path or by its own name where only one has it. */
export function withField(
  args: JsonObject,
  field: string,
  value: string,
  fields: readonly Field[],
  id: string,
): JsonObject {
  const exact = fields.find(({ path }) => path.join(".") === field);
  const named = fields.filter(({ path }) => path.at(-1) === field);
  const found = exact ?? (named.length === 1 ? named[0] : undefined);
  if (found === undefined) {
    const names = fields.map(({ path }) => path.join("."));
    const near = named.length > 1 ? named.map(({ path }) => path.join(".")) : nearestNames(field, names);
    throw new Failure(
      "usage",
      `${id} has ${named.length > 1 ? "several fields" : "no field"} "${field.slice(0, 60)}".`,
      {
        next:
          near.length > 0
            ? `Write --${near.join(" or --")}.`
            : `It takes ${names.slice(0, 20).join(", ") || "none"}.`,
      },
    );
  }
  return placed(args, found.path, read(value, found.type, field));
}

function placed(target: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [first = "", ...rest] = path;
  return { ...target, [first]: rest.length === 0 ? value : placed(objectOf(target[first]), rest, value) };
}

function read(value: string, type: unknown, field: string): Json {
  if (type === "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    if (isJson(parsed)) return parsed;
  } catch {
    if (type === undefined || (Array.isArray(type) && type.includes("string"))) return value;
  }
  if (type === "array") return value.split(",");
  throw new Failure("usage", `The value of --${field} is not JSON.`, {
    next: 'Write numbers, true, [1, 2] or {"a": 1}.',
  });
}

/** A JSON object, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
