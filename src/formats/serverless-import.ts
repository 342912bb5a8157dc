import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { pathText } from "../kernel/paths.ts";
import { CARRIER, type Imported, type Loss } from "./format.ts";
import { inputPath, jqToCel, unwrap } from "./jq-to-cel.ts";
import { importNative } from "./native.ts";
import { listAt, nodeIds, objectAt, textAt, type Ids } from "./reading.ts";

const MAP_BOUND = 1_000;

/** Reads a Serverless Workflow DSL 1.0.x definition. */
export function importServerless(given: JsonObject): Imported {
  const head = objectAt(given, "document");
  if (!textAt(head, "dsl").startsWith("1."))
    throw new AppError("invalid_input", "Only the DSL 1.0.x of Serverless Workflow is read.");
  const carried = objectAt(head, "metadata")[CARRIER];
  if (isJsonObject(carried)) return { ...importNative(carried, "json"), format: "serverless" };
  const losses: Loss[] = [];
  const reader = new Reader(losses, nodeIds([]));
  reader.sequence(listAt(given, "do"), [], "/do");
  reader.resolveJumps();
  const schema = objectAt(objectAt(given, "input"), "schema")["document"];
  for (const key of ["schedule", "use", "evaluate", "timeout"]) {
    if (given[key] !== undefined)
      losses.push({ pointer: `/${key}`, what: `\`${key}\`.`, why: "It has no counterpart in a document." });
  }
  if (objectAt(given, "output")["as"] !== undefined) {
    losses.push({
      pointer: "/output",
      what: "How the output is shaped.",
      why: "Declare `outputs` with references to steps.",
    });
  }
  return {
    format: "serverless",
    name: textAt(head, "title") || textAt(head, "name") || "Imported workflow",
    description: textAt(head, "summary"),
    tags: ["imported:serverless-workflow"],
    document: {
      inputs: isJsonObject(schema) ? schema : { type: "object" },
      nodes: reader.nodes,
      edges: reader.edges,
      outputs: {},
    },
    losses,
  };
}

interface Exit {
  readonly from: string;
  readonly port?: string;
}

class Reader {
  readonly nodes: JsonObject[] = [];
  readonly edges: JsonObject[] = [];
  readonly #losses: Loss[];
  readonly #ids: Ids;
  readonly #firstOf = new Map<string, string>();
  readonly #jumps: { readonly exits: readonly Exit[]; readonly target: string; readonly pointer: string }[] =
    [];

  constructor(losses: Loss[], ids: Ids) {
    this.#losses = losses;
    this.#ids = ids;
  }

