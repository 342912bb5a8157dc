import { useCallback, useEffect, useRef, type RefObject } from "react";
import type { ToolInfo } from "../api/tools.ts";
import { toast } from "../shell/notices.ts";
import { notesOf, putNote } from "./canvas/notes.ts";
import {
  addNode,
  endPath,
  freeId,
  removeEdges,
  removeNodes,
  type DraftNode,
  type Graph,
  type NodeKind,
  type Place,
} from "./document/model.ts";
import { pasteText } from "./document/read-graph.ts";
import { added } from "./inspect/inspector.tsx";

/** What a new step is made of. */
export type Picked = { readonly kind: NodeKind } | { readonly tool: Pick<ToolInfo, "name" | "title"> };

/** What people do with a graph: each is one entry of the history, and what it made is selected. */
export interface GraphEdits {
  /** The graph as it is now, for what runs later. */
  readonly latest: RefObject<Graph>;
  readonly pick: (picked: Picked, where: Place) => void;
  readonly remove: (nodes: readonly string[], edges: readonly string[]) => void;
  /** False when the text holds no steps. */
  readonly paste: (text: string) => boolean;
  readonly pasteClipboard: () => Promise<void>;
  readonly addNote: () => void;
}

/** The edits of the graph that is shown. */
export function useGraphEdits(
  graph: Graph,
  onChange: (label: string, next: (graph: Graph) => Graph) => void,
  select: (ids: readonly string[]) => void,
): GraphEdits {
  const latest = useRef(graph);
  useEffect(() => {
    latest.current = graph;
  }, [graph]);
  const pick = useCallback(
    (picked: Picked, where: Place) => {
      const step = stepOf(latest.current, picked);
      const { id } = step;
      added.add(id);
      onChange(`add ${id}`, (now) => {
        const next = addNode(now, step, where);
        const isOpen = step.type === "switch" && !next.edges.some((edge) => edge.from === id);
        // A switch needs a way on when no condition holds; it ends until it is connected.
        return isOpen ? endPath(next, id, "default") : next;
      });
      select([id]);
    },
    [onChange, select],
  );
  const remove = useCallback(
    (nodes: readonly string[], edges: readonly string[]) => {
      onChange("delete", (now) => removeEdges(removeNodes(now, nodes), edges));
      if (nodes.length > 0) select([]);
    },
    [onChange, select],
  );
  const paste = useCallback(
    (text: string) => {
      const made = pasteText(latest.current, text);
      if (made === null) return false;
      onChange("paste", (now) => pasteText(now, text)?.graph ?? now);
      select(made.ids);
      return true;
    },
    [onChange, select],
  );
  const pasteClipboard = async () => {
    if (!paste(await navigator.clipboard.readText())) toast("info", "There are no steps in the clipboard");
  };
  const addNote = () =>
    onChange("add note", (now) => {
      const first = Object.values(now.ui.positions ?? {})[0];
      const [x, y] = [(first?.x ?? 0) - 260, (first?.y ?? 0) + 140 * notesOf(now).length];
      return putNote(now, { id: crypto.randomUUID().slice(0, 8), text: "", x, y });
    });
  return { latest, pick, remove, paste, pasteClipboard, addNote };
}

/** A new step of what was picked. */
function stepOf(graph: Graph, picked: Picked): DraftNode {
  if ("kind" in picked) {
    const { type, label, start } = picked.kind;
    return { id: freeId(graph, type), type, title: label, ...start };
  }
  const { name, title } = picked.tool;
  return { id: freeId(graph, name.split(":").pop() ?? name), type: "tool", title, tool: name, with: {} };
}
