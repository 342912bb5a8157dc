import type { Json } from "#kernel/json.ts";
import { fit, fitText, type Fit, VERDICTS } from "#workflows/schema-fit.ts";
import type { SchemaOrNull } from "#workflows/schema-types.ts";
import { words } from "../../lib/format.ts";
import type { Source } from "./scope.ts";

/** Whether a source can be used where a schema is wanted. What need not be there never surely fits. */
export function fitOf(source: Source, wanted: SchemaOrNull): Fit {
  const found = fit(source.schema, wanted);
  const isWorse = VERDICTS.indexOf(found.verdict) >= VERDICTS.indexOf("maybe");
  return source.sure || isWorse ? found : { verdict: "maybe", path: [source.name], reason: "may be missing" };
}

/** What stands in the way of a source, for the person who chooses; empty when it fits. */
export function fitWords(found: Fit): string {
  if (found.verdict !== "misfit" && found.verdict !== "maybe") return "";
  if (found.path.length > 0)
    return fitText({ ...found, path: found.path.map((part) => (part === "[]" ? part : words(part))) });
  if (found.verdict === "misfit") return "another type";
  return found.reason.includes("null") ? "may be empty" : "sometimes another type";
}

const MAX_WALKED = 2_000;
const MAX_SUGGESTED = 4;
const MAX_DEPTH = 5;

/**
 * The sources that fit best: of the same name as the field first, then items of the map around, then the nearest step.
 * Where anything is taken, whole results are offered.
 */
export function suggestions(sources: readonly Source[], wanted: SchemaOrNull, label = ""): readonly Source[] {
  const isAny = wanted === null || Object.keys(wanted).length === 0;
  const found: { readonly source: Source; readonly score: number }[] = [];
  let walked = 0;
  const walk = (source: Source, depth: number, aside: Source | undefined): void => {
    if (++walked > MAX_WALKED || source === aside || /^(?:run\.|index$)/.test(source.path)) return;
    const rank = VERDICTS.indexOf(fitOf(source, wanted).verdict);
    const isNamed = label !== "" && plain(source.name) === plain(label);
    if (rank <= 1 && (!isAny || depth === 0 || isNamed))
      found.push({ source, score: (isNamed ? 0 : 100) + rank * 10 + (depth > 1 ? 1 : 0) });
    if (depth < MAX_DEPTH) for (const inner of source.children()) walk(inner, depth + 1, source.aside);
  };
  for (const source of sources) walk(source, 0, undefined);
  return found
    .toSorted((a, b) => a.score - b.score)
    .slice(0, MAX_SUGGESTED)
    .map(({ source }) => source);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

const MAX_FOUND = 300;

/** Sources whose labels or paths hold every typed word: what fits first, fixed items of lists last. */
export function search(sources: readonly Source[], wanted: SchemaOrNull, query: string): readonly Source[] {
  // A path may be typed with slashes as well.
  const wordsOf = query.trim().toLowerCase().replaceAll("/", ".").split(/\s+/);
  const found: { readonly source: Source; readonly score: number }[] = [];
  const walk = (list: readonly Source[], depth: number): void => {
    for (const source of list) {
      if (found.length >= MAX_FOUND) return;
      const text = `${source.trail.join(" ")} ${source.path}`.toLowerCase();
      if (wordsOf.every((word) => text.includes(word))) found.push({ source, score: order(source, wanted) });
      if (depth <= MAX_DEPTH) walk(source.children(), depth + 1);
    }
  };
  walk(sources, 0);
  return found.toSorted((a, b) => a.score - b.score).map(({ source }) => source);
}

function order(source: Source, wanted: SchemaOrNull): number {
  const isMisfit = fitOf(source, wanted).verdict === "misfit";
  return (isMisfit ? 4 : 0) + (/\[\d+\]/.test(source.path) ? 2 : 0) + (/^item\b/.test(source.path) ? 0 : 1);
}

/** A field that can be chosen with one click: how it is called, and what it then holds. */
export interface OfferedField {
  readonly name: string;
  readonly label: string;
  readonly value: Json;
}

/** The fields of a source, each as a field of the same name. */
export function fieldsOfSource(source: Source | undefined): readonly OfferedField[] {
  const children = source?.children() ?? [];
  return offeredFields(children.filter((field) => field !== source?.aside && field.name !== "response"));
}

const MAX_OFFERED = 40;

/** Sources as fields of the same names. */
export function offeredFields(sources: readonly Source[]): readonly OfferedField[] {
  return sources.slice(0, MAX_OFFERED).map(({ name, label, path, sure }) => ({
    name,
    label,
    value: sure ? { $ref: path } : { $ref: path, default: null },
  }));
}
