import type { Graph, Spot } from "../document/model.ts";

/** A text on the canvas. It stands in `ui`, so it never runs and is no part of the digest. */
export interface Note extends Spot {
  readonly id: string;
  readonly text: string;
}

/** The notes of a graph. */
export function notesOf({ ui }: Pick<Graph, "ui">): readonly Note[] {
  return ui.notes ?? [];
}

/** Adds a note or replaces it. */
export function putNote(graph: Graph, note: Note): Graph {
  const notes = notesOf(graph);
  const known = notes.some(({ id }) => id === note.id);
  const next = known ? notes.map((item) => (item.id === note.id ? note : item)) : [...notes, note];
  return { ...graph, ui: { ...graph.ui, notes: next } };
}

/** Removes notes. */
export function dropNotes(graph: Graph, ids: readonly string[]): Graph {
  if (ids.length === 0) return graph;
  return { ...graph, ui: { ...graph.ui, notes: notesOf(graph).filter(({ id }) => !ids.includes(id)) } };
}
