import { useEffect, useRef } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { Kbd } from "../../ui/kbd.tsx";

/** Where a menu opens, and on which step. */
export interface MenuAt {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface Entry {
  readonly label: string;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

/** A menu where the pointer is; closed by Escape, by choosing, and by looking elsewhere. */
export function ContextMenu({
  at,
  entries,
  onClose,
}: {
  readonly at: MenuAt | null;
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (at === null) return;
    box.current?.querySelector("button")?.focus();
    const pressed = (event: PointerEvent) => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) onClose();
    };
    document.addEventListener("pointerdown", pressed);
    return () => document.removeEventListener("pointerdown", pressed);
  }, [at, onClose]);
  if (at === null) return null;
  const move = (by: number) => {
    const all = [...(box.current?.querySelectorAll("button") ?? [])];
    const now = all.findIndex((button) => button === document.activeElement);
    all[(now + by + all.length) % all.length]?.focus();
  };
  return (
    <div
      ref={box}
      role="menu"
      tabIndex={-1}
      aria-label="Actions"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
        else if (event.key === "ArrowDown") move(1);
        else if (event.key === "ArrowUp") move(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      className="fixed z-50 min-w-52 rounded-lg border border-line bg-raised p-1 shadow-pop"
      style={{
        left: Math.min(at.x, window.innerWidth - 220),
        top: Math.min(at.y, window.innerHeight - 40 * entries.length - 12),
      }}
    >
      {entries.map((entry) => (
        <button
          key={entry.label}
          type="button"
          role="menuitem"
          onClick={() => {
            onClose();
            entry.onSelect();
          }}
          className={cx(
            "flex h-8 w-full items-center gap-3 rounded-md px-2.5 text-left text-sm hover:bg-hover focus-visible:bg-hover focus-visible:outline-none",
            entry.danger === true && "text-bad",
          )}
        >
          <span className="flex-1">{entry.label}</span>
          {entry.keys === undefined ? null : <Kbd>{entry.keys}</Kbd>}
        </button>
      ))}
    </div>
  );
}

/** What the menu of the canvas can do. */
interface MenuActs {
  readonly add: () => void;
  readonly addBefore: () => void;
  readonly copy: () => void;
  readonly duplicate: () => void;
  readonly paste: () => void;
  readonly remove: () => void;
  readonly tidy: () => void;
  readonly note: () => void;
}

/** The entries of the menu on a step, or beside all of them. */
export function menuEntries({ id }: MenuAt, chosen: readonly string[], acts: MenuActs) {
  const many = chosen.length > 1 ? ` ${chosen.length} steps` : "";
  const always = [
    { label: "Add a step", onSelect: acts.add },
    { label: "Paste", keys: "Ctrl V", onSelect: acts.paste },
    { label: "Add a note", onSelect: acts.note },
    { label: "Tidy up", onSelect: acts.tidy },
  ];
  if (id === "") return always;
  return [
    { label: "Add a step after this", onSelect: acts.add },
    { label: "Add a step before this", onSelect: acts.addBefore },
    { label: `Copy${many}`, keys: "Ctrl C", onSelect: acts.copy },
    { label: `Duplicate${many}`, keys: "Ctrl D", onSelect: acts.duplicate },
    { label: `Delete${many}`, keys: "Delete", danger: true, onSelect: acts.remove },
    ...always.slice(1),
  ];
}
