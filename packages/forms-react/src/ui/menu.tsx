import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  type ComponentProps,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { cx } from "./cx.ts";
import { usePopover } from "./popover.ts";

/** One entry of a menu; `null` is a line between groups. */
export type MenuEntry = {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
} | null;

interface Props {
  /** A button. */
  readonly trigger: ReactElement<ComponentProps<"button">>;
  readonly entries: readonly MenuEntry[];
  readonly align?: "start" | "end";
  /** The heading of the entries. */
  readonly note?: ReactNode;
}

/** A menu that opens from a button. */
export function Menu({ trigger, entries, align = "end", note }: Props) {
  const { open, close, button, box } = usePopover(align);
  const name = useId();
  return (
    <>
      {cloneElement(trigger, { id: trigger.props.id ?? name, ...button, "aria-haspopup": "menu" })}
      <div
        {...box}
        role="menu"
        aria-labelledby={trigger.props.id ?? name}
        className={cx(
          "fixed inset-auto m-0 min-w-44 rounded-lg border border-line bg-raised p-1 text-base text-ink shadow-pop",
          !open && "opacity-0",
        )}
      >
        {open ? <Entries entries={entries} note={note} close={close} /> : null}
      </div>
    </>
  );
}

interface EntriesProps {
  readonly entries: readonly MenuEntry[];
  readonly note: ReactNode;
  readonly close: () => void;
}

function Entries({ entries, note, close }: EntriesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => itemsIn(list.current)[0]?.focus({ preventScroll: true }), []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the entries take the keys, this moves between them
    <div ref={list} role="none" onKeyDown={(event) => move(event, list.current, close)}>
      {note === undefined ? null : (
        <>
          <div className="max-w-64 px-2 py-1.5 text-sm">{note}</div>
          <div role="separator" className="my-1 h-px bg-line" />
        </>
      )}
      {entries.map((entry, index) =>
        entry === null ? (
          <div key={`line-${index}`} role="separator" className="my-1 h-px bg-line" />
        ) : (
          <button
            key={entry.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-disabled={entry.disabled === true || undefined}
            onClick={() => {
              if (entry.disabled === true) return;
              close();
              entry.onSelect();
            }}
            onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            className={cx(
              "flex h-8 w-full items-center gap-2 rounded-md px-2 text-left outline-none focus:bg-hover aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:text-ink-3",
              entry.danger === true && "text-bad [&_svg]:text-bad",
            )}
          >
            {entry.icon}
            <span className="flex-1">{entry.label}</span>
          </button>
        ),
      )}
    </div>
  );
}

function itemsIn(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
}

/** Arrows, Home, End and first letters move between the entries; Tab closes the menu. */
function move(event: KeyboardEvent, list: HTMLElement | null, close: () => void): void {
  const items = itemsIn(list);
  const at = items.findIndex((item) => item === document.activeElement);
  const to: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (Math.max(at, 0) + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = to[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items[next]?.focus();
  } else if (event.key === "Tab") {
    event.preventDefault();
    close();
  } else if (event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey) {
    const letter = event.key.toLowerCase();
    const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    after.find((item) => item.textContent.trim().toLowerCase().startsWith(letter))?.focus();
  }
}
