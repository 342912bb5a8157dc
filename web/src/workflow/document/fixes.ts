import type { WorkflowProblem } from "@workflow-ui/client";
import { nearestNames } from "#kernel/nearest.ts";
import { pathText } from "#kernel/paths.ts";
import { compileExpression } from "#workflows/expressions.ts";
import { defaultPort } from "#workflows/ports.ts";
import { asWritten, parseReference, referenceText, type Reference } from "#workflows/values.ts";
import { words } from "../../lib/format.ts";
import { objectAt, textAt } from "../../lib/read.ts";
import { bodyGraph, taggedRef, withBody } from "../inspect/map-body.ts";
import {
  connect,
  endPath,
  freeId,
  insertBefore,
  portsOf,
  removeEdges,
  removeNode,
  titleOf,
  typeOf,
  withStepRenamed,
  type Graph,
  titleOfId,
} from "./model.ts";
import { fitFixes, partThatFits } from "./fit-fixes.ts";
import { valueAt, withValueAt } from "./pointer.ts";
import { openScope, type Scope, type Subworkflows } from "../inspect/scope.ts";
import type { ToolInfo } from "../../api/tools.ts";

/** A change that solves a problem, and what its button says. */
export interface Fix {
  readonly label: string;
  readonly apply: (graph: Graph) => Graph;
}

interface Problem {
  readonly pointer: string;
  readonly graph: Graph;
  readonly tools: readonly ToolInfo[];
  readonly workflows: Subworkflows;
  /** The graph that the problem is in: the whole, or the body of a map. */
  readonly part: Graph;
  /** The map whose body that is; empty for the whole. */
  readonly map: string;
  /** The step that the problem is in; empty when it is in none. */
  readonly step: string;
  /** Changes the graph that the problem is in. */
  readonly here: (change: (part: Graph) => Graph) => (graph: Graph) => Graph;
}

type Fixer = (problem: Problem) => readonly Fix[];

/** What one click can do about a problem; empty where only a person can say what is meant. */
export function fixesFor(
  problem: WorkflowProblem,
  graph: Graph,
  tools: readonly ToolInfo[],
  workflows: Subworkflows = new Map(),
): readonly Fix[] {
  const fixer = FIXERS[problem.code];
  if (fixer === undefined) return [];
  const pointer = problem.pointer;
  const [, outer = "", , inner] =
    /^\/nodes\/(\d+)(\/map\/body(?:\/nodes\/(\d+)|\/edges)?)?/.exec(pointer) ?? [];
  const top = graph.nodes[Number(outer || -1)]?.id ?? "";
  const inBody = /^\/nodes\/\d+\/map\/body\/(?:nodes|edges)/.test(pointer);
  const part = inBody ? bodyGraph(graph, top) : graph;
  if (part === null) return [];
  const step = inBody ? (part.nodes[Number(inner ?? -1)]?.id ?? "") : top;
  const here: Problem["here"] = (change) => (now) => {
    const body = inBody ? bodyGraph(now, top) : null;
    return body === null ? change(now) : withBody(now, top, change(body));
  };
  return fixer({ pointer, graph, tools, workflows, part, map: inBody ? top : "", step, here });
}

