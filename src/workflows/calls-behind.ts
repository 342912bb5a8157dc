import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { subworkflowKey } from "./catalog-view.ts";
import { compileExpression, evaluateCondition, type Scope } from "./expressions.ts";
import { itemCall, type Graph, type Program, type ProgramNode } from "./interpreter/program.ts";
import { classify, lookUp, parseReference, referenceText, resolveValue } from "./values.ts";

/*
 * The calls that an approval lets happen, with their arguments as far as they are known when it is asked. What depends
 * on a step that has not ended is marked; steps that only compute are computed ahead, so that nothing else is.
 */

/** Calls that one approval lists at most, those that its digest covers, and items of a map. */
const MOST_CALLS = 100;
const MOST_DIGESTED = 5_000;
const MOST_ITEMS = 20;
/** Arguments that are longer than this are shown by their digest. */
const MOST_CHARS = 20_000;

/** What a run that has not begun says of itself. */
const CHILD: JsonObject = { id: unknown("run.id"), startedAt: unknown("run.startedAt") };

/** Where an approval stands in the graph that runs. */
export interface Standpoint {
  readonly graph: Graph;
  readonly index: number;
  readonly scope: Scope;
  /** What a repair gives a step in place of its own input. */
  given(step: string): JsonObject | undefined;
}

/** A workflow that a step runs, by the key of its step. */
export type Subworkflows = ReadonlyMap<string, { readonly program: Program; readonly version: number }>;

/** What is called after the approval was given. */
export function callsBehind(at: Standpoint, others: Subworkflows): readonly JsonObject[] {
  const { graph, index, scope } = at;
  const begin = (graph.nodes[index]?.out ?? []).filter(({ port }) => port === "approved").map(({ to }) => to);
  const listing = new Listing(others, at);
  return [...listing.list(graph, begin, scope, ""), ...listing.rest()];
}

class Listing {
  readonly #others: Subworkflows;
  readonly #at: Standpoint;
  #count = 0;
  /** Over all calls beyond the listed ones, in their order. */
  #digest = "";

  constructor(others: Subworkflows, at: Standpoint) {
    this.#others = others;
    this.#at = at;
  }

