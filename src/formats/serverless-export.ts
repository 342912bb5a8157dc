import { isList, type Json, type JsonObject } from "../kernel/json.ts";
import { buildGraph, levelsOf, topologicalOrder, type FlowGraph } from "../workflows/graph.ts";
import { isGraphBody, type Edge, type MapNode, type WorkflowNode } from "../workflows/schema.ts";
import { classify } from "../workflows/values.ts";
import { celToJq, referenceToJq } from "./cel-to-jq.ts";
import { CARRIER, slug, type Exported, type Loss, type Portable } from "./format.ts";
import { nativeForm } from "./native.ts";

/**
 * Writes a workflow in the Serverless Workflow DSL 1.0.3. Each level of the graph is a task or a fork; what a step
 * gave and the port it left by are kept in the context under its id, and the ports decide, as `if`, what runs.
 */
export function exportServerless(workflow: Portable, baseUrl: string): Exported {
  const { document } = workflow;
  const losses: Loss[] = [];
  const writer = new Writer(baseUrl, losses);
  const tasks = writer.graph(document.nodes, document.edges, "");
  const outputs = writer.value(document.outputs, "/outputs");
  const { timeoutMs, ...policy } = document.policy;
  if (Object.keys(policy).length > 0)
    losses.push({
      pointer: "/policy",
      what: "The policy, except its time-out.",
      why: "The DSL has no such rules.",
    });
  const definition: JsonObject = {
    document: {
      dsl: "1.0.3",
      namespace: "suite",
      name: slug(workflow.name),
      version: `${workflow.version ?? 0}.0.0`,
      title: workflow.name,
      ...(workflow.description !== "" && { summary: workflow.description }),
      metadata: { [CARRIER]: nativeForm(workflow) },
    },
    input: { schema: { format: "json", document: document.inputs } },
    ...(timeoutMs !== undefined && { timeout: { after: { milliseconds: timeoutMs } } }),
    do: tasks.length === 0 ? [{ nothing: { set: { done: true } } }] : tasks,
    output: { as: outputs },
  };
  return {
    format: "serverless",
    mediaType: "application/json",
    fileName: `${slug(workflow.name)}.sw.json`,
    text: `${JSON.stringify(definition, null, 2)}\n`,
    losses,
  };
}

class Writer {
  readonly #baseUrl: string;
  readonly #losses: Loss[];

  constructor(baseUrl: string, losses: Loss[]) {
    this.#baseUrl = baseUrl;
    this.#losses = losses;
  }

