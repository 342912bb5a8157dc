import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { Imported } from "./format.ts";
import { HttpCollector, quote } from "./http/collector.ts";
import type { Placeholder } from "./http/placeholders.ts";
import { Losses } from "./http/sequence.ts";
import { graphOf, type N8nGraph } from "./n8n-graph.ts";
import { kindOf, stepOf, type N8nStep } from "./n8n-steps.ts";
import { triggersOf } from "./n8n-triggers.ts";
import { N8nValues, type N8nScope } from "./n8n-values.ts";
import { listAt, nodeIds, objectAt, textAt } from "./reading.ts";

const MAX_EDGES = 20_000;

/** True for an n8n workflow: its nodes name their package, and its links are called connections. */
export function isN8n(given: JsonObject): boolean {
  const [first] = listAt(given, "nodes").filter(isJsonObject);
  return (
    isJsonObject(given["connections"]) &&
    (first === undefined || (textAt(first, "type").includes(".") && first["parameters"] !== undefined))
  );
}

/** Reads an n8n workflow. HTTP requests become steps of connections; what has no counterpart is named. */
export function importN8n(given: JsonObject): Imported {
  return new N8nReader(given).read();
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly port: string;
}

class N8nReader {
  readonly #given: JsonObject;
  readonly #losses = new Losses();
  readonly #collector = new HttpCollector(this.#losses.lose);
  readonly #values = new N8nValues(this.#collector, this.#losses);
  readonly #graph: N8nGraph;
  readonly #steps = new Map<string, N8nStep>();
  readonly #ids: ReadonlyMap<string, string>;
  readonly #fresh: (wish: string) => string;

