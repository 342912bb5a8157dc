import { useEffect, useRef } from "react";

/** How long a page may take to show its heading before focus is left where it is. */
const PATIENCE_MS = 5_000;

/**
 * Moves focus to the heading of a new page, so that a screen reader says where the person is and Tab goes on from
 * there. Not on the first page, not from one record of a list beside it to the next, and never away from a field.
 */
export function useHeadingFocus(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    const from = before.current;
    before.current = path;
    if (from === "" || from === path || isSamePlace(from, path)) return undefined;
    const began = performance.now();
    const focused = document.activeElement;
    let frame = 0;
    const look = () => {
      const heading = document.querySelector<HTMLElement>("#main h1");
      const isLoading = heading === null || heading.textContent === "Loading…";
      const hasMoved = document.activeElement !== focused && document.activeElement !== document.body;
      if (hasMoved || isTyping() || performance.now() - began > PATIENCE_MS) return;
      if (isLoading) {
        frame = requestAnimationFrame(look);
        return;
      }
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [path]);
}

/** Two records under one heading of the navigation, such as two tools, or a draft that got its id. */
function isSamePlace(from: string, to: string): boolean {
  const [, a = "", b = ""] = from.split("/");
  const [, c = "", d = ""] = to.split("/");
  return a === c && b !== "" && d !== "";
}

function isTyping(): boolean {
  const { activeElement } = document;
  return activeElement?.matches("input, textarea, select, [contenteditable='true']") ?? false;
}
