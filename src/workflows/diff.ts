import { canonicalJson } from "../kernel/canonical-json.ts";
import type { Json } from "../kernel/json.ts";
import type { WorkflowDiff } from "../model/workflows.ts";
import type { Edge, WorkflowDocument, WorkflowNode } from "./schema.ts";

/** Compares two documents. */
export function diffDocuments(before: WorkflowDocument, after: WorkflowDocument): WorkflowDiff {
  const old = new Map(before.nodes.map((node) => [node.id, node]));
  const current = new Map(after.nodes.map((node) => [node.id, node]));
  const added = [...current.keys()].filter((id) => !old.has(id));
  const removed = [...old.keys()].filter((id) => !current.has(id));
  const changed = [...current].flatMap(([id, node]) => {
    const earlier = old.get(id);
    const fields = earlier === undefined ? [] : changedFields(earlier, node);
    return fields.length === 0 ? [] : [{ id, fields }];
  });
  const oldEdges = new Map(before.edges.map((edge) => [wayOf(edge), edge]));
  const newEdges = new Map(after.edges.map((edge) => [wayOf(edge), edge]));
  const edges = {
    added: [...newEdges].flatMap(([way, edge]) => (oldEdges.has(way) ? [] : [plain(edge)])),
    removed: [...oldEdges].flatMap(([way, edge]) => (newEdges.has(way) ? [] : [plain(edge)])),
  };
  const parts = (["inputs", "outputs", "policy"] as const).filter((part) => !same(before[part], after[part]));
  const count = added.length + removed.length + changed.length + edges.added.length + edges.removed.length;
  return { same: count + parts.length === 0, nodes: { added, removed, changed }, edges, parts };
}

/** What makes two connections of steps the same. */
export function wayOf({ from, port, to }: Edge): string {
  return `${from} ${port} ${to}`;
}

function plain({ from, port, to }: Edge): WorkflowDiff["edges"]["added"][number] {
  return { from, port, to };
}

function changedFields(before: WorkflowNode, after: WorkflowNode): string[] {
  const old: ReadonlyMap<string, Json | undefined> = new Map(Object.entries(before));
  const current: ReadonlyMap<string, Json | undefined> = new Map(Object.entries(after));
  const names = new Set([...old.keys(), ...current.keys()]);
  return [...names].filter((name) => !same(old.get(name), current.get(name))).sort();
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonicalJson(a ?? null) === canonicalJson(b ?? null);
}