  constructor(given: JsonObject) {
    this.#given = given;
    this.#graph = graphOf(given, this.#losses);
    const ids = nodeIds([]);
    this.#fresh = (wish) => ids.fresh(wish);
    this.#ids = new Map(
      this.#graph.order.map((name) => [
        name,
        ids.fresh((name.match(/[A-Za-z0-9]+/g) ?? []).join("_").slice(0, 50)),
      ]),
    );
  }

  read(): Imported {
    const { nodes, order } = this.#graph;
    if (nodes.size === 0) throw new AppError("invalid_input", "The n8n workflow has no nodes.");
    for (const name of order) {
      const entry = nodes.get(name);
      if (entry === undefined) continue;
      this.#steps.set(
        name,
        stepOf(entry.node, this.#idOf(name), this.#scope(name, entry.pointer), {
          values: this.#values,
          collector: this.#collector,
          losses: this.#losses,
        }),
      );
    }
    const steps = order.flatMap((name) => this.#node(name));
    const links = this.#edges();
    const ends = this.#ends(steps, links);
    const made = [...steps, ...ends.map(({ node }) => node)];
    const edges = [...links, ...ends.map(({ edge }) => edge)];
    const parents = parentsOf(
      made.map((node) => textAt(node, "id")),
      edges,
    );
    const document = {
      nodes: made.map((node) => withDefaults(node, textAt(node, "id"), parents)),
      edges: edges.map((edge) => ({ ...edge })),
      outputs: this.#outputs(),
    };
    const triggers = order.flatMap((name) => {
      const { node, pointer } = nodes.get(name) ?? {};
      if (node === undefined || pointer === undefined) return [];
      const inputOf = (word: string): string => this.#collector.input(word, {}).id;
      return triggersOf({ node, kind: kindOf(node), name, pointer, inputOf }, this.#given, this.#losses);
    });
    this.#loseTheRest(triggers.some(({ kind }) => kind === "schedule"));
    return {
      format: "n8n",
      name: textAt(this.#given, "name").slice(0, 200) || "n8n workflow",
      description: textAt(objectAt(this.#given, "meta"), "description"),
      tags: ["imported:n8n"],
      document: { inputs: this.#collector.inputsSchema([document]), ...document },
      losses: this.#losses.all(),
      connections: this.#collector.connections(),
      triggers,
    };
  }

  #idOf(name: string): string {
    return this.#ids.get(name) ?? "step";
  }

  #scope(name: string, pointer: string): N8nScope {
    const [link] = this.#graph.into.get(name) ?? [];
    return {
      before: link === undefined ? { root: "inputs", id: "", path: [] } : this.#data(link.from),
      data: (other) => (this.#graph.nodes.has(other) ? this.#data(other) : null),
      pointer,
      node: name,
    };
  }

  /** Where the data that leaves a node is: its own, or what it passes on. */
  #data(name: string): Placeholder {
    let at = name;
    for (let steps = 0; steps <= this.#graph.order.length; steps++) {
      const own = this.#steps.get(at)?.data;
      if (own != null) return own;
      const [link] = this.#graph.into.get(at) ?? [];
      if (link === undefined) break;
      at = link.from;
    }
    return { root: "inputs", id: "", path: [] };
  }

  #node(name: string): readonly JsonObject[] {
    const step = this.#steps.get(name)?.node;
    const entry = this.#graph.nodes.get(name);
    if (step == null || entry === undefined) return [];
    const { node, pointer } = entry;
    const tries = node["maxTries"];
    const wait = node["waitBetweenTries"];
    for (const setting of ["executeOnce", "alwaysOutputData", "webhookId"])
      if (node[setting] === true)
        this.#losses.lose({
          pointer: `${pointer}/${setting}`,
          what: `The setting ${quote(setting)} of ${quote(name)}.`,
          why: "A step runs once and gives one result.",
        });
    return [
      {
        id: this.#idOf(name),
        title: name.slice(0, 200),
        ...(textAt(node, "notes") !== "" && { description: textAt(node, "notes").slice(0, 4_000) }),
        ...step,
        ...(node["retryOnFail"] === true && {
          retry: {
            maxAttempts: typeof tries === "number" ? Math.min(20, Math.max(2, Math.round(tries))) : 3,
            ...(typeof wait === "number" && {
              backoffMs: Math.min(3_600_000, Math.max(0, Math.round(wait))),
            }),
          },
        }),
      },
    ];
  }

  /** Edges between the steps that are left; a node that is no step leads its links on. */
  #edges(): readonly Edge[] {
    /** For a node that is no step: the steps and ports that lead to it. */
    const through = new Map<string, readonly Omit<Edge, "to">[]>();
    const edges = new Map<string, Edge>();
    for (const name of this.#graph.order) {
      const sources = new Map<string, Omit<Edge, "to">>();
      for (const link of this.#graph.into.get(name) ?? []) {
        const before = this.#steps.get(link.from);
        const found =
          before?.node == null
            ? (through.get(link.from) ?? [])
            : this.#leaving(link.from, link.output, before);
        for (const source of found)
          if (sources.size < 200) sources.set(`${source.from} ${source.port}`, source);
      }
      if (this.#steps.get(name)?.node == null) {
        through.set(name, [...sources.values()]);
        continue;
      }
      const to = this.#idOf(name);
      for (const source of sources.values())
        if (edges.size < MAX_EDGES) edges.set(`${source.from} ${source.port} ${to}`, { ...source, to });
    }
    return [...edges.values()];
  }

  /** In n8n a branch may lead nowhere; here a switch says where its last port leads, so that branch gets an end. */
  #ends(
    steps: readonly JsonObject[],
    edges: readonly Edge[],
  ): readonly { readonly node: JsonObject; readonly edge: Edge }[] {
    const left = new Set(edges.filter(({ port }) => port === "default").map(({ from }) => from));
    return steps
      .filter((step) => step["type"] === "switch" && !left.has(textAt(step, "id")))
      .map((step) => {
        const id = this.#fresh("end");
        return {
          node: { id, title: "End", type: "transform", value: {} },
          edge: { from: textAt(step, "id"), to: id, port: "default" },
        };
      });
  }

  /** The ports through which a step is left by one of n8n's outputs. */
  #leaving(name: string, output: number, step: N8nStep): readonly Omit<Edge, "to">[] {
    const from = this.#idOf(name);
    const node = this.#graph.nodes.get(name)?.node ?? {};
    const onError = textAt(node, "onError");
    const goesOn = onError === "continueRegularOutput" || node["continueOnFail"] === true;
    if (onError === "continueErrorOutput" && step.node?.["type"] !== "switch" && output === 1)
      return [{ from, port: "error" }];
    const port = step.ports[output] ?? step.ports[0] ?? "success";
    if (step.node?.["type"] === "switch" || output === 0 || step.ports[output] !== "error")
      return goesOn
        ? [
            { from, port },
            { from, port: "error" },
          ]
        : [{ from, port }];
    return [{ from, port: "success" }];
  }

  #outputs(): JsonObject {
    const answer = this.#graph.order.findLast(
      (name) => kindOf(this.#graph.nodes.get(name)?.node ?? {}) === "respondToWebhook",
    );
    if (answer === undefined) return {};
    return { response: { $ref: `$steps.${this.#idOf(answer)}.outputs`, default: null } };
  }

  #loseTheRest(hasSchedule: boolean): void {
    this.#losses.lose({
      pointer: "/nodes",
      what: "That n8n runs a node once for each item.",
      why: "Here each step runs once; use a map step for lists.",
    });
    if (Object.keys(objectAt(this.#given, "pinData")).length > 0)
      this.#losses.lose({
        pointer: "/pinData",
        what: "Pinned sample data.",
        why: "A dry run makes its own samples.",
      });
    for (const setting of ["errorWorkflow", "callerPolicy", ...(hasSchedule ? [] : ["timezone"])])
      if (objectAt(this.#given, "settings")[setting] !== undefined)
        this.#losses.lose({
          pointer: `/settings/${setting}`,
          what: `The setting ${quote(setting)}.`,
          why: "There is no such setting here.",
        });
  }
}

