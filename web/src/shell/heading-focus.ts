import { useEffect, useRef } from "react";

/** How long a page may take to show its heading, and to replace it, before focus is left where it is. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/**
 * Moves focus to the heading of a new page, so that a screen reader says where the person is and Tab goes on from
 * there. Not on the first page, not from one record of a list beside it to the next, and never away from a field.
 */
export function useHeadingFocus(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    const from = before.current;
    before.current = path;
    // The first page is not announced, unless a person has left the one before it while it was still loading.
    const isFirst = from === "" && !navigator.userActivation.hasBeenActive;
    if (isFirst || from === path || isSamePlace(from, path)) return undefined;
    const began = performance.now();
    let focused = document.activeElement;
    let menu = focused?.closest("dialog") ?? null;
    let own: Element | null = null;
    let isOver = false;
    const look = () => {
      // After the time is up it looks once more: a busy machine may not have let it look before.
      if (isOver) return clearInterval(timer);
      isOver = performance.now() - began > PATIENCE_MS;
      // A page chosen in a dialog: only when it has closed can the page take focus, which is on its opener then.
      if (menu?.isConnected && menu.open) return undefined;
      const { activeElement } = document;
      if (menu !== null) focused = activeElement;
      menu = null;
      const hasMoved = activeElement !== focused && activeElement !== own && activeElement !== document.body;
      if (hasMoved || isTyping()) return clearInterval(timer);
      const heading = headingOf();
      if (heading === undefined || heading.textContent === "Loading…" || heading === own) return undefined;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      // A page that learns more after it was shown can draw another heading.
      own = heading;
      return undefined;
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [path]);
}

/** The heading that can be seen: a list beside a record has one as well, and is hidden on a phone. */
function headingOf(): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>("#main h1")].find((heading) => heading.checkVisibility());
}

/** Two tools of the list that stays beside them, or a draft that got its id. */
function isSamePlace(from: string, to: string): boolean {
  const [, a = "", b = ""] = from.split("/");
  const [, c = "", d = ""] = to.split("/");
  return a === c && b !== "" && d !== "" && (a === "tools" || a === "workflows");
}

function isTyping(): boolean {
  const { activeElement } = document;
  return activeElement?.matches("input, textarea, select, [contenteditable='true']") ?? false;
}
