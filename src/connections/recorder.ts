import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { RecordedWorkflow } from "../model/connections.ts";
import { pathText, pointerSegments, pointerSegment } from "../kernel/paths.ts";
import type { ConnectionCallRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { ManagedConnections } from "./service.ts";

const USUAL_CALLS = 5;
const MAX_ALTERNATIVES = 5;
/** Shorter values are equal by chance too often. */
const MIN_TEXT = 3;

type Guess = Omit<RecordedWorkflow["guesses"][number], "accepted">;

/** Which calls become a workflow, and which guesses are wrong. */
interface Choice {
  readonly calls?: readonly string[];
  readonly limit?: number;
  readonly reject?: readonly string[];
}

interface StepValues {
  readonly step: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A draft workflow of the caller's last calls: equal values become references, each listed to be confirmed. */
export async function recordWorkflow(
  connections: ManagedConnections,
  given: Choice,
  context: CallContext,
): Promise<RecordedWorkflow> {
  const rejected = new Set(given.reject);
  const calls = await chosenCalls(given, context);
  const nodes: JsonObject[] = [];
  const guesses: Guess[] = [];
  const missing: RecordedWorkflow["missing"] = [];
  const inputs: Record<string, Json> = {};
  const known: StepValues[] = [];
  for (const [index, call] of calls.entries()) {
    const step = `step${index + 1}`;
    const head = connections.head(`${call.connection}:${call.definition}`);
    const tool = `${call.connection}:${head?.name ?? call.definition}`;
    const place = (value: Json, pointer: string): Json => {
      if (isJsonObject(value)) {
        if (typeof value["$redacted"] === "string") {
          const name = `${step}_${pointer.split("/").at(-1) ?? "secret"}`.replaceAll(/\W/g, "_");
          inputs[name] = { type: "string", format: "password" };
          missing.push({ step, pointer, input: name, reason: "The value was a secret and is not kept." });
          return { $ref: `inputs.${name}` };
        }
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            place(item ?? null, `${pointer}/${pointerSegment(key)}`),
          ]),
        );
      }
      if (isList(value)) return value.map((item, at) => place(item, `${pointer}/${at}`));
      const found = referencesTo(value, known);
      const [reference, ...alternatives] = found;
      const id = `${step}${pointer}`;
      if (reference === undefined) return value;
      guesses.push({
        id,
        step,
        pointer,
        value,
        reference,
        alternatives: alternatives.slice(0, MAX_ALTERNATIVES),
      });
      return rejected.has(id) ? value : { $ref: reference };
    };
    nodes.push({
      id: step,
      type: "tool",
      title: head?.title ?? tool,
      tool,
      with: place(call.arguments ?? {}, ""),
      ...(head !== undefined && head.effect !== "read" && { toolDigest: head.digest }),
    });
    if (call.arguments === null)
      missing.push({ step, pointer: "", reason: "The arguments were too large to be kept." });
    known.push({ step, values: valuesOf(call.result) });
  }
  const edges = nodes.slice(1).map((node, index) => ({
    id: `edge${index + 1}`,
    from: nodes[index]?.["id"] ?? "",
    to: node["id"] ?? "",
    port: "success",
  }));
  const workflow: JsonObject = {
    name: "Recorded calls",
    inputs: { type: "object", properties: inputs, required: Object.keys(inputs) },
    nodes,
    edges,
  };
  return {
    workflow,
    guesses: guesses.map((guess) => ({ ...guess, accepted: !rejected.has(guess.id) })),
    missing,
    calls: calls.map(({ id }) => id),
    nextAction:
      "Send the ids of wrong guesses as reject to get the draft without them; create_workflow keeps it.",
  };
}

async function chosenCalls(
  { calls: wanted = [], limit = USUAL_CALLS }: Choice,
  context: CallContext,
): Promise<readonly ConnectionCallRecord[]> {
  const { connections } = context.services.store.read;
  const { items } = await connections.calls({ by: context.caller.id }, { limit: 200 });
  const chosen =
    wanted.length > 0
      ? items.filter(({ id }) => wanted.includes(id))
      : items.filter(({ ok, runId }) => ok && runId === null).slice(0, limit);
  if (chosen.length === 0 || (wanted.length > 0 && chosen.length < wanted.length)) {
    throw new AppError("not_found", "There are no calls of yours to make a workflow from.", {
      nextAction: "Call an operation of a connection first; GET /api/svc/connections/calls lists your calls.",
    });
  }
  return chosen.toReversed();
}

/** Where in the results of earlier steps this value stands; the latest step first. */
function referencesTo(value: Json, known: readonly StepValues[]): readonly string[] {
  const isTelling =
    (typeof value === "string" && value.length >= MIN_TEXT) ||
    (typeof value === "number" && Math.abs(value) >= 2);
  if (!isTelling) return [];
  const key = JSON.stringify(value);
  return known
    .toReversed()
    .flatMap(({ step, values }) =>
      (values.get(key) ?? []).map((pointer) =>
        pathText(`steps.${step}.outputs.data`, pointerSegments(pointer) ?? []),
      ),
    );
}

/** Every value of a result with the places where it stands, those of the answer's body first. */
function valuesOf(result: JsonObject | null): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const walk = (value: Json | undefined, pointer: string): void => {
    if (value === undefined || value === null || typeof value === "boolean") return;
    if (isList(value)) value.forEach((item, index) => walk(item, `${pointer}/${index}`));
    else if (isJsonObject(value))
      for (const [key, item] of Object.entries(value)) walk(item, `${pointer}/${pointerSegment(key)}`);
    else {
      const key = JSON.stringify(value);
      const places = found.get(key);
      if (places === undefined) found.set(key, [pointer]);
      else places.push(pointer);
    }
  };
  walk(result?.["body"], "/body");
  walk(result?.["structuredContent"], "/structuredContent");
  walk(result?.["content"], "/content");
  walk(result?.["headers"], "/headers");
  return found;
}