/** For each step the nearest step that surely succeeded before it. */
function parentsOf(ids: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, string | null> {
  const into = new Map<string, Edge[]>();
  for (const edge of edges) {
    const known = into.get(edge.to);
    if (known === undefined) into.set(edge.to, [edge]);
    else known.push(edge);
  }
  const parents = new Map<string, string | null>();
  const depth = new Map<string, number>();
  const meet = (one: string | null, other: string | null): string | null => {
    let [a, b] = [one, other];
    while (a !== b && a !== null && b !== null)
      if ((depth.get(a) ?? 0) >= (depth.get(b) ?? 0)) a = parents.get(a) ?? null;
      else b = parents.get(b) ?? null;
    return a === b ? a : null;
  };
  for (const id of ids) {
    const sources = (into.get(id) ?? []).map(({ from, port }) =>
      port === "error" ? (parents.get(from) ?? null) : from,
    );
    const [first = null, ...rest] = sources;
    const parent = rest.reduce<string | null>(meet, first);
    parents.set(id, parent);
    depth.set(id, parent === null ? 0 : (depth.get(parent) ?? 0) + 1);
  }
  return parents;
}

/** A reference to a step that may not have run gives null instead of failing. */
function withDefaults(node: JsonObject, id: string, parents: ReadonlyMap<string, string | null>): JsonObject {
  const sure = (step: string): boolean => {
    let at = parents.get(id) ?? null;
    while (at !== null && at !== step) at = parents.get(at) ?? null;
    return at === step;
  };
  const known = new Map<string, boolean>();
  const walk = (value: Json): Json => {
    if (isList(value)) return value.map(walk);
    if (!isJsonObject(value)) return value;
    const reference = value["$ref"];
    if (typeof reference === "string") {
      const step = /^\$steps\.([\w-]+)\./.exec(reference)?.[1];
      if (step === undefined || value["default"] !== undefined) return value;
      const isSure = known.get(step) ?? sure(step);
      known.set(step, isSure);
      return isSure ? value : { ...value, default: null };
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item ?? null)]));
  };
  return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, walk(item ?? null)]));
}
