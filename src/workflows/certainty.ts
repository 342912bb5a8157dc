import type { FlowGraph } from "./graph.ts";
import type { WorkflowNode } from "./schema.ts";

/*
 * Which steps have surely run when another one begins. A join of kind `all` begins when each incoming edge was taken
 * or can no longer be, and at least one was taken; so plain dominators would say too little: after a fork, both
 * branches have surely run at the join. Each node therefore gets a condition (a node in a tree: always; a port of a
 * step that can leave by several; an `if`), and two nodes with the same condition run together or not at all.
 * Sets are bit rows, so the whole is nodes × edges / 32 in the worst case.
 */

/** What is certain in one graph. */
export interface Certainty {
  /** True when `step` has ended (in whatever way but being skipped) before `node` begins. */
  ran(step: number, node: number): boolean;
  /** True when `step` has outputs before `node` begins. */
  hasOutputs(step: number, node: number): boolean;
  /** True when `step` has outputs in every run that succeeds, so that the run's own outputs may use it. */
  hasOutputsAtEnd(step: number): boolean;
  /** True when no condition, port or failure decides whether `node` runs in a run that succeeds. */
  always(node: number): boolean;
}

interface Condition {
  readonly parent: Condition | null;
  readonly depth: number;
  /** The step whose port this is, and how many ports it can be left by. */
  readonly splitter: number;
  readonly ports: number;
}

class Rows {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(count: number) {
    this.#words = (count + 31) >> 5;
    this.#bits = new Uint32Array(this.#words * count);
  }

  row(index: number): Uint32Array {
    return this.#bits.subarray(index * this.#words, (index + 1) * this.#words);
  }

  has(row: number, bit: number): boolean {
    return hasBit(this.row(row), bit);
  }
}

