import { Fragment, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useWithin } from "./context.ts";

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T, index: number) => string | number;
  readonly pointerOf: (item: T, index: number) => string;
  readonly render: (item: T, index: number) => ReactNode;
}

const BLOCK = 24;
/** Up to here everything is drawn at once. */
const SMALL = 48;
/** Between two fields, `space-y-4`. */
const GAP = 16;
/** How high a field with its gap is taken to be before one was drawn. */
const USUAL_HEIGHT = 72;

/**
 * Draws long lists of fields in blocks: a block is made when it comes near the view (or when an error in it is to be
 * focused) and then stays, so that find-in-page, tabbing and screen readers work as in any form.
 */
export function Blocks<T>({ items, keyOf, pointerOf, render }: Props<T>) {
  // A block that is not drawn takes the room of fields like the first ones: a button below it must not move when it is
  // drawn, or the press on it is lost.
  const [height, setHeight] = useState(USUAL_HEIGHT);
  if (items.length <= SMALL) {
    return items.map((item, index) => <Fragment key={keyOf(item, index)}>{render(item, index)}</Fragment>);
  }
  const starts = Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, at) => at * BLOCK);
  return starts.map((start) => (
    <Block
      key={start}
      room={height * Math.min(BLOCK, items.length - start) - GAP}
      onDrawn={start === 0 && ((drawn) => setHeight((drawn + GAP) / BLOCK))}
      pointers={items.slice(start, start + BLOCK).map((item, index) => pointerOf(item, start + index))}
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
  readonly pointers: readonly string[];
  /** How high it is while it is not drawn. */
  readonly room: number;
  /** The first block is drawn at once, and tells how high it is. */
  readonly onDrawn: ((height: number) => void) | false;
  readonly children: () => ReactNode;
}

function Block({ pointers, room, onDrawn, children }: BlockProps) {
  const [isShown, setShown] = useState(onDrawn !== false);
  const ref = useRef<HTMLDivElement>(null);
  if (useWithin(pointers) && !isShown) setShown(true);
  useLayoutEffect(() => {
    if (onDrawn !== false && ref.current !== null) onDrawn(ref.current.offsetHeight);
    // Measured once; a field that grows later is seen by the person who opens it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  useEffect(() => {
    if (isShown || ref.current === null) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setShown(true);
      },
      { rootMargin: "1200px 0px" },
    );
    watcher.observe(ref.current);
    return () => watcher.disconnect();
  }, [isShown]);
  return (
    <div ref={ref} className="space-y-4" style={isShown ? undefined : { minHeight: room }}>
      {isShown ? children() : null}
    </div>
  );
}
