import type { JsonObject, Json } from "@workflow-ui/client";
import { isList, isJsonRecord } from "#kernel/json.ts";
import { deref, type SchemaOrNull } from "#workflows/schema-types.ts";
import { duration, words } from "../lib/format.ts";
import { objectAt, textAt } from "../lib/read.ts";
import { titleOf, typeOf, type Graph, type DraftNode } from "../workflow/document/model.ts";
import { fromCel, OPERATORS } from "../workflow/inspect/condition.ts";
import { inWords } from "../workflow/inspect/source-words.ts";
import type { ToolInfo } from "../api/tools.ts";
import { namerOf } from "./titles.ts";

/** What follows a decision, as one sentence a step. */
export interface Consequence {
  readonly choice: "approved" | "rejected" | "changes" | "expired";
  readonly sentences: readonly string[];
}

/** A call that an approval lets happen, as the decision is bound to it. */
export interface ShownCall {
  readonly title: string;
  /** The tool, handoff or workflow that is called; empty where only more calls are announced. */
  readonly name: string;
  /** What it does, and where. */
  readonly effect: string;
  /** Under the names that a form gives them. */
  readonly arguments: Json;
  /** When it happens, in words, where that is not known yet; empty otherwise. */
  readonly condition: string;
}

const MOST = 6;

/** What happens after each choice, read from the document that the run runs. */
export function consequencesOf(graph: Graph, stepId: string, facts: Facts): readonly Consequence[] {
  return (["approved", "rejected", "changes", "expired"] as const).map((choice) => ({
    choice,
    sentences: follow(graph, stepId, choice, facts),
  }));
}

/** The calls that the decision is bound to, with their values; what the service listed, nothing is worked out here. */
export function callsOf(shown: JsonObject, graph: Graph, facts: Facts): readonly ShownCall[] {
  const { calls } = shown;
  return calls !== undefined && isList(calls)
    ? calls.filter(isJsonRecord).map((call) => callOf(call, graph, facts))
    : [];
}

/** What is known about the things that a workflow calls. */
export interface Facts {
  readonly tools: readonly ToolInfo[];
  /** Connections as a person knows them, by short name. */
  readonly places: ReadonlyMap<string, string>;
}

function callOf(call: JsonObject, graph: Graph, facts: Facts): ShownCall {
  const step = textAt(call, "step");
  const more = textAt(call, "more");
  const tool = textAt(call, "tool");
  const handoff = textAt(call, "handoff");
  const workflow = textAt(call, "workflow");
  const named = namerOf(graph);
  const schema = facts.tools.find((item) => item.name === tool)?.inputSchema ?? {};
  const given = call["arguments"] ?? {};
  // The body of a request is what a person thinks of; its name says nothing.
  const only = isJsonRecord(given) && Object.keys(given).join() === "body" && tool.includes(":");
  const inner = only ? deref(objectAt(schema, "properties")["body"], schema) : schema;
  return {
    title: more !== "" ? more : named(step),
    name: [tool, handoff, workflow].find((text) => text !== "") ?? "",
    effect:
      more !== ""
        ? ""
        : tool !== ""
          ? effectOf(tool, facts)
          : handoff !== ""
            ? "the work is sent to another service"
            : "another workflow is run",
    arguments: titled(only ? (given["body"] ?? {}) : given, inner, { root: schema, named }, 0),
    condition: conditionWords(textAt(call, "if"), graph),
  };
}

function follow(graph: Graph, from: string, port: string, facts: Facts): readonly string[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const sentences: string[] = [];
  const seen = new Set<string>();
  let next = graph.edges.filter((edge) => edge.from === from && edge.port === port);
  while (next.length > 0 && sentences.length < MOST) {
    const targets = next.map((edge) => edge.to).filter((id) => !seen.has(id));
    next = [];
    for (const id of targets) {
      seen.add(id);
      const node = byId.get(id);
      if (node === undefined) continue;
      sentences.push(sentenceOf(node, facts));
      // What comes after another decision or a switch is not certain.
      if (typeOf(node) === "approval" || typeOf(node) === "switch") continue;
      next.push(...graph.edges.filter((edge) => edge.from === id && edge.port === "success"));
    }
  }
  return sentences;
}

