import { useDeferredValue, useId, useMemo, useState, type ReactNode } from "react";
import { count } from "../lib/format.ts";

/** One thing to pick. */
export interface Pickable {
  readonly id: string;
  readonly title: string;
  readonly sub: string;
}

/** A list with a search on the left, what was picked on the right. Hundreds of entries are fine. */
export function PickList({
  items,
  chosen,
  noun,
  onPick,
  children,
}: {
  readonly items: readonly Pickable[];
  readonly chosen: string;
  readonly noun: string;
  readonly onPick: (id: string) => void;
  readonly children: ReactNode;
}) {
  const [query, setQuery] = useState("");
  const wanted = useDeferredValue(query);
  const statusId = useId();
  const shown = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/);
    return items.filter((item) => {
      const text = `${item.title} ${item.sub} ${item.id}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }, [items, wanted]);
  return (
    <div className="grid xl:grid-cols-[17rem_minmax(0,1fr)]">
      <div className="min-w-0 border-line max-xl:border-b xl:border-r">
        {/* The list stays in view beside a long form, below the header of the page. */}
        <div className="xl:sticky xl:top-12">
          <div className="p-2">
            <input
              type="search"
              data-page-search
              aria-label={`Search ${noun}s`}
              aria-describedby={statusId}
              placeholder={`Search ${count(items.length, noun)}`}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="field-control"
            />
            <p id={statusId} role="status" className="px-1 pt-1 text-xs text-ink-3 empty:hidden">
              {wanted.trim() === "" ? "" : `${shown.length} of ${items.length} match`}
            </p>
          </div>
          <ul className="max-h-52 scroll-y px-2 pb-2 xl:max-h-[calc(100dvh-8rem)]">
            {shown.map((item) => (
              <li key={item.id} className="[contain-intrinsic-size:auto_2.875rem] [content-visibility:auto]">
                <button
                  type="button"
                  aria-pressed={item.id === chosen}
                  title={item.title}
                  onClick={() => onPick(item.id)}
                  className="block w-full rounded-md px-2 py-1 text-left hover:bg-hover focus-visible:-outline-offset-2 aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
                >
                  <span className="block truncate font-medium">{item.title}</span>
                  <span className="block truncate font-mono text-2xs text-ink-3">{item.sub}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      </div>
      <div className="min-w-0 p-4">{children}</div>
    </div>
  );
}