const FIXERS: Readonly<Record<string, Fixer>> = {
  tool_unknown: ({ pointer, graph, tools }) => {
    const name = textIn(graph, pointer);
    return nearestNames(
      name,
      tools.map((tool) => tool.name),
      2,
    ).map((near) => ({
      label: `Use “${tools.find((tool) => tool.name === near)?.title ?? near}”`,
      apply: (now) => withValueAt(now, pointer, near),
    }));
  },
  argument_unknown: ({ pointer, graph, tools }) => {
    const [, place = "", name = ""] = /^(.*\/with)\/([^/]+)$/.exec(pointer) ?? [];
    if (name === "") return [removal(pointer, "Remove it")];
    const called = textIn(graph, `${place.slice(0, -"/with".length)}/tool`);
    const tool = tools.find((item) => item.name === called);
    const known = Object.keys(objectAt(tool?.inputSchema, "properties"));
    const free = known.filter((item) => valueAt(graph, `${place}/${item}`) === undefined);
    return [
      ...nearestNames(name, free, 1).map((near) => ({
        label: `Rename to “${words(near)}”`,
        apply: (now: Graph) =>
          withValueAt(withValueAt(now, `${place}/${near}`, valueAt(now, pointer)), pointer, undefined),
      })),
      removal(pointer, `Remove “${words(name)}”`),
    ];
  },
  unknown_field: ({ pointer }) => [removal(pointer, "Remove it")],
  secret_literal: ({ pointer }) => [removal(pointer, "Remove it")],
  tool_changed: ({ pointer }) => [removal(pointer, "Use the tool as it is now")],
  looks_like_template: ({ pointer, graph }) => {
    const text = textIn(graph, pointer);
    const inner = unwrapped(text);
    const reference = parseReference(inner);
    const expression = compileExpression(inner);
    return [
      ...(reference === null
        ? expression.ok && inner !== text
          ? [replacement(pointer, "Make it an expression", { $expr: inner })]
          : []
        : [replacement(pointer, "Make it a reference", { $ref: referenceText(reference) })]),
      replacement(pointer, "Keep it as text", { $literal: text }),
    ];
  },
  unreachable: ({ step, part, here }) => {
    const before = part.nodes.filter((node) => node.id !== step).at(-1);
    return [
      ...(before === undefined
        ? []
        : [
            {
              label: `Run it after “${titleOf(before)}”`,
              apply: here((now) => connect(now, before.id, step)),
            },
          ]),
      { label: "Delete the step", apply: here((now) => removeNode(now, step)) },
    ];
  },
  cycle: ({ step, part, here }) => {
    // The edge that closes the circle leads back to the step that is named first.
    const back = part.edges.find((edge) => edge.to === step && leadsTo(part, step, edge.from));
    if (back === undefined) return [];
    const label = `Remove the connection from “${titleOfId(part, back.from)}”`;
    return [{ label, apply: here((now) => removeEdges(now, [back.id])) }];
  },
  edge_dangling: ({ pointer }) => [removal(edgeOf(pointer), "Remove the connection")],
  edge_duplicate: ({ pointer }) => [removal(edgeOf(pointer), "Remove the connection")],
  port_unknown: ({ pointer, graph, part }) => {
    const from = textIn(graph, `${edgeOf(pointer)}/from`);
    const node = part.nodes.find((item) => item.id === from);
    if (node === undefined) return [];
    const port = textIn(graph, pointer);
    const [near = defaultPort(typeOf(node))] = nearestNames(port, portsOf(node), 1);
    return [replacement(pointer, `Use “${near.replace(/^case:/, "")}”`, near)];
  },
  switch_no_default: ({ step, here }) => [
    { label: "Let the path end", apply: here((now) => endPath(now, step, "default")) },
  ],
  switch_case_unwired: ({ pointer, graph, step, here }) => {
    const name = textIn(graph, `${pointer}/name`);
    return [
      { label: "Let the path end", apply: here((now) => endPath(now, step, `case:${name}`)) },
      removal(pointer, `Remove the case “${name}”`),
    ];
  },
  destructive_without_approval: ({ step, part, here }) => [
    {
      label: "Ask for approval before it",
      apply: here((now) => {
        const title = `Allow “${titleOfId(part, step)}”?`;
        const node = {
          id: freeId(now, "approval"),
          type: "approval",
          title: "Approval",
          approval: { title },
        };
        return insertBefore(now, node, step);
      }),
    },
  ],
  retry_without_key: ({ pointer, step, graph }) => {
    const place = pointer.replace(/\/retry$/, "");
    const owner = objectAt(valueAt(graph, place));
    // An operation that takes a key is not a problem, and a key that is there already reaches nothing.
    const takesKey = owner["idempotencyKey"] === undefined && !textAt(owner, "tool").includes(":");
    const key = { $expr: `run.id + ${JSON.stringify(`-${step}`)}` };
    return [
      ...(takesKey ? [replacement(`${place}/idempotencyKey`, "Send a key that stays the same", key)] : []),
      ...(pointer === place ? [] : [removal(pointer, "Do not retry")]),
    ];
  },
  retry_pointless: ({ pointer }) => [
    removal(pointer.slice(0, pointer.lastIndexOf("/retry") + "/retry".length), "Remove the retry"),
  ],
  map_items: (problem) => {
    const { pointer, graph } = problem;
    if (pointer.endsWith("/$ref")) return fitFixes(problem, scopeOf(problem));
    const items = valueAt(graph, pointer);
    const limit = pointer.replace(/\/items$/, "/maxItems");
    const allowed = valueAt(graph, limit);
    if (!Array.isArray(items) || items.length <= (typeof allowed === "number" ? allowed : 0)) return [];
    return [replacement(limit, `Allow ${items.length} items`, items.length)];
  },
  ref_unknown_step: (problem) => {
    const { pointer, graph, part } = problem;
    const known = [...part.nodes, ...(part === graph ? [] : graph.nodes)].map((node) => node.id);
    return namesAt(valueAt(graph, pointer), "steps")
      .filter((name) => !known.includes(name))
      .flatMap((name) =>
        nearestNames(
          name,
          known.filter((id) => id !== problem.step),
          2,
        ).map((near) => ({
          label: `Use “${titleOfId(part === graph ? graph : part, near)}”`,
          apply: (now: Graph) => withValueAt(now, pointer, withStepRenamed(textIn(now, pointer), name, near)),
        })),
      );
  },
  ref_unknown_input: ({ pointer, graph }) => {
    const known = Object.keys(objectAt(graph.inputs, "properties"));
    return namesAt(valueAt(graph, pointer), "inputs")
      .filter((name) => !known.includes(name))
      .flatMap((name) => [
        ...nearestNames(name, known, 1).map((near) => ({
          label: `Use “${words(near)}”`,
          apply: (now: Graph) => withValueAt(now, pointer, inputRenamed(textIn(now, pointer), name, near)),
        })),
        {
          label: `Add the input “${words(name)}”`,
          apply: (now: Graph) => ({
            ...now,
            inputs: {
              ...now.inputs,
              properties: { ...objectAt(now.inputs, "properties"), [name]: { type: "string" } },
            },
          }),
        },
      ]);
  },
  ref_unknown_path: (problem) => {
    const { pointer, graph } = problem;
    const reference = parseReference(textIn(graph, pointer));
    if (reference === null || reference.pointer.length === 0) return [];
    const scope = scopeOf(problem);
    for (let kept = reference.pointer.length - 1; kept >= 0; kept--) {
      const source = scope.sourceOf(
        referenceText({ ...reference, pointer: reference.pointer.slice(0, kept) }),
      );
      if (source === null) continue;
      const names = source.children().map((child) => child.name);
      return nearestNames(reference.pointer[kept] ?? "", names, 2).map((near) => {
        const path = [...reference.pointer.slice(0, kept), near, ...reference.pointer.slice(kept + 1)];
        const fixed: Reference = { ...reference, pointer: path };
        return replacement(pointer, `Use “${words(near)}”`, referenceText(fixed));
      });
    }
    return [];
  },
  argument_type: (problem) => fitFixes(problem, scopeOf(problem)),
  argument_unsure: (problem) => fitFixes(problem, scopeOf(problem)),
  wait_invalid: (problem) => fitFixes(problem, scopeOf(problem)),
  expr_not_boolean: (problem) => {
    const { pointer, graph } = problem;
    const condition = textIn(graph, pointer);
    const scope = scopeOf(problem);
    const { type } = scope.check(condition);
    const makes = (label: string, cel: string): Fix => replacement(pointer, label, cel);
    const subject = parseReference(condition) === null ? `(${condition})` : condition;
    if (type === "list" || type.startsWith("list<") || type === "string")
      return [makes("Ask whether it is not empty", `size(${subject}) > 0`)];
    if (["int", "uint", "double"].includes(type))
      return [makes("Ask whether it is more than 0", `${subject} > 0`)];
    const part = partThatFits(scope.sourceOf(condition)?.children() ?? [], { type: "boolean" });
    return part === null ? [] : [makes(`Use “${part.trail.join(" › ")}”`, `${part.path} == true`)];
  },
  ref_fixed_item: ({ pointer, graph, map, step }) => {
    const items = graph.nodes.find((node) => node.id === (map || step))?.map?.items;
    const list = taggedRef(items);
    const rest = asWritten(textIn(graph, pointer))
      .slice(list.length)
      .replace(/^\[\d+\]/, "");
    return [replacement(pointer, "Use this item", `item${rest}`)];
  },
  ref_optional: ({ pointer, graph }) => {
    const given = { $ref: textIn(graph, pointer), default: null };
    return [replacement(pointer.replace(/\/\$ref$/, ""), "Leave it empty when it is missing", given)];
  },
  ref_not_upstream: ({ pointer, graph, part, step, here }) => [
    ...namesAt(valueAt(graph, pointer), "steps")
      .filter((name) => step !== "" && name !== step && part.nodes.some((node) => node.id === name))
      .filter((name) => !leadsTo(part, step, name) && !leadsTo(part, name, step))
      .map((name) => ({
        label: `Run “${titleOfId(part, name)}” before this`,
        apply: here((now) => connect(now, name, step)),
      })),
    // A step that a path leads around need not have run; a run can do without what it gives.
    ...namesAt(pointer.endsWith("/$ref") ? valueAt(graph, pointer) : undefined, "steps")
      .filter((name) => name !== step && (step === "" || leadsTo(part, name, step)))
      .map(() => ({
        label: "Leave it empty when that step does not run",
        apply: (now: Graph) =>
          withValueAt(now, pointer.replace(/\/\$ref$/, ""), { $ref: textIn(now, pointer), default: null }),
      })),
  ],
};

