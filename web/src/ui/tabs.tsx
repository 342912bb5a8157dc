import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";

/** One tab: what it is called and what it shows. */
interface TabItem {
  readonly id: string;
  readonly label: string;
  readonly badge?: ReactNode;
  readonly content: ReactNode;
}

interface Props {
  readonly items: readonly TabItem[];
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly label: string;
}

/** Tabs that keep only the shown panel mounted. */
export function Tabs({ items, value, onChange, label }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen the strip scrolls; the chosen tab must not be the one that is cut off.
    const strip = list.current;
    const tab = strip?.querySelector<HTMLElement>("[data-state=active]");
    if (strip == null || tab == null || strip.scrollWidth <= strip.clientWidth) return;
    strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }, [value]);
  const id = useId();
  const shown = items.find((item) => item.id === value);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(
      event.key,
      items.findIndex((item) => item.id === value),
      items.length,
    );
    const item = next === null ? undefined : items[next];
    if (item === undefined) return;
    event.preventDefault();
    onChange(item.id);
    document.getElementById(`${id}-${item.id}`)?.focus();
  };
  return (
    <div>
      <div className="flex items-center gap-2 border-b border-line">
        <div
          ref={list}
          role="tablist"
          aria-label={label}
          onKeyDown={onKeyDown}
          className="relative -mb-px flex min-w-0 flex-1 gap-0.5 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
        >
          {items.map((item) => (
            <button
              key={item.id}
              id={`${id}-${item.id}`}
              type="button"
              role="tab"
              aria-selected={item === shown}
              aria-controls={item === shown ? `${id}-panel` : undefined}
              tabIndex={item === shown ? 0 : -1}
              data-state={item === shown ? "active" : "inactive"}
              onClick={() => onChange(item.id)}
              className={cx(
                "flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-base font-medium whitespace-nowrap text-ink-2 hover:text-ink",
                "focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink",
              )}
            >
              {item.label}
              {item.badge}
            </button>
          ))}
        </div>
      </div>
      {shown !== undefined && (
        <div
          key={shown.id}
          id={`${id}-panel`}
          role="tabpanel"
          aria-labelledby={`${id}-${shown.id}`}
          tabIndex={0}
          className="pt-4 outline-offset-4"
        >
          {shown.content}
        </div>
      )}
    </div>
  );
}

/** Where a key leads in the strip; null for keys that are not for it. */
function nextIndex(key: string, from: number, count: number): number | null {
  if (key === "ArrowRight") return (from + 1) % count;
  if (key === "ArrowLeft") return (from - 1 + count) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}
