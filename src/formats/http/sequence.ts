import type { JsonObject } from "../../kernel/json.ts";
import type { Imported, Loss } from "../format.ts";
import { nodeIds } from "../reading.ts";
import type { HttpCall } from "./call.ts";
import { type HttpCollector, quote } from "./collector.ts";
import { isSecretText } from "./secrets.ts";

/** More requests than a person would follow in one workflow; the rest is named as lost. */
const MAX_CALLS = 1_000;
/** Losses of an import that are listed; more than these are counted. */
const MAX_LOSSES = 500;

/** Notes losses within a bound. */
export class Losses {
  readonly #losses: Loss[] = [];
  #more = 0;

  readonly lose = (loss: Loss): void => {
    if (this.#losses.length < MAX_LOSSES) this.#losses.push(loss);
    else this.#more += 1;
  };

  /** All of them; those beyond the bound as a number. */
  all(): readonly Loss[] {
    if (this.#more === 0) return this.#losses;
    return [
      ...this.#losses,
      { pointer: "", what: `${this.#more} more things.`, why: "The list ends here; import a smaller file." },
    ];
  }
}

/** What a step made of a call has beside the call. */
interface StepExtras {
  readonly maxAttempts?: number | null;
  readonly timeoutMs?: number | null;
}

interface Sequence {
  readonly format: Imported["format"];
  readonly name: string;
  readonly description: string;
  readonly calls: readonly (HttpCall & StepExtras)[];
  readonly collector: HttpCollector;
  readonly losses: Losses;
  /** The ids of the steps, when something refers to them; one for each call. */
  readonly ids?: readonly string[];
}

/** The id that a step gets from what its call is called or does. */
export function stepIds(calls: readonly Pick<HttpCall, "name" | "method" | "url">[]): readonly string[] {
  const ids = nodeIds([]);
  return calls.map((call) => ids.fresh(hintOf(call)));
}

function hintOf({ name, method, url }: Pick<HttpCall, "name" | "method" | "url">): string {
  const named = name.match(/[A-Za-z0-9]+/g) ?? [];
  if (named.length > 0) return named.join("_").slice(0, 40);
  const text = url.map((part) => (typeof part === "string" ? part : part.id)).join("");
  const path = text.replace(/^https?:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  const words = path
    .split("/")
    .filter((segment) => !isSecretText(segment))
    .flatMap((segment) => segment.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []);
  return [method.toLowerCase(), ...words.slice(-2)].join("_");
}

/** A workflow that makes one call after the other. */
export function sequenceOf({ format, name, description, calls, collector, losses, ids }: Sequence): Imported {
  const taken = calls.slice(0, MAX_CALLS);
  if (calls.length > MAX_CALLS)
    losses.lose({
      pointer: "",
      what: `${calls.length - MAX_CALLS} further requests.`,
      why: `At most ${MAX_CALLS} become steps.`,
    });
  const names = ids ?? stepIds(taken);
  const nodes = taken.flatMap((call, index) => {
    const step = collector.step(call);
    if (step === null) {
      losses.lose({
        pointer: call.pointer,
        what: `The request ${quote(call.name || call.method)}.`,
        why: "Its address is missing or cannot be read.",
      });
      return [];
    }
    return [
      {
        id: names[index] ?? `step${index + 1}`,
        type: "tool",
        title: step.title,
        ...(call.description !== "" && { description: call.description.slice(0, 4_000) }),
        tool: step.tool,
        with: step.with,
        ...(call.maxAttempts != null && { retry: { maxAttempts: call.maxAttempts } }),
        ...(call.timeoutMs != null && { timeoutMs: call.timeoutMs }),
      },
    ];
  });
  const edges: JsonObject[] = nodes
    .slice(1)
    .map((node, index) => ({ from: nodes[index]?.id ?? "", to: node.id }));
  return {
    format,
    name: name.slice(0, 200) || "Imported requests",
    description,
    tags: [`imported:${format}`],
    document: { inputs: collector.inputsSchema(nodes), nodes, edges, outputs: {} },
    losses: losses.all(),
    connections: collector.connections(),
  };
}