  #lose(pointer: string, what: string, why: string): void {
    this.#losses.push({ pointer, what, why });
  }

  graph(nodes: readonly WorkflowNode[], edges: readonly Edge[], pointer: string): readonly JsonObject[] {
    const graph = buildGraph(nodes, edges);
    const order = topologicalOrder(graph);
    const level = levelsOf(graph, order);
    const levels: number[][] = [];
    for (const index of order) (levels[level[index] ?? 0] ??= []).push(index);
    return levels.flatMap((members, depth) => {
      const tasks = members.flatMap((index) => {
        const node = nodes[index];
        return node === undefined
          ? []
          : [{ id: node.id, task: this.#task(graph, index, node, `${pointer}/nodes/${index}`) }];
      });
      const [only] = tasks;
      if (tasks.length === 1 && only !== undefined) {
        return [
          {
            [only.id]: { ...only.task, export: { as: `\${ $context + { ${JSON.stringify(only.id)}: . } }` } },
          },
        ];
      }
      const kept = tasks.map(({ id }, i) => `${JSON.stringify(id)}: .[${i}]`).join(", ");
      if (depth > 0 || tasks.length > 1)
        this.#lose(
          pointer,
          `When the steps of level ${depth} begin.`,
          "They begin together, when the whole level before them has ended.",
        );
      return [
        {
          [`level${depth}`]: {
            fork: { compete: false, branches: tasks.map(({ id, task }) => ({ [id]: task })) },
            export: { as: `\${ $context + { ${kept} } }` },
          },
        },
      ];
    });
  }

  #task(graph: FlowGraph, index: number, node: WorkflowNode, pointer: string): JsonObject {
    const { core, as } = this.#core(node, pointer);
    const when = this.#condition(graph, index, node, pointer);
    const shaped: JsonObject = {
      ...(node.title !== undefined && { metadata: { title: node.title } }),
      ...core,
      ...(node.timeoutMs !== undefined && { timeout: { after: { milliseconds: node.timeoutMs } } }),
      output: { as: `\${ { outputs: ${as}, port: ${this.#port(node)} } }` },
    };
    if (node.redact !== undefined)
      this.#lose(`${pointer}/redact`, `What ${node.id} redacts.`, "The DSL does not say.");
    const catches = (graph.out[index] ?? []).some((edge) => graph.edges[edge]?.port === "error");
    const guarded = catches || node.retry !== undefined ? this.#guarded(node, shaped, catches) : shaped;
    return { ...(when !== null && { if: `\${ ${when} }` }), ...guarded };
  }

  #guarded(node: WorkflowNode, task: JsonObject, catches: boolean): JsonObject {
    const { retry } = node;
    return {
      try: [{ [`${node.id}_try`]: task }],
      catch: {
        as: "error",
        ...(retry !== undefined && {
          retry: {
            delay: { milliseconds: retry.backoffMs ?? 1_000 },
            backoff: (retry.factor ?? 2) > 1 ? { exponential: {} } : { constant: {} },
            limit: { attempt: { count: retry.maxAttempts } },
          },
        }),
        ...(catches && {
          do: [{ [`${node.id}_failed`]: { set: { port: "error", error: "${ $error }" } } }],
        }),
      },
    };
  }

  #port(node: WorkflowNode): string {
    if (node.type === "switch") return ".port";
    return node.type === "approval" ? ".[0].status" : '"success"';
  }

  #core(node: WorkflowNode, pointer: string): { readonly core: JsonObject; readonly as: string } {
    switch (node.type) {
      case "tool":
        if (node.idempotencyKey !== undefined)
          this.#lose(
            `${pointer}/idempotencyKey`,
            `The idempotency key of ${node.id}.`,
            "It is not passed on.",
          );
        return this.#call(node.tool, this.value(node.with ?? {}, `${pointer}/with`));
      case "handoff": {
        this.#lose(
          pointer,
          `The handoff of ${node.id}.`,
          "It is a call of delegate_artifact; confirmation and resending are this service's.",
        );
        const { target, capability, payload } = node.handoff;
        const args = {
          targetService: target,
          action: capability,
          artifact: this.value(payload ?? {}, `${pointer}/handoff/payload`),
          dryRun: node.handoff.dryRun === true,
        };
        return this.#call("delegate_artifact", args);
      }
      case "approval":
        this.#lose(
          pointer,
          `Who may decide ${node.id}, what is shown, its form and its expiry.`,
          "It waits for the event of the decision.",
        );
        return {
          core: {
            listen: {
              to: {
                any: ["approved", "rejected", "expired"].map((state) => ({
                  with: { type: `svc.approval.${state}`, stepid: node.id },
                })),
              },
            },
          },
          as: ".[0]",
        };
      case "switch": {
        const cases = node.cases.map(
          ({ name, when }, i) =>
            `${i === 0 ? "if" : "elif"} ${this.#jq(when, `${pointer}/cases/${i}/when`)} then ${JSON.stringify(`case:${name}`)}`,
        );
        return {
          core: { set: { port: `\${ ${cases.join(" ")} else "default" end }` } },
          as: "{ case: .port }",
        };
      }
      case "transform":
        return { core: { set: { value: this.value(node.value, `${pointer}/value`) } }, as: ".value" };
      case "wait":
        return { core: { wait: this.#duration(node.wait, pointer) }, as: "{}" };
      case "subworkflow": {
        this.#lose(
          `${pointer}/subworkflow`,
          `Which workflow ${node.id} runs.`,
          "Its id is used as the name; export it beside this one.",
        );
        const { workflowId, version } = node.subworkflow;
        const workflow = {
          namespace: "suite",
          name: slug(workflowId),
          version: `${version ?? 0}.0.0`,
          input: this.value(node.with ?? {}, `${pointer}/with`),
        };
        return { core: { run: { workflow } }, as: "." };
      }
      case "map":
        return this.#map(node, pointer);
    }
  }

  #call(tool: string, args: Json): { readonly core: JsonObject; readonly as: string } {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    return {
      core: { call: "http", with: { method: "post", endpoint: `${this.#baseUrl}/api/mcp`, body } },
      as: ".result.structuredContent",
    };
  }

  #map(node: MapNode, pointer: string): { readonly core: JsonObject; readonly as: string } {
    const { items, body } = node.map;
    this.#lose(
      `${pointer}/map`,
      `Concurrency, bounds and collected results of ${node.id}.`,
      "The DSL's loop runs one item after the other and gives what the last one gave.",
    );
    const inner = isGraphBody(body)
      ? this.graph(body.nodes, body.edges, `${pointer}/map/body`)
      : [
          {
            [`${node.id}_item`]: this.#call(
              body.tool,
              this.value(body.with ?? {}, `${pointer}/map/body/with`),
            ).core,
          },
        ];
    const list = this.#inline(items, `${pointer}/map/items`);
    return {
      core: { for: { each: "item", in: `\${ ${list} }`, at: "index" }, do: inner },
      as: "{ results: [.] }",
    };
  }

  #duration(wait: { readonly ms?: Json; readonly until?: Json }, pointer: string): JsonObject {
    if (typeof wait.ms === "number") return { milliseconds: wait.ms };
    this.#lose(
      `${pointer}/wait`,
      "How long the wait is.",
      "The DSL requires a constant; one millisecond stands in its place.",
    );
    return { milliseconds: 1 };
  }

  /** When a step runs: one of its incoming edges was taken, and its own condition holds. */
  #condition(graph: FlowGraph, index: number, node: WorkflowNode, pointer: string): string | null {
    const taken = (graph.in[index] ?? []).map((edge) => {
      const { from = "", port = "" } = graph.edges[edge] ?? {};
      return `$context[${JSON.stringify(from)}].port == ${JSON.stringify(port)}`;
    });
    if (node.join === "any")
      this.#lose(
        `${pointer}/join`,
        `${node.id} begins at the first of its edges.`,
        "It begins when the level before it has ended.",
      );
    const own = node.if === undefined ? null : this.#jq(node.if, `${pointer}/if`);
    const edges =
      taken.length === 0 ? null : taken.length === 1 ? (taken[0] ?? null) : `(${taken.join(" or ")})`;
    if (edges === null) return own;
    return own === null ? edges : `${edges} and ${own}`;
  }

  #jq(cel: string, pointer: string): string {
    const text = celToJq(cel);
    if (text !== null) return text;
    this.#lose(
      pointer,
      `The condition ${JSON.stringify(cel.slice(0, 80))}.`,
      "This subset of jq has no equivalent; it is replaced by false.",
    );
    return "false";
  }

  /** A value as the DSL writes it: tagged values become `${ … }`. */
  value(value: Json, pointer: string): Json {
    const tagged = classify(value);
    if (tagged.kind === "literal") return tagged.value;
    if (tagged.kind !== "plain") return `\${ ${this.#inline(value, pointer)} }`;
    if (value === null || typeof value !== "object") {
      return typeof value === "string" && value.includes("${") ? `\${ ${JSON.stringify(value)} }` : value;
    }
    if (isList(value)) return value.map((item, i) => this.value(item, `${pointer}/${i}`));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.value(item ?? null, `${pointer}/${key}`)]),
    );
  }

  #inline(value: Json, pointer: string): string {
    const tagged = classify(value);
    const text =
      tagged.kind === "ref"
        ? referenceToJq(tagged.ref)
        : tagged.kind === "expr"
          ? celToJq(tagged.expr)
          : null;
    if (tagged.kind === "plain") return JSON.stringify(value);
    if (tagged.kind === "literal") return JSON.stringify(tagged.value);
    if (text === null) {
      this.#lose(
        pointer,
        "A value that is computed.",
        "This subset of jq has no equivalent; it is replaced by null.",
      );
      return "null";
    }
    const fallback = tagged.kind === "malformed" ? undefined : tagged.fallback;
    return fallback === undefined ? text : `(${text} // ${JSON.stringify(fallback)})`;
  }
}
