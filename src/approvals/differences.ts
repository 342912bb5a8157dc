import { pointerSegment } from "../kernel/paths.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, isList, type Json } from "../kernel/json.ts";
import type { DifferenceView } from "../model/approval-detail.ts";

/** Differences that are listed at most. */
const MOST = 100;

/** Where two values differ, by JSON Pointer; `more` says that not all are listed. */
export function differences(
  before: Json,
  after: Json,
): { readonly changes: DifferenceView[]; readonly more: boolean } {
  const found: DifferenceView[] = [];
  compare(before, after, "", found);
  return { changes: found.slice(0, MOST), more: found.length > MOST };
}

function compare(before: Json, after: Json, pointer: string, found: DifferenceView[]): void {
  if (found.length > MOST || canonicalJson(before) === canonicalJson(after)) return;
  const [left, right] = [membersOf(before), membersOf(after)];
  if (left === null || right === null || isList(before) !== isList(after)) {
    found.push({ pointer, change: "changed", before, after });
    return;
  }
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const place = `${pointer}/${pointerSegment(key)}`;
    const [was, is] = [left.get(key), right.get(key)];
    if (was === undefined) found.push({ pointer: place, change: "added", before: null, after: is ?? null });
    else if (is === undefined) found.push({ pointer: place, change: "removed", before: was, after: null });
    else compare(was, is, place, found);
  }
}

function membersOf(value: Json): ReadonlyMap<string, Json> | null {
  if (isList(value)) return new Map(value.map((item, index) => [String(index), item]));
  if (!isJsonObject(value)) return null;
  return new Map(Object.entries(value).map(([key, item]) => [key, item ?? null]));
}