function hasBit(row: Uint32Array, bit: number): boolean {
  return (((row[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
}

function setBit(row: Uint32Array, bit: number): void {
  row[bit >> 5] = (row[bit >> 5] ?? 0) | (1 << (bit & 31));
}

function unite(into: Uint32Array, other: Uint32Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) | (other[i] ?? 0);
}

/** Keeps what `other`, with one bit added to it, has too. */
function intersect(into: Uint32Array, other: Uint32Array, added: number): void {
  const kept = added >= 0 && hasBit(into, added);
  for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) & (other[i] ?? 0);
  if (kept) setBit(into, added);
}

/** Conditions inside each other that are looked through at a join; beyond that, less is certain. */
const MAX_CHAIN = 256;
const ALWAYS: Condition = { parent: null, depth: 0, splitter: -1, ports: 0 };

/** Analyses an acyclic graph; `order` holds all its nodes so that every edge points forward. */
export function analyseCertainty(graph: FlowGraph, order: readonly number[]): Certainty {
  const analysis = new Analysis(graph);
  for (const node of order) analysis.visit(node);
  return analysis;
}

class Analysis implements Certainty {
  readonly #graph: FlowGraph;
  readonly #words: number;
  readonly #ran: Rows;
  readonly #outputs: Rows;
  /** Steps that have ended or been skipped before a node begins. */
  readonly #settled: Rows;
  readonly #condition: Condition[] = [];
  readonly #waysOf: (readonly string[])[] = [];
  readonly #ports = new Map<string, Condition>();
  readonly #ranUnder = new Map<Condition, Uint32Array>();
  readonly #outputsUnder = new Map<Condition, Uint32Array>();

  constructor(graph: FlowGraph) {
    this.#graph = graph;
    const count = graph.nodes.length;
    this.#words = (count + 31) >> 5;
    this.#ran = new Rows(count);
    this.#outputs = new Rows(count);
    this.#settled = new Rows(count);
  }

  ran(step: number, node: number): boolean {
    return this.#ran.has(node, step);
  }

  hasOutputs(step: number, node: number): boolean {
    return this.#outputs.has(node, step);
  }

  hasOutputsAtEnd(step: number): boolean {
    const row = this.#outputsUnder.get(ALWAYS);
    return row !== undefined && hasBit(row, step);
  }

  always(node: number): boolean {
    return this.#condition[node] === ALWAYS;
  }

  visit(node: number): void {
    const incoming = this.#graph.in[node] ?? [];
    const item = this.#graph.nodes[node];
    if (item === undefined) return;
    const ran = this.#ran.row(node);
    const outputs = this.#outputs.row(node);
    const settled = this.#settled.row(node);
    incoming.forEach((edge, position) => this.#enter(edge, position === 0, item, ran, outputs, settled));
    const merged = this.#merge(incoming.map((edge) => this.#conditionOf(edge)));
    if (incoming.length > 1) {
      let left = MAX_CHAIN;
      for (let at: Condition | null = merged; at !== null && left > 0; at = at.parent, left--) {
        this.#add(ran, settled, this.#ranUnder.get(at));
        this.#add(outputs, settled, this.#outputsUnder.get(at));
      }
    }
    this.#place(node, item, merged);
  }

  /** What one incoming edge makes certain; only what all of them do stays. */
  #enter(
    edge: number,
    first: boolean,
    item: WorkflowNode,
    ran: Uint32Array,
    outputs: Uint32Array,
    settled: Uint32Array,
  ): void {
    const source = this.#graph.from[edge] ?? -1;
    const outputsToo = this.#graph.edges[edge]?.port !== "error";
    if (first) {
      ran.set(this.#ran.row(source));
      outputs.set(this.#outputs.row(source));
      settled.set(this.#settled.row(source));
      setBit(ran, source);
      if (outputsToo) setBit(outputs, source);
      setBit(settled, source);
      return;
    }
    intersect(ran, this.#ran.row(source), source);
    intersect(outputs, this.#outputs.row(source), outputsToo ? source : -1);
    if (item.join === "any") {
      intersect(settled, this.#settled.row(source), source);
    } else {
      unite(settled, this.#settled.row(source));
      setBit(settled, source);
    }
  }

  #add(into: Uint32Array, settled: Uint32Array, members: Uint32Array | undefined): void {
    if (members === undefined) return;
    for (let i = 0; i < into.length; i++) into[i] = (into[i] ?? 0) | ((members[i] ?? 0) & (settled[i] ?? 0));
  }

  #place(node: number, item: WorkflowNode, merged: Condition): void {
    const condition =
      item.if === undefined ? merged : { parent: merged, depth: merged.depth + 1, splitter: -1, ports: 0 };
    this.#condition[node] = condition;
    setBit(this.#members(this.#ranUnder, condition), node);
    setBit(this.#members(this.#outputsUnder, this.#outputsCondition(node, condition)), node);
  }

  #members(under: Map<Condition, Uint32Array>, condition: Condition): Uint32Array {
    const known = under.get(condition);
    if (known !== undefined) return known;
    const row = new Uint32Array(this.#words);
    under.set(condition, row);
    return row;
  }

  #outputsCondition(node: number, condition: Condition): Condition {
    const ways = this.#ways(node);
    if (!ways.includes("error")) return condition;
    // A switch or approval with an error edge has outputs on each of its other ports; that is no single condition.
    return ways.length === 2 ? this.#port(node, ways[0] ?? "success", 2) : { ...ALWAYS, parent: condition };
  }

  /** The ports a step can be left by without the run failing. */
  #ways(node: number): readonly string[] {
    const known = this.#waysOf[node] ?? this.#findWays(node);
    this.#waysOf[node] = known;
    return known;
  }

  #findWays(node: number): readonly string[] {
    const item = this.#graph.nodes[node];
    const wired = new Set((this.#graph.out[node] ?? []).map((edge) => this.#graph.edges[edge]?.port ?? ""));
    if (item?.type === "switch") {
      const ports = [...item.cases.map(({ name }) => `case:${name}`), "default"];
      return wired.has("error") ? [...ports, "error"] : ports;
    }
    const normal = item?.type === "approval" ? "approved" : "success";
    const others =
      item?.type === "approval" ? ["rejected", "changes", "expired", "error"] : ["expired", "error"];
    return [normal, ...others.filter((port) => wired.has(port))];
  }

  #conditionOf(edge: number): Condition {
    const source = this.#graph.from[edge] ?? -1;
    const ways = this.#ways(source);
    return this.#port(source, this.#graph.edges[edge]?.port ?? "", ways.length);
  }

  #port(source: number, port: string, ports: number): Condition {
    const parent = this.#condition[source] ?? ALWAYS;
    if (ports === 1) return parent;
    const key = `${source} ${port}`;
    const known = this.#ports.get(key);
    if (known !== undefined) return known;
    const condition = { parent, depth: parent.depth + 1, splitter: source, ports };
    this.#ports.set(key, condition);
    return condition;
  }

  /** The condition under which at least one of several holds: exact where there is an expression for it, else a new one below them. */
  #merge(given: readonly Condition[]): Condition {
    if (given.length === 0) return ALWAYS;
    const open = new Set(given);
    if (open.has(ALWAYS)) return ALWAYS;
    for (let deepest = this.#deepest(open); open.size > 1; deepest = this.#deepest(open)) {
      if (this.#implied(deepest, open)) {
        open.delete(deepest);
        continue;
      }
      const siblings = [...open].filter((item) => item.splitter === deepest.splitter && item.splitter >= 0);
      if (deepest.parent === null || siblings.length < deepest.ports || deepest.ports === 0) break;
      for (const item of siblings) open.delete(item);
      open.add(deepest.parent);
    }
    const [only] = open;
    if (open.size === 1 && only !== undefined) return only;
    const parent = [...open].reduce((a, b) => commonParent(a, b));
    return { parent, depth: parent.depth + 1, splitter: -1, ports: 0 };
  }

  #deepest(open: ReadonlySet<Condition>): Condition {
    let deepest = ALWAYS;
    for (const item of open) if (item.depth >= deepest.depth) deepest = item;
    return deepest;
  }

  #implied(condition: Condition, open: ReadonlySet<Condition>): boolean {
    for (let at = condition.parent; at !== null; at = at.parent) if (open.has(at)) return true;
    return false;
  }
}

function commonParent(a: Condition, b: Condition): Condition {
  let [left, right] = [a, b];
  while (left !== right) {
    if (left.depth >= right.depth) left = left.parent ?? ALWAYS;
    else right = right.parent ?? ALWAYS;
  }
  return left;
}