  #lose(pointer: string, what: string, why: string): void {
    this.#losses.push({ pointer, what, why });
  }

  /** Reads tasks one after the other and gives the ways out of the last one. */
  sequence(tasks: readonly Json[], entry: readonly Exit[], pointer: string): readonly Exit[] {
    let exits = entry;
    tasks.forEach((item, index) => {
      const [name = "", task] = isJsonObject(item) ? (Object.entries(item)[0] ?? []) : [];
      const place = `${pointer}/${index}/${name}`;
      if (!isJsonObject(task)) {
        this.#lose(place, "A task.", "It is not an object.");
        return;
      }
      const before = this.nodes.length;
      const after = this.#task(name, task, exits, place);
      const first = this.nodes[before];
      if (first !== undefined) this.#firstOf.set(name, textAt(first, "id"));
      exits = this.#then(task, after, place);
    });
    return exits;
  }

  #then(task: JsonObject, exits: readonly Exit[], pointer: string): readonly Exit[] {
    const then = textAt(task, "then");
    if (then === "" || then === "continue") return exits;
    if (then === "end" || then === "exit") return [];
    this.#jumps.push({ exits, target: then, pointer: `${pointer}/then` });
    return [];
  }

  /** Connects jumps once every task is known; jumps back would be loops and are lost. */
  resolveJumps(): void {
    const position = new Map(this.nodes.map((node, index) => [textAt(node, "id"), index]));
    for (const { exits, target, pointer } of this.#jumps) {
      const to = this.#firstOf.get(target);
      for (const exit of exits) {
        if (to === undefined || (position.get(to) ?? -1) <= (position.get(exit.from) ?? 0)) {
          this.#lose(pointer, `The jump to ${target}.`, "Graphs are acyclic; loops are map steps.");
        } else this.edges.push({ ...exit, to });
      }
    }
  }

  #add(name: string, node: JsonObject, entry: readonly Exit[], task: JsonObject, pointer: string): string {
    const id = this.#ids.fresh(name);
    const condition = textAt(task, "if");
    const cel = condition === "" ? null : jqToCel(unwrap(condition) ?? condition);
    if (condition !== "" && cel === null)
      this.#lose(
        `${pointer}/if`,
        `The condition of ${name}.`,
        "It is not a simple comparison of inputs; the step always runs.",
      );
    const ms = milliseconds(objectAt(task, "timeout")["after"]);
    for (const key of ["input", "output", "export"]) {
      if (task[key] !== undefined)
        this.#lose(
          `${pointer}/${key}`,
          `How ${name} shapes its ${key}.`,
          "Use references and transform steps.",
        );
    }
    this.nodes.push({
      id,
      ...node,
      ...(cel !== null && { if: cel }),
      ...(ms !== null && ms > 0 && { timeoutMs: ms }),
    });
    for (const exit of entry) this.edges.push({ ...exit, to: id });
    return id;
  }

  #task(name: string, task: JsonObject, entry: readonly Exit[], pointer: string): readonly Exit[] {
    const add = (node: JsonObject): readonly Exit[] => [
      { from: this.#add(name, node, entry, task, pointer) },
    ];
    if (task["set"] !== undefined)
      return add({ type: "transform", value: this.#value(task["set"], `${pointer}/set`) });
    if (task["wait"] !== undefined)
      return add({ type: "wait", wait: { ms: milliseconds(task["wait"]) ?? 0 } });
    if (task["switch"] !== undefined) return this.#switch(name, task, entry, pointer);
    if (task["fork"] !== undefined) return this.#fork(task, entry, pointer);
    if (task["for"] !== undefined) return this.#for(name, task, entry, pointer);
    if (task["try"] !== undefined) return this.#try(task, entry, pointer);
    if (task["do"] !== undefined) return this.sequence(listAt(task, "do"), entry, `${pointer}/do`);
    if (task["listen"] !== undefined) {
      this.#lose(pointer, `The events that ${name} listens for.`, "A person has to say that they came.");
      return add({ type: "approval", approval: { title: `Has it happened: ${name}?`.slice(0, 200) } });
    }
    const workflow = objectAt(objectAt(task, "run"), "workflow");
    if (textAt(workflow, "name") !== "") {
      this.#lose(
        `${pointer}/run`,
        `The workflow ${textAt(workflow, "name")}.`,
        "It has to be imported and published too, and its id put here.",
      );
      const input = this.#value(workflow["input"] ?? {}, `${pointer}/run/workflow/input`);
      return add({
        type: "subworkflow",
        subworkflow: { workflowId: textAt(workflow, "name") },
        with: isJsonObject(input) ? input : {},
      });
    }
    return this.#work(name, task, add, pointer);
  }

  /** Calls, scripts and containers are handed to the sandbox; what only signals something is noted. */
  #work(
    name: string,
    task: JsonObject,
    add: (node: JsonObject) => readonly Exit[],
    pointer: string,
  ): readonly Exit[] {
    const call = textAt(task, "call");
    const own = objectAt(objectAt(task, "with"), "body");
    const toolCall = objectAt(own, "params");
    if (call === "http" && own["method"] === "tools/call" && textAt(toolCall, "name") !== "") {
      const args = this.#value(toolCall["arguments"] ?? {}, `${pointer}/with/body`);
      return add({ type: "tool", tool: textAt(toolCall, "name"), with: isJsonObject(args) ? args : {} });
    }
    if (call !== "" || task["run"] !== undefined) {
      this.#lose(
        pointer,
        `What ${name} calls.`,
        "It is handed to the sandbox for execution; look at the payload.",
      );
      const payload = this.#value({ call: call || "run", with: task["with"] ?? task["run"] ?? {} }, pointer);
      return add({ type: "handoff", handoff: { target: "sandbox", capability: "execute", payload } });
    }
    this.#lose(
      pointer,
      `The task ${name}.`,
      "It has no counterpart; a step that gives its definition stands in its place.",
    );
    return add({ type: "transform", value: { $literal: task } });
  }

  #switch(name: string, task: JsonObject, entry: readonly Exit[], pointer: string): readonly Exit[] {
    const cases: JsonObject[] = [];
    const ways: { readonly port: string; readonly target: string }[] = [];
    let fallback = "continue";
    listAt(task, "switch").forEach((item, index) => {
      const [label = "", branch] = isJsonObject(item) ? (Object.entries(item)[0] ?? []) : [];
      if (!isJsonObject(branch)) return;
      const when = textAt(branch, "when");
      const then = textAt(branch, "then") || "continue";
      if (when === "") {
        fallback = then;
        return;
      }
      const cel = jqToCel(unwrap(when) ?? when);
      if (cel === null)
        this.#lose(
          `${pointer}/switch/${index}/${label}`,
          `The condition ${JSON.stringify(when.slice(0, 80))}.`,
          "It is not a simple comparison of inputs; false stands in its place.",
        );
      const port = label.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 60) || `case${index}`;
      cases.push({ name: port, when: cel ?? "1 == 2" });
      ways.push({ port: `case:${port}`, target: then });
    });
    if (cases.length === 0) return entry;
    const from = this.#add(name, { type: "switch", cases }, entry, task, pointer);
    const exits: Exit[] = [];
    for (const { port, target } of [...ways, { port: "default", target: fallback }]) {
      if (target === "continue") exits.push({ from, port });
      else if (target !== "end" && target !== "exit")
        this.#jumps.push({ exits: [{ from, port }], target, pointer });
      else {
        const end = this.#ids.fresh(`${name}_end`);
        this.nodes.push({ id: end, type: "transform", value: null });
        this.edges.push({ from, port, to: end });
      }
    }
    return exits;
  }

  #fork(task: JsonObject, entry: readonly Exit[], pointer: string): readonly Exit[] {
    const fork = objectAt(task, "fork");
    if (fork["compete"] === true)
      this.#lose(`${pointer}/fork/compete`, "That the first branch wins.", "All branches run to their end.");
    return listAt(fork, "branches").flatMap((branch, index) =>
      this.sequence([branch], entry, `${pointer}/fork/branches/${index}`),
    );
  }

  #for(name: string, task: JsonObject, entry: readonly Exit[], pointer: string): readonly Exit[] {
    const loop = objectAt(task, "for");
    const inner = new Reader(this.#losses, nodeIds([]));
    inner.sequence(listAt(task, "do"), [], `${pointer}/do`);
    inner.resolveJumps();
    this.#lose(
      `${pointer}/for`,
      `Variables and bounds of the loop ${name}.`,
      `The item is \`item\`, and at most ${MAP_BOUND} items are taken.`,
    );
    if (task["while"] !== undefined)
      this.#lose(`${pointer}/while`, "When the loop stops early.", "It runs over all items.");
    const items = this.#value(textAt(loop, "in"), `${pointer}/for/in`);
    const nested = inner.nodes.some((node) => node["type"] === "map");
    if (nested) this.#lose(`${pointer}/do`, "A loop inside the loop.", "Bodies of maps hold no maps.");
    const nodes = nested ? [] : inner.nodes;
    const body = {
      nodes: nodes.length === 0 ? [{ id: "item", type: "transform", value: { $ref: "item" } }] : nodes,
      edges: nested ? [] : inner.edges,
    };
    return [
      {
        from: this.#add(
          name,
          { type: "map", map: { items, maxItems: MAP_BOUND, body } },
          entry,
          task,
          pointer,
        ),
      },
    ];
  }

  #try(task: JsonObject, entry: readonly Exit[], pointer: string): readonly Exit[] {
    const before = this.nodes.length;
    const exits = this.sequence(listAt(task, "try"), entry, `${pointer}/try`);
    const tried = this.nodes.slice(before);
    const caught = objectAt(task, "catch");
    const count = objectAt(objectAt(objectAt(caught, "retry"), "limit"), "attempt")["count"];
    if (caught["retry"] !== undefined) {
      const maxAttempts = typeof count === "number" ? Math.min(20, Math.max(2, count)) : 3;
      const backoffMs = milliseconds(objectAt(caught, "retry")["delay"]) ?? 1_000;
      tried.forEach((node, offset) => {
        if (node["type"] === "handoff" || node["type"] === "map")
          this.nodes[before + offset] = { ...node, retry: { maxAttempts, backoffMs } };
      });
    }
    for (const key of ["errors", "when", "exceptWhen"]) {
      if (caught[key] !== undefined)
        this.#lose(`${pointer}/catch/${key}`, "Which errors are caught.", "All are.");
    }
    const handlers = listAt(caught, "do");
    if (handlers.length === 0) return exits;
    const failures = tried.map((node) => ({ from: textAt(node, "id"), port: "error" }));
    return [...exits, ...this.sequence(handlers, failures, `${pointer}/catch/do`)];
  }

  #value(value: Json, pointer: string): Json {
    if (typeof value === "string") {
      const jq = unwrap(value);
      if (jq === null) return value;
      const path = inputPath(jq);
      if (path !== null) {
        const [name = "", ...rest] = path;
        return { $ref: pathText("inputs", [name, ...rest]), default: null };
      }
      this.#lose(
        pointer,
        `The expression ${JSON.stringify(value.slice(0, 80))}.`,
        "It is kept as plain text.",
      );
      return { $literal: value };
    }
    if (Array.isArray(value))
      return value.map((item: Json, index) => this.#value(item, `${pointer}/${index}`));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#value(item ?? null, `${pointer}/${key}`)]),
    );
  }
}

/** Milliseconds of a duration: an object of parts, or ISO 8601 text. */
function milliseconds(value: Json | undefined): number | null {
  if (typeof value === "string") {
    const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(value);
    if (match === null) return null;
    const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
    return Math.round(
      (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000,
    );
  }
  if (!isJsonObject(value)) return null;
  const part = (key: string): number => {
    const amount = value[key];
    return typeof amount === "number" ? amount : 0;
  };
  return (
    ((part("days") * 24 + part("hours")) * 60 + part("minutes")) * 60_000 +
    part("seconds") * 1_000 +
    part("milliseconds")
  );
}
