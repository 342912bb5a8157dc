import type { Json, JsonObject } from "../../kernel/json.ts";

/* The words in which the templates that come with the service are written: short for parts of `suite.workflow.v1`. */

/** A value that is read from an input, an earlier step or the item of a map. */
export function ref(path: string, otherwise?: Json): JsonObject {
  return { $ref: path, ...(otherwise !== undefined && { default: otherwise }) };
}

/** A value that an expression gives. */
export function expr(cel: string, otherwise?: Json): JsonObject {
  return { $expr: cel, ...(otherwise !== undefined && { default: otherwise }) };
}

/** A closed object whose members are all needed but those that are named as optional. */
export function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

type Step = (id: string) => JsonObject;

/** What a step of any type may have: a condition, retries, a time limit. */
type More = JsonObject;

function step(type: string, title: string, parts: JsonObject): Step {
  return (id) => ({ id, type, ...(title !== "" && { title }), ...parts });
}

/** A call of a tool. Steps inside of a map need no title. */
export function tool(title: string, name: string, args?: JsonObject, more: More = {}): Step {
  return step("tool", title, { tool: name, ...(args && { with: args }), ...more });
}

/** A question to a person. */
export function approval(title: string, approval: JsonObject, more: More = {}): Step {
  return step("approval", title, { approval, ...more });
}

/** A value made of others. */
export function transform(title: string, value: Json): Step {
  return step("transform", title, { value });
}

/** A choice of paths: the condition of each by its name. */
export function choose(title: string, conditions: Readonly<Record<string, string>>, more: More = {}): Step {
  const cases = Object.entries(conditions).map(([name, when]) => ({ name, when }));
  return step("switch", title, { cases, ...more });
}

/** The same for each item of a list. */
export function forEach(title: string, map: JsonObject): Step {
  return step("map", title, { map });
}

/** A pause. */
export function wait(title: string, wait: JsonObject, more: More = {}): Step {
  return step("wait", title, { wait, ...more });
}

/** Work for a sibling. */
export function handoff(title: string, handoff: JsonObject, more: More = {}): Step {
  return step("handoff", title, { handoff, ...more });
}

/** Steps by their ids, and the paths between them: `a > b`, or `a:port > b` where not the usual port is taken. */
export function graph(steps: Readonly<Record<string, Step>>, ...paths: readonly string[]) {
  const edges = paths.flatMap((path) => {
    const stops = path.split(" > ");
    return stops.slice(1).map((to, at): JsonObject => {
      const [from = "", ...port] = (stops[at] ?? "").split(":");
      const [target = ""] = to.split(":");
      return { from, to: target, ...(port.length > 0 && { port: port.join(":") }) };
    });
  });
  return { nodes: Object.entries(steps).map(([id, make]) => make(id)), edges };
}
