import { AppError } from "../kernel/errors.ts";
import { exampleOf } from "../kernel/example.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { findRunning } from "../workflows/seen.ts";
import { sampleOf } from "../workflows/sample.ts";
import { pick } from "./answers.ts";
import { argumentNames } from "./find.ts";

/** What a model needs to use a tool, a connected tool or a workflow. */
export async function described(
  name: string,
  full: boolean,
  context: CallContext,
  pointer?: string,
): Promise<JsonObject> {
  const { catalog, connections } = context.services;
  const tool = catalog.tool(name);
  if (tool !== undefined) {
    const { title, description, effect, access, idempotent, examples } = tool;
    const inputSchema: JsonObject = JSON.parse(JSON.stringify(tool.input));
    const outputSchema: JsonObject = JSON.parse(JSON.stringify(tool.output));
    const example: Json = JSON.parse(JSON.stringify(examples?.[0] ?? exampleOf(inputSchema) ?? {}));
    return {
      text: `${name}(${argumentNames(inputSchema)}) · effect ${effect} · ${access === "public" ? "no key needed" : `scope ${access}`} · e.g. ${JSON.stringify(example)}`,
      kind: "tool",
      name,
      title,
      description,
      effect,
      idempotent,
      inputSchema,
      example: { name, arguments: example },
      ...(full && { outputSchema }),
    };
  }
  if (name.includes(":")) {
    const found = context.caller.kind === "anonymous" ? null : await connections.find(name);
    if (found === null) throw await unknown(name, context, pointer);
    const { title, description, effect, state, idempotent, inputSchema, outputSchema } = found;
    const example = exampleOf(inputSchema) ?? sampleOf(inputSchema);
    return {
      text: `${name}(${argumentNames(inputSchema)}) · effect ${effect} · ${state} · e.g. ${JSON.stringify(example)}`,
      kind: "connected",
      name,
      title,
      description,
      effect,
      idempotent,
      state,
      inputSchema,
      example: { name, arguments: example },
      ...(full && { outputSchema }),
    };
  }
  const { ok, data } = await catalog.call("get_workflow", { id: name }, context);
  const workflow = data["workflow"];
  if (!ok || !isJsonObject(workflow)) throw await unknown(name, context, pointer);
  // What `run` runs, not what is being edited.
  const { record, document, digest } = await findRunning(name, context);
  const inputSchema = isJsonObject(document["inputs"]) ? document["inputs"] : {};
  return {
    text: `${name}(${argumentNames(inputSchema)}) · workflow, ${record.publishedVersion === null ? "draft" : `version ${record.publishedVersion}`}`,
    kind: "workflow",
    ...pick(workflow, ["id", "status", "publishedVersion", "revision"]),
    name: record.name,
    description: record.description,
    ...(record.publishedVersion !== null && { draftDiffers: workflow["digest"] !== digest }),
    inputSchema,
    example: { workflow: name, inputs: exampleOf(inputSchema) ?? sampleOf(inputSchema) },
    ...(full && { document }),
  };
}

/** The tools here are no tools of `call`; a test compares the list. */
const OWN =
  /^(?:find|describe|call|render_form|check_value|connect|write_workflow|try_workflow|run|get|list|decide)$/;

/** The refusal of a name that names no tool: the nearest ones, or how to find it. */
export async function unknown(
  name: string,
  { services, caller }: CallContext,
  pointer = "/name",
): Promise<AppError> {
  const heads = caller.kind === "anonymous" ? [] : await services.connections.heads();
  const nearest = nearestNames(name, [
    ...services.catalog.tools.map((tool) => tool.name),
    ...heads.map((head) => `${head.connection}:${head.name}`),
  ]);
  const words = name
    .replaceAll(/[^\w ]+/g, " ")
    .trim()
    .slice(0, 60);
  const search = `Search with find {"query": "${words}"}.`;
  const fix = OWN.test(name)
    ? `${name} is a tool here: call it by itself.`
    : caller.kind === "anonymous" && name.includes(":")
      ? "Connected tools need a key or a signed-in client."
      : nearest.length === 0
        ? search
        : `Did you mean ${nearest.map((one) => `"${one}"`).join(" or ")}? ${search}`;
  return new AppError("not_found", `There is nothing called "${name.slice(0, 100)}" that you may see.`, {
    problems: [
      {
        pointer,
        message: "It names no tool.",
        expected: "a name that find gave",
        given: name.slice(0, 100),
        fix,
      },
    ],
    details: { nearest },
  });
}