  /** What stands for the calls that are not listed. */
  rest(): readonly JsonObject[] {
    const more = this.#count - MOST_CALLS;
    if (more <= 0) return [];
    const text = this.#count >= MOST_DIGESTED ? `${more} or more further calls` : `and ${more} more`;
    return [{ more: text, calls: this.#digest }];
  }

  list(
    graph: Graph,
    begin: readonly number[],
    outer: Scope,
    prefix: string,
    depth = 0,
  ): readonly JsonObject[] {
    const scope: Scope & { steps: Record<string, Json | undefined> } = {
      ...outer,
      steps: { ...outer.steps },
    };
    const calls: JsonObject[] = [];
    for (const { node, body } of inOrder(graph, begin)) {
      if (this.#count >= MOST_DIGESTED) break;
      const when = node.if === undefined || condition(node.if, scope);
      if (when === false) continue;
      const step = prefix + node.id;
      const add = (call: JsonObject): void => {
        const listed: JsonObject = { step, ...call, ...(when === null && { if: node.if ?? "" }) };
        if (++this.#count <= MOST_CALLS) calls.push(listed);
        else this.#digest = digestOf([this.#digest, listed]);
      };
      const repaired = this.#at.given(step);
      const input = (own: JsonObject | undefined): Json => repaired ?? partly(own ?? {}, scope);
      if (node.type === "tool") add({ tool: node.tool, arguments: shortly(input(node.with)) });
      else if (node.type === "transform" && when !== null) {
        scope.steps[node.id] = { outputs: partly(node.value, scope) };
      } else if (node.type === "handoff") {
        const { target, capability, intent = capability, payload, inputArtifactIds = [] } = node.handoff;
        const more = partly({ intent, inputArtifactIds }, scope);
        const given = { ...(isJsonObject(more) && more), payload: input(payload) };
        add({ handoff: `${target}/${capability}`, arguments: shortly(given) });
      } else if (node.type === "subworkflow") {
        const { workflowId, version } = node.subworkflow;
        const other = this.#others.get(subworkflowKey(workflowId, version));
        const inputs = input(node.with);
        add({ workflow: workflowId, version: other?.version ?? null, arguments: shortly(inputs) });
        if (other === undefined || depth >= 8) continue;
        const inner: Scope = { inputs: isJsonObject(inputs) ? inputs : {}, steps: {}, run: CHILD };
        const within = other.program.graph;
        calls.push(...this.list(within, firstOf(within), inner, `${step}/`, depth + 1));
      } else if (node.type === "map") {
        const items = partly(node.map.items, scope);
        const known = isList(items) && !holdsUnknown(items) ? items : null;
        const callee = itemCall(node);
        for (const [index, item] of (known ?? [unknown("item")]).slice(0, MOST_ITEMS).entries()) {
          const each: Scope = { ...scope, item, ...(known !== null && { index }) };
          const place = `${step}[${known === null ? "" : index}]`;
          if (callee !== null) {
            const args = this.#at.given(place) ?? partly(callee.with ?? {}, each);
            add({ step: place, tool: callee.tool, arguments: shortly(args) });
          } else if (body !== null) {
            calls.push(...this.list(body, firstOf(body), each, `${place}.`, depth + 1));
          }
        }
        const more = (known?.length ?? 0) - MOST_ITEMS;
        if (more > 0) add({ more: `${more} further items`, items: digestOf(items) });
      }
    }
    return calls;
  }
}

/** The nodes with which a graph begins. */
function firstOf({ nodes }: Graph): readonly number[] {
  return nodes.filter(({ incoming }) => incoming === 0).map(({ index }) => index);
}

/** The nodes that can be reached, each after those that lead to it. */
function inOrder(graph: Graph, begin: readonly number[]): readonly ProgramNode[] {
  const waits = new Map<number, number>();
  const open = [...begin];
  const seen = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { to } of graph.nodes[at]?.out ?? []) {
      waits.set(to, (waits.get(to) ?? 0) + 1);
      if (!seen.has(to)) open.push(to);
      seen.add(to);
    }
  }
  const ordered: ProgramNode[] = [];
  const ready = [...seen].filter((index) => !waits.has(index));
  for (let at = ready.shift(); at !== undefined; at = ready.shift()) {
    const node = graph.nodes[at];
    if (node === undefined) continue;
    ordered.push(node);
    for (const { to } of node.out) {
      const left = (waits.get(to) ?? 1) - 1;
      waits.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return ordered;
}

/** A value that cannot be known yet, and what it waits for. */
function unknown(of: string): JsonObject {
  return { $notKnownYet: of };
}

function isUnknown(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "$notKnownYet");
}

function holdsUnknown(value: Json | undefined): boolean {
  return JSON.stringify(value ?? null).includes('{"$notKnownYet":');
}

/** Resolves what is known of a value and marks the rest. */
function partly(value: Json, scope: Scope): Json {
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map((item) => partly(item, scope));
  const tagged = classify(value);
  if (tagged.kind === "plain") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, partly(item ?? null, scope)]));
  }
  const waits =
    tagged.kind === "ref"
      ? waitsOf(tagged.ref, scope)
      : tagged.kind === "expr"
        ? missing(tagged.expr, scope)
        : null;
  if (waits !== null) return unknown(waits);
  try {
    return resolveValue(value, scope);
  } catch (error) {
    if (error instanceof AppError) return { $error: error.message };
    throw error;
  }
}

/** What a reference waits for; null when what it points at is known. */
function waitsOf(text: string, scope: Scope): string | null {
  const reference = parseReference(text);
  if (reference === null) return null;
  if (reference.root === "steps" && !Object.hasOwn(scope.steps, reference.step))
    return referenceText(reference);
  for (let length = 0; length <= reference.pointer.length; length++) {
    const part = { ...reference, pointer: reference.pointer.slice(0, length) };
    if (isUnknown(lookUp(referenceText(part), scope))) return referenceText(reference);
  }
  return null;
}

/** What an expression waits for; null when all that it reads is known. */
function missing(source: string, { steps, inputs, item, run }: Scope): string | null {
  const compiled = compileExpression(source);
  if (!compiled.ok) return null;
  const { expression } = compiled;
  const isOpen =
    expression.dynamic ||
    [...expression.steps].some((id) => !Object.hasOwn(steps, id) || holdsUnknown(steps[id])) ||
    [...expression.inputs].some((name) => holdsUnknown(inputs[name])) ||
    (expression.usesItem && holdsUnknown(item)) ||
    (run === CHILD && /\brun\b/.test(source));
  return isOpen ? source : null;
}

/** Whether a step runs; null when that is not known yet. */
function condition(source: string, scope: Scope): boolean | null {
  if (missing(source, scope) !== null) return null;
  try {
    return evaluateCondition(source, scope);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function shortly(value: Json): Json {
  const { length } = JSON.stringify(value);
  return length <= MOST_CHARS ? value : { $truncated: true, characters: length, digest: digestOf(value) };
}
