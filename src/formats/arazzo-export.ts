import { AppError } from "../kernel/errors.ts";
import { isList, type Json, type JsonObject } from "../kernel/json.ts";
import { buildGraph, topologicalOrder } from "../workflows/graph.ts";
import { segment } from "../workflows/problems.ts";
import type { Retry, ToolNode, WorkflowNode } from "../workflows/schema.ts";
import { classify, parseReference, walkValue } from "../workflows/values.ts";
import { CARRIER, slug, type Exported, type Loss, type Portable } from "./format.ts";
import { nativeForm } from "./native.ts";

/** The step's result inside the JSON-RPC answer of the gateway. */
const RESULT = "$response.body#/result/structuredContent";

/** Writes a workflow as an Arazzo 1.1 description of calls to this service's gateway. */
export function exportArazzo(workflow: Portable, baseUrl: string): Exported {
  const { document } = workflow;
  const graph = buildGraph(document.nodes, document.edges);
  const order = topologicalOrder(graph);
  const losses: Loss[] = [];
  const tools = order.flatMap((index) => {
    const node = document.nodes[index];
    return node?.type === "tool" ? [node] : [];
  });
  if (tools.length === 0) {
    throw new AppError(
      "invalid_input",
      "Arazzo describes calls of operations; this workflow has no step that is one.",
    );
  }
  const wanted = outputsWanted(workflow, new Set(tools.map((node) => node.id)));
  const writer = new StepWriter(wanted, losses);
  const steps = tools.map((node) => writer.step(node, upstreamTools(node, graph, document.nodes)));
  for (const [index, node] of document.nodes.entries()) nameLosses(node, index, losses);
  for (const [index, edge] of document.edges.entries()) {
    if (edge.port !== "success")
      losses.push(
        loss(
          `/edges/${index}`,
          `The edge from ${edge.from} through ${edge.port}.`,
          "Arazzo steps follow one another; ports other than success are not expressed.",
        ),
      );
  }
  if (Object.keys(document.policy).length > 0)
    losses.push(loss("/policy", "The policy.", "Arazzo has no run policy."));
  const outputs = Object.entries(document.outputs).flatMap(([name, value]) => {
    const text = writer.expression(value ?? null);
    if (text === null)
      losses.push(
        loss(
          `/outputs${segment(name)}`,
          `The output ${name}.`,
          "Only plain references to inputs and tool steps can be outputs.",
        ),
      );
    return text === null ? [] : [[name, text]];
  });
  const description: JsonObject = {
    arazzo: "1.1.0",
    info: {
      title: workflow.name,
      version: `${workflow.version ?? 0}.0.0`,
      ...(workflow.description !== "" && { description: workflow.description }),
    },
    sourceDescriptions: [{ name: "svc", url: `${baseUrl}/openapi.yaml`, type: "openapi" }],
    workflows: [
      {
        workflowId: slug(workflow.name),
        summary: workflow.name,
        inputs: document.inputs,
        steps,
        ...(outputs.length > 0 && { outputs: Object.fromEntries(outputs) }),
        [CARRIER]: nativeForm(workflow),
      },
    ],
  };
  return {
    format: "arazzo",
    mediaType: "application/vnd.oai.workflows+json",
    fileName: `${slug(workflow.name)}.arazzo.json`,
    text: `${JSON.stringify(description, null, 2)}\n`,
    losses,
  };
}

function loss(pointer: string, what: string, why: string): Loss {
  return { pointer, what, why };
}

/** The tool steps that must have ended before this one, seen through steps that Arazzo cannot express. */
function upstreamTools(
  node: ToolNode,
  graph: ReturnType<typeof buildGraph>,
  nodes: readonly WorkflowNode[],
): readonly string[] {
  const found = new Set<string>();
  const seen = new Set<number>();
  const open = [graph.indexOf.get(node.id) ?? -1];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const edge of graph.in[at] ?? []) {
      const source = graph.from[edge] ?? -1;
      const before = nodes[source];
      if (before === undefined || seen.has(source)) continue;
      seen.add(source);
      if (before.type === "tool") found.add(before.id);
      else open.push(source);
    }
  }
  return [...found];
}

/** Which pointers into each tool step's outputs are read somewhere: Arazzo wants them named at the step. */
function outputsWanted(
  workflow: Portable,
  tools: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const wanted = new Map<string, Map<string, string>>();
  const { nodes, outputs } = workflow.document;
  walkValue(
    { nodes, outputs },
    "",
    ({ tagged }) => {
      if (tagged.kind !== "ref") return;
      const reference = parseReference(tagged.ref);
      if (reference?.root !== "steps" || reference.part !== "outputs" || !tools.has(reference.step)) return;
      const names = wanted.get(reference.step) ?? new Map<string, string>();
      const pointer = reference.pointer.map(segment).join("");
      if (!names.has(pointer)) names.set(pointer, outputName(reference.pointer, names.size));
      wanted.set(reference.step, names);
    },
    () => undefined,
  );
  return wanted;
}

function outputName(path: readonly string[], count: number): string {
  const plain = path.join("_").replaceAll(/[^A-Za-z0-9_-]/g, "");
  return plain === "" ? "result" : `${plain.slice(0, 60)}${count === 0 ? "" : `_${count}`}`;
}