/** What can be referred to where a problem is. */
function scopeOf({ pointer, graph, tools, workflows, map, step }: Omit<Problem, "part" | "here">): Scope {
  const isItemCall = /^\/nodes\/\d+\/map\/body\/with\//.test(pointer);
  const place = isItemCall
    ? { node: null, body: step }
    : { node: step === "" ? null : step, body: map === "" ? null : map };
  return openScope(graph, tools, place, new Map(), workflows);
}

/** What stands inside `{{…}}` or `${…}`. */
function unwrapped(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("{{") && trimmed.endsWith("}}")) return trimmed.slice(2, -2).trim();
  return trimmed.startsWith("${") && trimmed.endsWith("}") ? trimmed.slice(2, -1).trim() : text;
}

function textIn(graph: Graph, pointer: string): string {
  const found = valueAt(graph, pointer);
  return typeof found === "string" ? found : "";
}

function removal(pointer: string, label: string): Fix {
  return { label, apply: (now) => withValueAt(now, pointer, undefined) };
}

function replacement(pointer: string, label: string, value: unknown): Fix {
  return { label, apply: (now) => withValueAt(now, pointer, value) };
}

function edgeOf(pointer: string): string {
  return /^.*?\/edges\/\d+/.exec(pointer)?.[0] ?? pointer;
}

/** The steps or inputs that a reference or an expression names. */
function namesAt(text: unknown, root: "steps" | "inputs"): readonly string[] {
  if (typeof text !== "string") return [];
  const reference = parseReference(text);
  if (reference?.root === "steps") return root === "steps" ? [reference.step] : [];
  if (reference?.root === "inputs")
    return root === "inputs" && reference.name !== null ? [reference.name] : [];
  const compiled = compileExpression(text);
  return compiled.ok ? [...compiled.expression[root]] : [];
}

function inputRenamed(text: string, from: string, to: string): string {
  const reference = parseReference(text);
  if (reference?.root === "inputs") return referenceText({ ...reference, name: to });
  return text.replaceAll(/\binputs\.([A-Za-z_][A-Za-z0-9_]*)/g, (whole, name: string) =>
    name === from ? pathText("inputs", [to]) : whole,
  );
}

/** True when following the edges from one step reaches another. */
function leadsTo(graph: Graph, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const edge of graph.edges) if (edge.from === id) seen.add(edge.to);
  return seen.has(to);
}
