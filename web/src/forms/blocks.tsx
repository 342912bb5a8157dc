import { useEffect, useRef, useState, type ReactNode } from "react";
import { Fragment } from "react";
import { useFormScope } from "./context.ts";

interface Props<T> {
  readonly pointer: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T, index: number) => string | number;
  readonly pointerOf: (item: T, index: number) => string;
  readonly render: (item: T, index: number) => ReactNode;
}

const BLOCK = 24;
/** Up to here everything is drawn at once. */
const SMALL = 48;

/**
 * Draws long lists of fields in blocks: a block is made when it comes near the view (or when an error in it is to be
 * focused) and then stays, so that find-in-page, tabbing and screen readers work as in any form.
 */
export function Blocks<T>({ pointer, items, keyOf, pointerOf, render }: Props<T>) {
  if (items.length <= SMALL) {
    return items.map((item, index) => <Fragment key={keyOf(item, index)}>{render(item, index)}</Fragment>);
  }
  const starts = Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, at) => at * BLOCK);
  return starts.map((start) => (
    <Block
      key={start}
      pointer={pointer}
      first={start === 0}
      size={Math.min(BLOCK, items.length - start)}
      holds={(wanted) =>
        items.slice(start, start + BLOCK).some((item, index) => {
          const at = pointerOf(item, start + index);
          return wanted === at || wanted.startsWith(`${at}/`);
        })
      }
    >
      {() =>
        items
          .slice(start, start + BLOCK)
          .map((item, index) => (
            <Fragment key={keyOf(item, start + index)}>{render(item, start + index)}</Fragment>
          ))
      }
    </Block>
  ));
}

interface BlockProps {
  readonly pointer: string;
  readonly first: boolean;
  readonly size: number;
  readonly holds: (pointer: string) => boolean;
  readonly children: () => ReactNode;
}

function Block({ pointer, first, size, holds, children }: BlockProps) {
  const { store } = useFormScope();
  const [shown, setShown] = useState(first);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setShown(true);
      },
      { rootMargin: "1200px 0px" },
    );
    if (ref.current !== null) watcher.observe(ref.current);
    const stop = store.subscribe(pointer, () => {
      if (store.revealed !== "" && holds(store.revealed)) setShown(true);
    });
    return () => {
      watcher.disconnect();
      stop();
    };
  }, [shown, store, pointer, holds]);
  return (
    <div ref={ref} className="space-y-4" style={shown ? undefined : { minHeight: size * 72 }}>
      {shown ? children() : null}
    </div>
  );
}
