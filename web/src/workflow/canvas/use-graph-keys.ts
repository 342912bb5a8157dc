import { useEffect, useRef, type RefObject } from "react";
import { isField } from "../../lib/keys.ts";
import { copyText, type Graph } from "../document/model.ts";

/** Copy, cut, paste, duplicate, select all and add by keys, while the focus is in the graph. */
export function useGraphKeys(
  box: RefObject<HTMLElement | null>,
  chosen: readonly string[],
  graph: RefObject<Graph>,
  paste: (text: string) => boolean,
  remove: (nodes: readonly string[], edges: readonly string[]) => void,
  add: () => void,
  select: (ids: readonly string[]) => void,
): void {
  const acts = useRef({ chosen, paste, remove, add, select });
  useEffect(() => {
    acts.current = { chosen, paste, remove, add, select };
  });
  useEffect(() => {
    // On a page that was just opened the focus is on its heading.
    const inGraph = (target: EventTarget | null) =>
      target instanceof Element &&
      (target.matches("body, #main h1") || box.current?.contains(target) === true);
    // The next step can be asked for from the buttons of the one that is filled in.
    const besideGraph = (target: EventTarget | null) =>
      target instanceof Element && target.closest('#main [aria-label="Step"]') !== null;
    const copied = (event: ClipboardEvent) => {
      const { chosen: ids, remove: drop } = acts.current;
      if (isField(event.target) || !inGraph(event.target) || ids.length === 0) return;
      if ((document.getSelection()?.toString() ?? "") !== "") return;
      event.preventDefault();
      event.clipboardData?.setData("text/plain", copyText(graph.current, ids));
      if (event.type === "cut") drop(ids, []);
    };
    const pasted = (event: ClipboardEvent) => {
      if (isField(event.target) || !inGraph(event.target)) return;
      if (acts.current.paste(event.clipboardData?.getData("text/plain") ?? "")) event.preventDefault();
    };
    const pressed = (event: KeyboardEvent) => {
      if (isField(event.target) || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      const command = event.ctrlKey || event.metaKey;
      if (!inGraph(event.target) && (command || !besideGraph(event.target))) return;
      if (command && key === "d") acts.current.paste(copyText(graph.current, acts.current.chosen));
      else if (command && key === "a") acts.current.select(graph.current.nodes.map((node) => node.id));
      else if (!command && !event.altKey && (key === "+" || key === "n")) acts.current.add();
      else return;
      event.preventDefault();
    };
    document.addEventListener("copy", copied);
    document.addEventListener("cut", copied);
    document.addEventListener("paste", pasted);
    document.addEventListener("keydown", pressed);
    return () => {
      document.removeEventListener("copy", copied);
      document.removeEventListener("cut", copied);
      document.removeEventListener("paste", pasted);
      document.removeEventListener("keydown", pressed);
    };
  }, [box, graph]);
}
