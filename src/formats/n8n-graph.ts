import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { quote } from "./http/collector.ts";
import type { Losses } from "./http/sequence.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** A connection between two nodes: from an output of one to an input of the other. */
interface N8nLink {
  readonly from: string;
  readonly output: number;
  readonly to: string;
  readonly input: number;
}

/** The nodes of an n8n workflow with the links that an acyclic graph can have. */
export interface N8nGraph {
  readonly nodes: ReadonlyMap<string, { readonly node: JsonObject; readonly pointer: string }>;
  readonly into: ReadonlyMap<string, readonly N8nLink[]>;
  /** Every node after all those that lead to it. */
  readonly order: readonly string[];
}

const MAX_NODES = 2_000;
const MAX_LINKS = 10_000;

/** Reads nodes and links; names links that lead back, and links of other kinds than data. */
export function graphOf(given: JsonObject, losses: Losses): N8nGraph {
  const nodes = new Map<string, { node: JsonObject; pointer: string }>();
  const listed = listAt(given, "nodes");
  listed.slice(0, MAX_NODES).forEach((node, index) => {
    if (isJsonObject(node) && textAt(node, "name") !== "")
      nodes.set(textAt(node, "name"), { node, pointer: `/nodes/${index}` });
  });
  if (listed.length > MAX_NODES)
    losses.lose({
      pointer: "/nodes",
      what: `${listed.length - MAX_NODES} further nodes.`,
      why: `At most ${MAX_NODES} are read.`,
    });
  const links = linksOf(given, nodes, losses);
  leaveOutParts(given, nodes, links);
  const order = orderOf([...nodes.keys()], links, losses);
  const place = new Map(order.map((name, index) => [name, index]));
  const into = new Map<string, N8nLink[]>();
  for (const link of links) {
    if ((place.get(link.from) ?? 0) >= (place.get(link.to) ?? 0)) continue;
    const known = into.get(link.to);
    if (known === undefined) into.set(link.to, [link]);
    else known.push(link);
  }
  return { nodes, into, order };
}

/** Models, memories and tools of agents are parts of another node and no steps; what they provide is named as lost. */
function leaveOutParts(
  given: JsonObject,
  nodes: Map<string, { node: JsonObject; pointer: string }>,
  links: readonly N8nLink[],
): void {
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]));
  for (const [name, outputs] of Object.entries(objectAt(given, "connections"))) {
    const kinds = isJsonObject(outputs) ? Object.keys(outputs) : [];
    if (!linked.has(name) && kinds.length > 0 && !kinds.includes("main")) nodes.delete(name);
  }
}

function linksOf(given: JsonObject, nodes: ReadonlyMap<string, unknown>, losses: Losses): readonly N8nLink[] {
  const links: N8nLink[] = [];
  for (const [from, outputs] of Object.entries(objectAt(given, "connections"))) {
    if (!isJsonObject(outputs) || !nodes.has(from)) continue;
    for (const kind of Object.keys(outputs).filter((name) => name !== "main"))
      losses.lose({
        pointer: `/connections/${from}/${kind}`,
        what: `What ${quote(from)} provides as ${quote(kind)}.`,
        why: "Only data is passed between steps; models, memories and tools of agents are not.",
      });
    listAt(outputs, "main").forEach((targets, output) => {
      if (!Array.isArray(targets)) return;
      for (const target of targets) {
        if (!isJsonObject(target) || links.length >= MAX_LINKS) continue;
        const to = textAt(target, "node");
        const input = typeof target["index"] === "number" ? target["index"] : 0;
        if (nodes.has(to)) links.push({ from, output, to, input });
        else
          losses.lose({
            pointer: `/connections/${from}`,
            what: `The link from ${quote(from)} to ${quote(to)}.`,
            why: "There is no such node.",
          });
      }
    });
  }
  return links;
}

/** Kahn's order; where only a circle is left, its first node in the file goes first and the links back are lost. */
function orderOf(names: readonly string[], links: readonly N8nLink[], losses: Losses): readonly string[] {
  const waiting = new Map(names.map((name) => [name, 0]));
  const out = new Map<string, N8nLink[]>();
  for (const link of links) {
    if (link.from === link.to) continue;
    waiting.set(link.to, (waiting.get(link.to) ?? 0) + 1);
    const known = out.get(link.from);
    if (known === undefined) out.set(link.from, [link]);
    else known.push(link);
  }
  const order: string[] = [];
  const placed = new Set<string>();
  const ready = names.filter((name) => waiting.get(name) === 0);
  const reached = new Set<string>(ready);
  let at = 0;
  const place = (name: string): void => {
    if (placed.has(name)) return;
    placed.add(name);
    order.push(name);
    for (const { to } of out.get(name) ?? []) {
      reached.add(to);
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) ready.push(to);
    }
  };
  let cursor = 0;
  while (order.length < names.length) {
    while (at < ready.length) place(ready[at++] ?? "");
    if (order.length === names.length) break;
    // A node in a circle that something before it leads to: the loop is entered there.
    const entry = names.find((name) => !placed.has(name) && reached.has(name));
    if (entry !== undefined) place(entry);
    else {
      while (placed.has(names[cursor] ?? "")) cursor += 1;
      place(names[cursor] ?? "");
    }
  }
  const position = new Map(order.map((name, index) => [name, index]));
  for (const { from, to } of links) {
    if ((position.get(from) ?? 0) < (position.get(to) ?? 0)) continue;
    losses.lose({
      pointer: `/connections/${from}`,
      what: `The link from ${quote(from)} back to ${quote(to)}.`,
      why: "A workflow has no circles; to repeat steps for each item, use a map step.",
    });
  }
  return order;
}
