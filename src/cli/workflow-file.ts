import { existsSync } from "node:fs";
import { isJsonObject, type Json, type JsonObject, listOf } from "../kernel/json.ts";
import { readDocument } from "./input.ts";

/** Whether an argument names a file, and not a stored workflow. */
export function isFile(given: string): boolean {
  return given === "-" || existsSync(given);
}

/** A document in a file, taken apart into what the tools' parameters and `_meta` carry. */
interface Written {
  readonly about: {
    readonly name?: string;
    readonly description?: string;
    readonly tags?: readonly string[];
  };
  readonly graph: { readonly nodes: readonly Json[]; readonly edges: readonly Json[] };
  readonly meta: JsonObject;
  readonly revision: number | undefined;
}

/** Reads a document: as it is exported, as `workflows get --json` prints it, or as a person writes it. */
export async function readWorkflow(file: string): Promise<Written> {
  const whole = await readDocument(file);
  const data = objectIn(whole, "data");
  const printed = objectIn(data, "workflow") ?? objectIn(data, "template") ?? {};
  const outer = Object.hasOwn(whole, "ok") ? printed : whole;
  const { name, description, tags, revision } = outer;
  const { nodes, edges, inputs: given, outputs, policy, ui } = objectIn(outer, "document") ?? outer;
  return {
    about: {
      ...(typeof name === "string" && { name }),
      ...(typeof description === "string" && { description }),
      ...(Array.isArray(tags) && { tags: tags.map(String) }),
    },
    graph: { nodes: listOf(nodes), edges: listOf(edges) },
    meta: { "svc/document": { inputs: given, outputs, policy, ui } },
    revision: typeof revision === "number" ? revision : undefined,
  };
}

function objectIn(outer: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = outer?.[name];
  return isJsonObject(value) ? value : undefined;
}
