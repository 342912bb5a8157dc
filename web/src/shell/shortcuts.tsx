import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { PAGES } from "./nav.ts";
import { overlay } from "./overlays.ts";

/** ⌘K, `?`, `/` and `g` with a letter, unless a field has the focus. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let lastG = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        overlay.set(overlay.get() === "palette" ? "none" : "palette");
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.key === "?") overlay.set("help");
      else if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("[data-page-search]");
        if (search === null) overlay.set("palette");
        else search.focus();
        event.preventDefault();
      } else if (event.key === "g") lastG = Date.now();
      else if (Date.now() - lastG < 1200) {
        const page = PAGES.find((item) => item.key === event.key);
        lastG = 0;
        if (page !== undefined) void navigate({ to: page.to });
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [navigate]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.shadowRoot !== null || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  );
}
