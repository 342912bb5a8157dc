import { Fragment, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
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
/** Between two fields, `space-y-4`. */
const GAP = 16;
/** How high a field with its gap is taken to be before one was drawn. */
const USUAL_HEIGHT = 72;

/**
 * Draws long lists of fields in blocks: a block is made when it comes near the view (or when an error in it is to be
 * focused) and then stays, so that find-in-page, tabbing and screen readers work as in any form.
 */
export function Blocks<T>({ pointer, items, keyOf, pointerOf, render }: Props<T>) {
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
      pointer={pointer}
      first={start === 0}
      room={height * Math.min(BLOCK, items.length - start) - GAP}
      onDrawn={start === 0 ? (drawn) => setHeight((drawn + GAP) / BLOCK) : undefined}
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
  /** How high it is while it is not drawn. */
  readonly room: number;
  /** Told how high it is drawn. */
  readonly onDrawn: ((height: number) => void) | undefined;
  readonly holds: (pointer: string) => boolean;
  readonly children: () => ReactNode;
}

function Block({ pointer, first, room, onDrawn, holds, children }: BlockProps) {
  const { store } = useFormScope();
  const [shown, setShown] = useState(first);
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const drawn = ref.current?.offsetHeight ?? 0;
    if (drawn > 0) onDrawn?.(drawn);
    // Measured once; a field that grows later is seen by the person who opens it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
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
    <div ref={ref} className="space-y-4" style={shown ? undefined : { minHeight: room }}>
      {shown ? children() : null}
    </div>
  );
}
