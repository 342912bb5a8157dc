import { Tabs as Primitive } from "radix-ui";
import { useEffect, useRef, type ReactNode } from "react";
import { cx } from "../lib/cx.ts";

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
  readonly extra?: ReactNode;
  readonly className?: string;
}

/** Tabs that keep only the shown panel mounted. */
export function Tabs({ items, value, onChange, label, extra, className }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen the strip scrolls; the chosen tab must not be the one that is cut off.
    const strip = list.current;
    const tab = strip?.querySelector<HTMLElement>("[data-state=active]");
    if (strip == null || tab == null || strip.scrollWidth <= strip.clientWidth) return;
    strip.scrollLeft = tab.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }, [value]);
  return (
    <Primitive.Root value={value} onValueChange={onChange} className={className}>
      <div className="flex items-center gap-2 border-b border-line">
        <Primitive.List
          ref={list}
          aria-label={label}
          className="relative -mb-px flex min-w-0 flex-1 gap-0.5 overflow-x-auto overflow-y-hidden [scrollbar-width:none]"
        >
          {items.map((item) => (
            <Primitive.Trigger
              key={item.id}
              value={item.id}
              className={cx(
                "flex h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-base font-medium whitespace-nowrap text-ink-2 hover:text-ink",
                "focus-visible:-outline-offset-2 data-[state=active]:border-accent data-[state=active]:text-ink",
              )}
            >
              {item.label}
              {item.badge}
            </Primitive.Trigger>
          ))}
        </Primitive.List>
        {extra}
      </div>
      {items.map((item) => (
        <Primitive.Content key={item.id} value={item.id} className="pt-4 outline-offset-4">
          {item.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
