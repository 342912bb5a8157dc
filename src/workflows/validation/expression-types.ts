import type { Environment, ObjectSchema } from "@marcbachmann/cel-js";
import { isList, type Json } from "../../kernel/json.ts";
import {
  checkWith,
  compileExpression,
  newEnvironment,
  type Expression,
  type TypeVerdict,
} from "../expressions.ts";
import { eventCondition } from "../awaited.ts";
import type { FlowGraph } from "../graph.ts";
import { celType, type CelType } from "../schema-types.ts";
import { findStep, type GraphContext } from "./context.ts";
import { stepSchema } from "./outputs.ts";

/** By graph, then by what the item of a map looks like: thousands of steps share a few environments. */
const environments = new WeakMap<FlowGraph, Map<string, Environment | null>>();

/**
 * The type of an expression when everything that the schemas say is known. Where the library's rules are stricter
 * than what works when it runs (objects as maps), the weaker check that passed already counts.
 */
export function typeOfExpression(context: GraphContext, expression: Expression): TypeVerdict {
  const loose: TypeVerdict = { type: expression.type, code: "", message: "" };
  if (expression.inputs.size === 0 && expression.steps.size === 0 && !expression.usesItem) return loose;
  const environment = environmentOf(context);
  if (environment === null) return loose;
  const verdict = checkWith(environment, expression.source);
  if (verdict.type !== null) return OBJECT_TYPE.test(verdict.type) ? { ...verdict, type: "map" } : verdict;
  return OBJECT_TYPE.test(verdict.message) || NUMBERS.test(verdict.message) ? loose : verdict;
}

/** Two kinds of number as the branches of a choice: both are JSON numbers. */
const NUMBERS = /got '(double|int|uint)' and '(double|int|uint)'/;
/** Names of the types that are made here: an object that is described field by field. */
const OBJECT_TYPE = /\$|\bT[0-9]+\b/;

function environmentOf(context: GraphContext): Environment | null {
  const ofGraph = environments.get(context.graph) ?? new Map<string, Environment | null>();
  environments.set(context.graph, ofGraph);
  const item = celType(context.outer?.item ?? null);
  const key = JSON.stringify(item);
  const known = ofGraph.get(key);
  if (known !== undefined) return known;
  let environment: Environment | null;
  try {
    environment = build(context, item);
  } catch {
    // A schema that the library cannot take as a type: expressions are then checked without it.
    environment = null;
  }
  ofGraph.set(key, environment);
  return environment;
}

function build(context: GraphContext, item: CelType): Environment {
  const environment = base.clone();
  const types = new Map<string, string>();
  const steps: Record<string, ObjectSchema | string> = {};
  for (const id of stepsReadBy(context.graph)) {
    const step = findStep(context, id, "end");
    if (step !== null) steps[id] = nameOf(environment, types, celType(stepSchema(step.context, step.node)));
  }
  register(environment, "inputs", celType(context.shared.document.inputs));
  if (Object.keys(steps).length === 0) environment.registerVariable("steps", "dyn");
  else environment.registerVariable({ name: "steps", schema: steps });
  register(environment, "item", item);
  environment.registerVariable("index", "double");
  return environment.registerVariable({
    name: "run",
    schema: { id: "string", startedAt: "string", workflowId: "dyn" },
  });
}

/** Ids of the steps that expressions of a graph read, and those of the bodies and outputs that see the same steps. */
function stepsReadBy(graph: FlowGraph): ReadonlySet<string> {
  const ids = new Set<string>();
  const read = (source: string): void => {
    const compiled = compileExpression(source);
    if (!compiled.ok) return;
    for (const id of compiled.expression.steps) ids.add(id);
    for (const id of compiled.expression.asked) ids.add(id);
  };
  const open: Json[] = [...graph.nodes];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (value === null || typeof value !== "object") continue;
    if (isList(value)) {
      open.push(...value);
      continue;
    }
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (typeof item === "object" && item !== null) open.push(item);
      else if (typeof item !== "string") continue;
      else if (key === "$expr" || key === "if" || key === "when") read(item);
      else if (key === "filter") read(eventCondition(item));
    }
  }
  return ids;
}

function register(environment: Environment, name: string, type: CelType): void {
  if (typeof type === "string") environment.registerVariable(name, type);
  else environment.registerVariable({ name, schema: fieldsOf(type) });
}

/** Steps that give the same share one type, so that thousands of steps cost no more than their kinds. */
function nameOf(environment: Environment, types: Map<string, string>, type: CelType): string {
  if (typeof type === "string") return type;
  const key = JSON.stringify(type);
  const known = types.get(key);
  if (known !== undefined) return known;
  const name = `T${types.size + 1}`;
  environment.registerType({ name, schema: fieldsOf(type) });
  types.set(key, name);
  return name;
}

function fieldsOf(type: { readonly [field: string]: CelType }): ObjectSchema {
  return Object.fromEntries(
    Object.entries(type).map(([name, field]) => [name, typeof field === "string" ? field : fieldsOf(field)]),
  );
}

/** Comparisons that work when an expression runs, but that typed checking would refuse. Never evaluated. */
const base = [
  "double == int",
  "double in list<int>",
  "int in list<double>",
  "double == null",
  "string == null",
  "bool == null",
  "list == null",
  "map == null",
].reduce((environment, signature) => environment.registerOperator(signature, () => false), newEnvironment());
