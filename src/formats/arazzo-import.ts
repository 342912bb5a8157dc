import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { segment } from "../workflows/problems.ts";
import { asWritten } from "../workflows/values.ts";
import { CARRIER, type Imported, type Loss } from "./format.ts";
import { importNative } from "./native.ts";
import { listAt, nodeIds, objectAt, textAt, type Ids } from "./reading.ts";

/** Reads the first (or the named) workflow of an Arazzo 1.0 or 1.1 description. */
export function importArazzo(given: JsonObject): Imported {
  const workflow = listAt(given, "workflows").find(isJsonObject);
  if (workflow === undefined) throw new AppError("invalid_input", "The Arazzo description has no workflow.");
  const carried = workflow[CARRIER];
  if (isJsonObject(carried)) return { ...importNative(carried, "json"), format: "arazzo" };
  return new ArazzoReader(given, workflow).read();
}

class ArazzoReader {
  readonly #given: JsonObject;
  readonly #workflow: JsonObject;
  readonly #losses: Loss[] = [];
  readonly #ids: Ids;
  /** For each step, what its named outputs point at in our outputs. */
  readonly #outputs = new Map<string, ReadonlyMap<string, string>>();

  constructor(given: JsonObject, workflow: JsonObject) {
    this.#given = given;
    this.#workflow = workflow;
    this.#ids = nodeIds(
      listAt(workflow, "steps").map((step) => (isJsonObject(step) ? textAt(step, "stepId") : "")),
    );
  }

  read(): Imported {
    const steps = listAt(this.#workflow, "steps").filter(isJsonObject);
    const others = listAt(this.#given, "workflows").length - 1;
    if (others > 0)
      this.#lose("/workflows", `${others} further workflows.`, "One workflow is imported at a time.");
    for (const step of steps) this.#outputs.set(textAt(step, "stepId"), outputPointers(step));
    const nodes = steps.map((step, index) => this.#node(step, `/workflows/0/steps/${index}`));
    const info = objectAt(this.#given, "info");
    const inputs = this.#workflow["inputs"];
    const outputs = Object.entries(objectAt(this.#workflow, "outputs")).map(([name, value]) => [
      name,
      this.#value(value ?? null),
    ]);
    return {
      format: "arazzo",
      name:
        textAt(this.#workflow, "summary") ||
        textAt(info, "title") ||
        textAt(this.#workflow, "workflowId") ||
        "Imported workflow",
      description: textAt(this.#workflow, "description") || textAt(info, "description"),
      tags: ["imported:arazzo"],
      document: {
        inputs: isJsonObject(inputs) ? inputs : { type: "object" },
        nodes,
        edges: this.#edges(steps),
        outputs: Object.fromEntries(outputs),
      },
      losses: this.#losses,
    };
  }

  #lose(pointer: string, what: string, why: string): void {
    this.#losses.push({ pointer, what, why });
  }

  #node(step: JsonObject, pointer: string): JsonObject {
    const id = this.#ids.of(textAt(step, "stepId"));
    const common = {
      id,
      ...(textAt(step, "description") !== "" && { title: textAt(step, "description").slice(0, 200) }),
      ...this.#retry(step, pointer),
    };
    if (step["successCriteria"] !== undefined) {
      this.#lose(
        `${pointer}/successCriteria`,
        `The success criteria of ${id}.`,
        "A step succeeds when its tool or sibling confirms.",
      );
    }
    const tool = gatewayCall(step);
    if (tool !== null) return { ...common, type: "tool", tool: tool.name, with: this.#object(tool.args) };
    const workflowId = textAt(step, "workflowId");
    if (workflowId !== "") {
      this.#lose(
        `${pointer}/workflowId`,
        `The workflow ${workflowId}.`,
        "It has to be imported and published too, and its id put here.",
      );
      return { ...common, type: "subworkflow", subworkflow: { workflowId }, with: this.#parameters(step) };
    }
    this.#lose(
      pointer,
      `The operation that ${id} calls.`,
      "It is handed to the sandbox for execution; look at the payload.",
    );
    const payload = objectAt(step, "requestBody")["payload"];
    return {
      ...common,
      type: "handoff",
      handoff: {
        target: "sandbox",
        capability: "execute",
        payload: {
          operation:
            textAt(step, "operationId") || textAt(step, "operationPath") || textAt(step, "channelPath"),
          parameters: this.#parameters(step),
          ...(payload !== undefined && { body: this.#value(payload) }),
        },
      },
    };
  }

  #parameters(step: JsonObject): JsonObject {
    const members = listAt(step, "parameters").flatMap((item) =>
      isJsonObject(item) && textAt(item, "name") !== ""
        ? [[textAt(item, "name"), this.#value(item["value"] ?? null)]]
        : [],
    );
    return Object.fromEntries(members);
  }

  #retry(step: JsonObject, pointer: string): JsonObject {
    for (const action of listAt(step, "onFailure")) {
      if (!isJsonObject(action) || action["type"] !== "retry") continue;
      const { retryLimit: limit, retryAfter: after } = action;
      const attempts = typeof limit === "number" ? Math.min(20, Math.max(2, Math.round(limit) + 1)) : 2;
      if (action["criteria"] !== undefined)
        this.#lose(`${pointer}/onFailure`, "When to retry.", "Failures that can pass are always retried.");
      return {
        retry: {
          maxAttempts: attempts,
          backoffMs: typeof after === "number" ? Math.max(0, Math.round(after * 1_000)) : 1_000,
          factor: 1,
        },
      };
    }
    return {};
  }

  #edges(steps: readonly JsonObject[]): readonly JsonObject[] {
    const position = new Map(steps.map((step, index) => [textAt(step, "stepId"), index]));
    const edges: JsonObject[] = [];
    const usesDependsOn = steps.some((step) => step["dependsOn"] !== undefined);
    steps.forEach((step, index) => {
      const id = this.#ids.of(textAt(step, "stepId"));
      const pointer = `/workflows/0/steps/${index}`;
      for (const before of listAt(step, "dependsOn")) {
        const known = typeof before === "string" ? position.get(before) : undefined;
        if (known === undefined || known >= index)
          this.#lose(`${pointer}/dependsOn`, "A dependency.", "It names no step before this one.");
        else edges.push({ from: this.#ids.of(typeof before === "string" ? before : ""), to: id });
      }
      const jumps = this.#jumps(step, index, position, pointer);
      edges.push(...jumps.edges);
      const next = steps[index + 1];
      if (!usesDependsOn && next !== undefined && !jumps.leaves)
        edges.push({ from: id, to: this.#ids.of(textAt(next, "stepId")) });
    });
    return edges;
  }

  #jumps(
    step: JsonObject,
    index: number,
    position: ReadonlyMap<string, number>,
    pointer: string,
  ): { edges: readonly JsonObject[]; leaves: boolean } {
    const edges: JsonObject[] = [];
    let leaves = false;
    for (const [field, port] of [["onSuccess", "success"] as const, ["onFailure", "error"] as const]) {
      for (const action of listAt(step, field)) {
        if (!isJsonObject(action) || action["type"] === "retry") continue;
        if (action["criteria"] !== undefined)
          this.#lose(`${pointer}/${field}`, "The criteria of an action.", "The action is taken always.");
        if (action["type"] === "end") leaves ||= port === "success";
        if (action["type"] !== "goto") continue;
        const target = textAt(action, "stepId");
        const to = position.get(target);
        if (to === undefined || to <= index) {
          this.#lose(
            `${pointer}/${field}`,
            "A jump back or to another workflow.",
            "Graphs are acyclic; loops are map steps.",
          );
          continue;
        }
        leaves ||= port === "success";
        edges.push({ from: this.#ids.of(textAt(step, "stepId")), to: this.#ids.of(target), port });
      }
    }
    return { edges, leaves };
  }

  #object(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#value(item ?? null)]));
  }

  #value(value: Json): Json {
    if (typeof value === "string") return this.#expression(value);
    if (Array.isArray(value)) return value.map((item: Json) => this.#value(item));
    return isJsonObject(value) ? this.#object(value) : value;
  }

  #expression(text: string): Json {
    const input = /^\$inputs\.([A-Za-z0-9_-]+)(#\/.*)?$/.exec(text);
    if (input !== null) return { $ref: asWritten(`$inputs.${input[1] ?? ""}${input[2] ?? ""}`) };
    const step = /^\$steps\.([A-Za-z0-9_-]+)\.outputs\.([A-Za-z0-9_.-]+)$/.exec(text);
    if (step !== null) {
      const [, id = "", name = ""] = step;
      return {
        $ref: asWritten(
          `$steps.${this.#ids.of(id)}.outputs#${this.#outputs.get(id)?.get(name) ?? `/data/${name}`}`,
        ),
        default: null,
      };
    }
    if (text.startsWith("$") || text.includes("{$")) {
      this.#lose("", `The expression ${JSON.stringify(text.slice(0, 80))}.`, "It is kept as plain text.");
    }
    return text;
  }
}

/** Where each named output of a step stands in what our step gives. */
function outputPointers(step: JsonObject): ReadonlyMap<string, string> {
  const pointers = new Map<string, string>();
  const own = gatewayCall(step) !== null;
  for (const [name, value] of Object.entries(objectAt(step, "outputs"))) {
    const body = typeof value === "string" ? /^\$response\.body(?:#(\/.*))?$/.exec(value) : null;
    const path = body?.[1] ?? "";
    if (own) pointers.set(name, path.replace(/^\/result\/structuredContent/, ""));
    else pointers.set(name, body === null ? `/data${segment(name)}` : `/data/data${path}`);
  }
  return pointers;
}

/** The tool that a step calls through this service's own gateway; null for any other operation. */
function gatewayCall(step: JsonObject): { readonly name: string; readonly args: JsonObject } | null {
  const payload = objectAt(objectAt(step, "requestBody"), "payload");
  if (payload["method"] !== "tools/call") return null;
  const call = objectAt(payload, "params");
  const name = textAt(call, "name");
  return name === "" ? null : { name, args: objectAt(call, "arguments") };
}
