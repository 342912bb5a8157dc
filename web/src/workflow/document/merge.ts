import { wayOf } from "#workflows/diff.ts";
import { isObject } from "#kernel/json.ts";
import { textAt, type JsonRecord, textsAt } from "../../lib/read.ts";
import type { Draft } from "./graph-store.ts";
import { readGraph } from "./read-graph.ts";

/** One place that two people changed differently. */
export interface Clash {
  /** Where: `nodes`, the id of a step, then names of its fields; or another part of the draft. */
  readonly path: readonly string[];
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** A merge: what both did, with mine where both changed the same, and those places. */
export interface Merged {
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
}

/** True when two JSON values say the same. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, n) => same(item, b[n]))
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}

/** Merges what I did and what they did since a common state, field by field of each step. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): Merged {
  const clashes: Clash[] = [];
  const merged = merge3(plain(base), plain(mine), plain(theirs), [], clashes);
  return { draft: unplain(merged, mine, theirs), clashes };
}

/** The draft with their value at a place that both changed. */
export function takeTheirs(draft: Draft, clash: Clash): Draft {
  return unplain(write(plain(draft), clash.path, clash.theirs), draft, draft);
}

/** Steps and edges by id, so that they are compared with themselves wherever they stand in the list. */
function plain({ name, description, tags, graph }: Draft): JsonRecord {
  const { nodes, edges, inputs, outputs, policy, ui } = graph;
  return {
    name,
    description,
    tags,
    inputs,
    outputs,
    policy,
    ui,
    nodes: Object.fromEntries(nodes.map((node) => [node.id, node])),
    edges: Object.fromEntries(edges.map((edge) => [wayOf(edge), edge])),
  };
}

function unplain(value: unknown, mine: Draft, theirs: Draft): Draft {
  const bag = bagOf(value);
  const nodes = bagOf(bag["nodes"]);
  const order = [...mine.graph.nodes, ...theirs.graph.nodes].map((node) => node.id);
  const edges = bagOf(bag["edges"]);
  const ways = [...mine.graph.edges, ...theirs.graph.edges].map(wayOf);
  const { graph } = readGraph({
    ...bag,
    nodes: pick(nodes, order),
    edges: pick(edges, ways).filter(
      ({ from, to }) => Object.hasOwn(nodes, String(from)) && Object.hasOwn(nodes, String(to)),
    ),
  });
  return {
    name: textAt(bag, "name"),
    description: textAt(bag, "description"),
    tags: textsAt(bag, "tags"),
    graph,
  };
}

function pick(bag: JsonRecord, order: readonly string[]): readonly JsonRecord[] {
  return [...new Set([...order, ...Object.keys(bag)])].flatMap((key) => {
    const found = bag[key];
    return Object.hasOwn(bag, key) && isObject(found) ? [found] : [];
  });
}

function bagOf(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
}

function merge3(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  path: readonly string[],
  clashes: Clash[],
): unknown {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  // Where boxes stand changes nothing that runs: no person is asked about it.
  const quiet = path[0] === "ui";
  if (isObject(mine) && isObject(theirs) && (isObject(base) || base === undefined)) {
    const from = bagOf(base);
    const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
    const entries = [...keys].flatMap((key) => {
      const value = merge3(from[key], mine[key], theirs[key], [...path, key], clashes);
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(entries);
  }
  if (!quiet) clashes.push({ path, base, mine, theirs });
  // What one side removed and the other changed is kept until a person says otherwise.
  return mine === undefined && !quiet ? theirs : mine;
}

function write(value: unknown, path: readonly string[], next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  const bag = bagOf(value);
  const written = write(bag[key], rest, next);
  if (written !== undefined) return { ...bag, [key]: written };
  return Object.fromEntries(Object.entries(bag).filter(([name]) => name !== key));
}
