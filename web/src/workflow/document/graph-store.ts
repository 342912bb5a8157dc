import { external, type External } from "../../lib/external.ts";
import type { Graph } from "./model.ts";

/** What is edited: the graph and what people call it. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly graph: Graph;
}

/** What undo and redo would bring back, the nearest last. */
export interface DraftHistory {
  readonly past: readonly Draft[];
  readonly future: readonly Draft[];
}

/** A draft with undo. Edits under one label within a moment are one step. */
export interface GraphStore extends External<Draft> {
  readonly change: (label: string, next: (draft: Draft) => Draft) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly canUndo: () => boolean;
  readonly canRedo: () => boolean;
  readonly history: () => DraftHistory;
}

const MOMENT_MS = 800;
const KEPT = 100;

/** Makes a draft that remembers its past. */
export function createGraphStore(initial: Draft, known: DraftHistory = { past: [], future: [] }): GraphStore {
  const state = external(initial);
  let past = [...known.past];
  let future = [...known.future];
  let last = { label: "", at: 0 };
  const travel = (from: Draft[], to: Draft[]) => {
    const next = from.pop();
    if (next === undefined) return;
    to.push(state.get());
    last = { label: "", at: 0 };
    state.set(next);
  };
  return {
    ...state,
    change: (label, next) => {
      const before = state.get();
      const after = next(before);
      if (after === before) return;
      const now = Date.now();
      if (last.label !== label || now - last.at > MOMENT_MS) past = [...past, before].slice(-KEPT);
      last = { label, at: now };
      future = [];
      state.set(after);
    },
    undo: () => travel(past, future),
    redo: () => travel(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    history: () => ({ past, future }),
  };
}
