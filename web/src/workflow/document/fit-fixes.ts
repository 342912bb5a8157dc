import { isJsonRecord, type Json, type JsonObject } from "#kernel/json.ts";
import { nearestNames } from "#kernel/nearest.ts";
import { pathText, pointerSegments } from "#kernel/paths.ts";
import { subworkflowKey } from "#workflows/catalog-view.ts";
import { fit, VERDICTS } from "#workflows/schema-fit.ts";
import { follow, inlined, mayLack, typesOf, type SchemaOrNull } from "#workflows/schema-types.ts";
import { asWritten } from "#workflows/values.ts";
import { words } from "../../lib/format.ts";
import { numberAt, objectAt, textAt, textsAt } from "../../lib/read.ts";
import { fitOf } from "../inspect/suggest.ts";
import type { Scope, Source, Subworkflows } from "../inspect/scope.ts";
import type { ToolInfo } from "../../api/tools.ts";
import type { Fix } from "./fixes.ts";
import { DEFAULT_MAP_ITEMS, fieldsBody, freeId, insertBefore, type Graph } from "./model.ts";
import { valueAt, withValueAt } from "./pointer.ts";

/* Changes that make data fit where it nearly does: another part of it, or its fields chosen and renamed. */

interface Misfit {
  /** Where the reference stands. */
  readonly pointer: string;
  readonly graph: Graph;
  readonly tools: readonly ToolInfo[];
  readonly workflows: Subworkflows;
  /** The step that it belongs to, and the map around that; empty when there is none. */
  readonly step: string;
  readonly map: string;
}

/** What one click can do about data that does not fit an argument. */
export function fitFixes(misfit: Misfit, scope: Scope): readonly Fix[] {
  const { pointer, graph, step, map } = misfit;
  const ref = valueAt(graph, pointer);
  const path = typeof ref === "string" ? asWritten(ref) : "";
  // The whole answer of a tool is what its value stands in.
  const inside = scope.sources.filter((one) => one.path.startsWith(`${path}.`));
  const source = scope.sourceOf(path) ?? inside[0] ?? null;
  const wanted = wantedAt(misfit, pointer);
  if (source === null || wanted === null) return [];
  const place = pointer.replace(/\/\$ref$/, "");
  const part = partThatFits(inside.length > 0 ? inside : source.children(), wanted);
  const fixes: Fix[] =
    part === null
      ? []
      : [
          {
            label: `Use “${part.trail.join(" › ")}”`,
            apply: (now) => withValueAt(now, place, { $ref: part.path }),
          },
        ];
  const other = source.sure ? converted(source, wanted) : null;
  if (other !== null)
    fixes.push({ label: other.label, apply: (now) => withValueAt(now, place, { $expr: other.expression }) });
  const items = wanted["items"];
  const [first] = source.children();
  if (typesOf(wanted)?.has("array") === true && map === "" && first?.label === "First item") {
    const choice = chosenFields(isJsonRecord(items) ? items : null, first, (name) =>
      pathText("item", [name]),
    );
    // What no field gives is a field of the new step, where a person fills it in.
    const rest = Object.fromEntries(choice?.missing.map((name) => [name, null]) ?? []);
    // A field that is there and is not what is wanted is filled in where it stands.
    const isChosen = first.children().some(({ name }) => choice?.missing.includes(name));
    if (choice !== null && !isChosen)
      fixes.push({
        label: `Choose ${namesOf(choice)} of each item${toFillIn(choice)}`,
        apply: (now) => withChoice(now, step, place, source.path, { ...choice.chosen, ...rest }),
      });
  }
  const choice = chosenFields(wanted, source, (name) => pathText(source.path, [name]));
  if (choice !== null)
    fixes.push({
      label: `Choose its fields ${namesOf(choice)}${toFillIn(choice)}`,
      apply: (now) => withValueAt(now, place, choice.chosen),
    });
  return fixes;
}

interface Choice {
  readonly chosen: JsonObject;
  /** Required fields that nothing is like. */
  readonly missing: readonly string[];
}

function namesOf({ chosen }: Choice): string {
  return Object.keys(chosen).map(words).join(", ");
}

function toFillIn({ missing }: Choice): string {
  return missing.length === 0 ? "" : `; fill in ${missing.map(words).join(", ")}`;
}

/** How a simple value becomes one of the wanted type. */
function converted(
  { path, schema }: Pick<Source, "path" | "schema">,
  wanted: SchemaOrNull,
): { readonly label: string; readonly expression: string } | null {
  const from = [...(typesOf(schema) ?? [])];
  const to = typesOf(wanted);
  if (to === null || from.length === 0) return null;
  if (to.has("string") && from.every((type) => ["integer", "number", "boolean"].includes(type)))
    return { label: "Convert it to text", expression: `string(${path})` };
  if (from.join() !== "string" || !(to.has("number") || to.has("integer"))) return null;
  return { label: "Convert it to a number", expression: `${to.has("number") ? "double" : "int"}(${path})` };
}