function sentenceOf(node: DraftNode, facts: Facts): string {
  const title = titleOf(node);
  const type = typeOf(node);
  if (type === "tool") return `${title}: ${effectOf(node.tool ?? "", facts)}.`;
  if (type === "approval") return `${title}: another person is asked.`;
  if (type === "switch") return `${title}: one of ${(node.cases?.length ?? 0) + 1} paths is taken.`;
  if (type === "wait") {
    const ms = node.wait?.ms;
    return `${title}: the run pauses${typeof ms === "number" ? ` for ${duration(ms)}` : ""}.`;
  }
  if (type === "handoff") return `${title}: the work is sent to ${words(node.handoff?.target ?? "")}.`;
  if (type === "subworkflow") return `${title}: another workflow is run.`;
  if (type === "map") {
    const { tool = "" } = node.map?.body ?? {};
    return `${title}: for each item, ${tool === "" ? "its steps are run" : effectOf(tool, facts)}.`;
  }
  return `${title}: a value is made; nothing is sent.`;
}

const MAX_DEPTH = 6;

interface Titles {
  readonly root: SchemaOrNull;
  readonly named: (step: string) => string;
}

/** A value with its fields under the titles of the schema. */
function titled(value: Json, schema: SchemaOrNull, titles: Titles, depth: number): Json {
  if (value === null || typeof value !== "object" || depth > MAX_DEPTH) return value;
  if (isList(value)) {
    const item = deref(schema?.["items"], titles.root);
    return value.map((entry) => titled(entry, item, titles, depth + 1));
  }
  const { $notKnownYet: unknown } = value;
  if (typeof unknown === "string")
    return ["not known yet", ...comesFrom(unknown, titles.named)].join(": it comes from ");
  const properties = objectAt(schema, "properties");
  return Object.fromEntries(
    Object.entries(value).map(([name, item = null]) => {
      const property = deref(properties[name], titles.root);
      return [textAt(property, "title", name), titled(item, property, titles, depth + 1)];
    }),
  );
}

/** What a value or a condition waits for: the titles of the steps that it names, or the item of a list. */
function comesFrom(source: string, named: Titles["named"]): readonly string[] {
  const ids = [...source.matchAll(/\bsteps(?:\.(\w+)|\["([\w-]+)"\])/g)].map(
    ([, id, quoted]) => id ?? quoted ?? "",
  );
  const names = [...new Set(ids)].map((id) => `“${named(id)}”`);
  if (names.length > 0) return [new Intl.ListFormat("en").format(names)];
  return /\bitem\b/.test(source) ? ["each item of a list"] : [];
}

/** A condition as a person would say it; of a long expression only what it depends on. */
function conditionWords(source: string, graph: Graph): string {
  if (source === "") return "";
  const condition = fromCel(source);
  if (condition === null)
    return ["a condition holds", ...comesFrom(source, namerOf(graph))].join(" that depends on ");
  const titles = new Map(graph.nodes.map((node) => [node.id, titleOf(node)]));
  return condition.rows
    .map(({ left, op, right }) => {
      const operator = OPERATORS.find((item) => item.op === op);
      const value = typeof right === "string" ? `“${right}”` : String(right);
      return [`“${inWords(left, titles)}”`, operator?.label ?? op, ...(operator?.takes ? [value] : [])].join(
        " ",
      );
    })
    .join(condition.join === "all" ? " and " : " or ");
}

function effectOf(name: string, { tools, places }: Facts): string {
  const tool = tools.find((item) => item.name === name);
  const [short = ""] = name.includes(":") ? name.split(":", 1) : [];
  const server = places.get(short) ?? short;
  if (tool === undefined) return server === "" ? "a tool is called" : `${server} is called`;
  if (tool.readOnly) return "something is looked up; nothing changes";
  const where = server === "" ? "" : ` at ${server}`;
  if (tool.destructive) return `something is deleted or overwritten${where}`;
  if (server !== "") return `this is sent to ${server}`;
  return tool.openWorld ? "this is sent to another service" : "this is saved here";
}