class StepWriter {
  readonly #wanted: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly #losses: Loss[];

  constructor(wanted: ReadonlyMap<string, ReadonlyMap<string, string>>, losses: Loss[]) {
    this.#wanted = wanted;
    this.#losses = losses;
  }

  step(node: ToolNode, after: readonly string[]): JsonObject {
    const names = this.#wanted.get(node.id) ?? new Map<string, string>();
    const outputs = [...names].map(([pointer, name]) => [name, `${RESULT}${pointer}`]);
    return {
      stepId: node.id,
      description: node.description ?? node.title ?? `Calls ${node.tool}.`,
      operationPath: "{$sourceDescriptions.svc.url}#/paths/~1api~1mcp/post",
      ...(after.length > 0 && { dependsOn: after }),
      requestBody: {
        contentType: "application/json",
        payload: {
          jsonrpc: "2.0",
          id: node.id,
          method: "tools/call",
          params: { name: node.tool, arguments: this.#value(node.with ?? {}, `${node.id}/with`) },
        },
      },
      successCriteria: [{ condition: "$statusCode == 200" }, { condition: `${RESULT}/ok == true` }],
      ...(node.retry !== undefined && node.retry.maxAttempts > 1 && { onFailure: [retryAction(node.retry)] }),
      ...(outputs.length > 0 && { outputs: Object.fromEntries(outputs) }),
    };
  }

  /** A reference as an Arazzo runtime expression; null when it cannot be one. */
  expression(value: Json): string | null {
    const tagged = classify(value);
    if (tagged.kind !== "ref") return null;
    const reference = parseReference(tagged.ref);
    if (reference?.root === "inputs" && reference.name !== null) {
      return `$inputs.${reference.name}${reference.pointer.length === 0 ? "" : `#${reference.pointer.map(segment).join("")}`}`;
    }
    if (reference?.root !== "steps" || reference.part !== "outputs") return null;
    const name = this.#wanted.get(reference.step)?.get(reference.pointer.map(segment).join(""));
    return name === undefined ? null : `$steps.${reference.step}.outputs.${name}`;
  }

  #value(value: Json, where: string): Json {
    const tagged = classify(value);
    if (tagged.kind === "literal") return tagged.value;
    if (tagged.kind === "ref" || tagged.kind === "expr") {
      const text = this.expression(value);
      if (text !== null && (tagged.kind !== "ref" || tagged.fallback === undefined)) return text;
      this.#losses.push(
        loss(
          where,
          "A value that is computed or has a default.",
          "Arazzo has references only; null stands in its place.",
        ),
      );
      return text;
    }
    if (value === null || typeof value !== "object") return value;
    if (isList(value)) return value.map((item, index) => this.#value(item, `${where}/${index}`));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#value(item ?? null, `${where}${segment(key)}`)]),
    );
  }
}

function retryAction({ maxAttempts, backoffMs = 1_000 }: Retry): JsonObject {
  return { name: "again", type: "retry", retryAfter: backoffMs / 1_000, retryLimit: maxAttempts - 1 };
}

const WHY_NOT: Readonly<Record<Exclude<WorkflowNode["type"], "tool">, string>> = {
  approval: "Arazzo has no step that waits for a person.",
  switch: "Conditions are CEL over inputs and steps; Arazzo criteria see one response.",
  map: "Arazzo has no loop over a list.",
  transform: "Arazzo has no step that computes a value.",
  wait: "Arazzo has no step that waits.",
  handoff: "A handoff is a packet with confirmation, not one operation.",
  subworkflow: "The other workflow is not part of this description.",
};

function nameLosses(node: WorkflowNode, index: number, losses: Loss[]): void {
  const pointer = `/nodes/${index}`;
  if (node.type !== "tool") {
    losses.push(loss(pointer, `The ${node.type} step ${node.id}.`, WHY_NOT[node.type]));
    return;
  }
  if (node.if !== undefined)
    losses.push(
      loss(`${pointer}/if`, `The condition of ${node.id}.`, "Arazzo steps are not skipped by a condition."),
    );
  if (node.join === "any")
    losses.push(
      loss(`${pointer}/join`, `${node.id} begins at the first of its edges.`, "`dependsOn` waits for all."),
    );
  if (node.timeoutMs !== undefined)
    losses.push(loss(`${pointer}/timeoutMs`, `The time-out of ${node.id}.`, "It is not expressed."));
  if (node.idempotencyKey !== undefined)
    losses.push(
      loss(`${pointer}/idempotencyKey`, `The idempotency key of ${node.id}.`, "It is not expressed."),
    );
  if (node.redact !== undefined)
    losses.push(loss(`${pointer}/redact`, `What ${node.id} redacts.`, "It is not expressed."));
  if (
    node.retry?.factor !== undefined ||
    node.retry?.maxBackoffMs !== undefined ||
    node.retry?.jitter !== undefined
  ) {
    losses.push(
      loss(`${pointer}/retry`, `How the waits of ${node.id} grow.`, "Arazzo retries at a fixed interval."),
    );
  }
}