const TEXT: SchemaOrNull = { type: "string" };

/** What is taken where no tool and no workflow says it. */
const TAKEN: readonly (readonly [place: RegExp, schema: SchemaOrNull])[] = [
  [/\/map\/items$/, { type: "array" }],
  [/\/wait\/ms$/, { type: "number" }],
  [/\/(?:approval\/title|wait\/until|handoff\/intent|idempotencyKey)$/, TEXT],
];

/** The schema of what a value at a pointer is meant for. */
function wantedAt({ graph, tools, workflows }: Misfit, pointer: string): SchemaOrNull {
  const [, place = ""] = /^(.*)\/\$ref$/.exec(pointer) ?? [];
  const at = place.indexOf("/with/");
  if (at === -1) return TAKEN.find(([pattern]) => pattern.test(place))?.[1] ?? null;
  const call = place.slice(0, at);
  const path = place.slice(at + "/with".length);
  const called = textAt(valueAt(graph, call), "tool");
  const run = valueAt(graph, `${call}/subworkflow`);
  const child = workflows.get(
    subworkflowKey(textAt(run, "workflowId"), numberAt(run, "version") ?? undefined),
  );
  const schema = tools.find(({ name }) => name === called)?.inputSchema ?? child?.inputs;
  const step = follow(schema === undefined ? null : inlined(schema), pointerSegments(path) ?? []);
  return step.kind === "found" ? step.schema : null;
}

/** The nearest part of a source that surely fits: the body of a response, the results of a map. */
export function partThatFits(parts: readonly Source[], wanted: SchemaOrNull): Source | null {
  let level = parts;
  for (let depth = 0; depth < 3; depth++) {
    const found = level.find((field) => VERDICTS.indexOf(fitOf(field, wanted).verdict) <= 1);
    if (found !== undefined) return found;
    level = level.flatMap((field) => field.children());
  }
  return null;
}

/** A value for each wanted field, from the field of the same or the nearest name; null when there is none. */
function chosenFields(wanted: SchemaOrNull, source: Source, path: (name: string) => string): Choice | null {
  if (wanted === null || typesOf(wanted)?.has("object") !== true) return null;
  const fields = source.children();
  const required = textsAt(wanted, "required");
  const chosen: Record<string, Json> = {};
  const missing: string[] = [];
  for (const [name, property] of Object.entries(objectAt(wanted, "properties"))) {
    const target = isJsonRecord(property) ? property : null;
    const able = fields.flatMap((field): readonly Able[] => {
      const { name, schema } = field;
      if (fit(schema, target).verdict !== "misfit") return [{ name, value: { $ref: path(name) } }];
      const isThere = source.schema !== null && !mayLack(source.schema, name);
      const other = isThere ? converted({ path: path(name), schema }, target) : null;
      return other === null ? [] : [{ name, value: { $expr: other.expression } }];
    });
    const same = able.find((field) => field.name === name);
    const found = same ?? (required.includes(name) ? like(name, able) : undefined);
    if (found !== undefined) chosen[name] = found.value;
    else if (required.includes(name)) missing.push(name);
  }
  return Object.keys(chosen).length === 0 ? null : { chosen, missing };
}

/** A field that can give a wanted one. */
interface Able {
  readonly name: string;
  readonly value: Json;
}

/** The one whose name is nearest, or ends the wanted name, as `id` does in `bookId`. */
function like(name: string, able: readonly Able[]): Able | undefined {
  const [near] = nearestNames(
    name,
    able.map((field) => field.name),
    1,
  );
  const ends = (field: Able) =>
    field.name.length > 1 && name.toLowerCase().endsWith(field.name.toLowerCase());
  return able.find((field) => field.name === near) ?? able.find(ends);
}

/** Puts a map that chooses fields before the step, and takes its results. */
function withChoice(graph: Graph, step: string, place: string, list: string, chosen: JsonObject): Graph {
  const id = freeId(graph, "choose_fields");
  const body = fieldsBody();
  const nodes = (body.nodes ?? []).map((node) => ({ ...node, value: chosen }));
  const node = {
    id,
    type: "map",
    title: "Choose fields",
    map: { items: { $ref: list }, maxItems: DEFAULT_MAP_ITEMS, body: { ...body, nodes } },
  };
  const results = pathText("steps", [id, "outputs", "results"]);
  return withValueAt(insertBefore(graph, node, step), place, { $ref: results });
}
