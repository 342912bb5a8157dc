import { useCallback, useId, useLayoutEffect, useRef, useState, type ToggleEvent } from "react";

const GAP = 4;
const EDGE = 8;

/** A box that a button opens: what to spread on the button, what on the box, and whether it is open. */
export interface Popover {
  readonly open: boolean;
  readonly show: () => void;
  readonly close: () => void;
  readonly button: {
    readonly ref: (element: HTMLButtonElement | null) => void;
    readonly popoverTarget: string;
    readonly "aria-expanded": boolean;
    readonly "data-state": "open" | "closed";
  };
  readonly box: {
    readonly ref: (element: HTMLElement | null) => void;
    readonly id: string;
    readonly popover: "auto";
    readonly onToggle: (event: ToggleEvent<HTMLElement>) => void;
  };
}

/**
 * A box in the browser's top layer beside the button that opens it. The browser closes it on Escape and on a click
 * elsewhere and gives the focus back, so neither a portal nor a library is needed. `--anchor-width` is the button's.
 */
export function usePopover(align: "start" | "end" = "start"): Popover {
  const id = useId();
  const button = useRef<HTMLButtonElement | null>(null);
  const box = useRef<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  useLayoutEffect(() => {
    const [from, moved] = [button.current, box.current];
    if (!open || from === null || moved === null) return undefined;
    const put = () => place(from, moved, align);
    const watcher = new ResizeObserver(put);
    put();
    watcher.observe(moved);
    addEventListener("scroll", put, { capture: true, passive: true });
    addEventListener("resize", put);
    return () => {
      watcher.disconnect();
      removeEventListener("scroll", put, { capture: true });
      removeEventListener("resize", put);
    };
  }, [open, align]);
  const setButton = useCallback((element: HTMLButtonElement | null) => {
    button.current = element;
  }, []);
  const setBox = useCallback((element: HTMLElement | null) => {
    box.current = element;
  }, []);
  return {
    open,
    show: () => box.current?.togglePopover(true),
    close: () => box.current?.togglePopover(false),
    button: {
      ref: setButton,
      popoverTarget: id,
      "aria-expanded": open,
      "data-state": open ? "open" : "closed",
    },
    box: {
      ref: setBox,
      id,
      popover: "auto",
      onToggle: (event) => {
        if (event.target === event.currentTarget) setOpen(event.newState === "open");
      },
    },
  };
}

/** Below the button where there is room, else above it, and always inside the window. */
function place(button: HTMLElement, box: HTMLElement, align: "start" | "end"): void {
  const from = button.getBoundingClientRect();
  box.style.setProperty("--anchor-width", `${from.width}px`);
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = align === "end" ? from.right - width : from.left;
  const below = from.bottom + GAP;
  const hasRoom = below + height + EDGE <= innerHeight || from.top < innerHeight - from.bottom;
  const top = hasRoom ? below : from.top - GAP - height;
  box.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  box.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - height - EDGE))}px`;
}
