import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useExternal } from "../lib/external.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
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

/** Every shortcut, on one page. */
export function ShortcutHelp() {
  const open = useExternal(overlay) === "help";
  return (
    <Dialog
      reading
      open={open}
      onClose={() => overlay.set("none")}
      title="Keyboard"
      description="Everything here can be done without a mouse."
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <Group
          title="Anywhere"
          rows={[
            ["Search pages, tools, records", ["Ctrl", "K"]],
            ["Search on this page", ["/"]],
            ["This help", ["?"]],
            ["Close a dialog", ["Esc"]],
          ]}
        />
        <Group
          title="In a form"
          rows={[
            ["Run or send", ["Ctrl", "Enter"]],
            ["Undo", ["Ctrl", "Z"]],
            ["Redo", ["Ctrl", "Shift", "Z"]],
            ["Move an item up", ["Alt", "↑"]],
            ["Move an item down", ["Alt", "↓"]],
          ]}
        />
        <Group
          title="In a workflow"
          rows={[
            ["Add a step", ["N"]],
            ["Copy, paste, duplicate", ["Ctrl", "C / V / D"]],
            ["Delete", ["Del"]],
            ["Save", ["Ctrl", "S"]],
            ["From a step to the graph", ["Esc"]],
          ]}
        />
        <div className="sm:col-span-2">
          <h3 className="mb-1.5 text-sm font-semibold text-ink-2">Go to</h3>
          <ul className="grid gap-x-8 sm:grid-cols-2">
            {PAGES.map((page) => (
              <Row key={page.to} label={page.label} keys={["g", page.key]} />
            ))}
          </ul>
        </div>
      </div>
    </Dialog>
  );
}

function Group({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly (readonly [string, readonly string[]])[];
}) {
  return (
    <div>
      <h3 className="mb-1.5 text-sm font-semibold text-ink-2">{title}</h3>
      <ul>
        {rows.map(([label, keys]) => (
          <Row key={label} label={label} keys={keys} />
        ))}
      </ul>
    </div>
  );
}

function Row({ label, keys }: { readonly label: string; readonly keys: readonly string[] }) {
  return (
    <li className="flex items-center justify-between gap-3 py-1">
      <span>{label}</span>
      <span className="flex gap-1">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </li>
  );
}
