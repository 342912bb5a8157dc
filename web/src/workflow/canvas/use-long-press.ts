import { useMemo, useRef, type MouseEvent, type PointerEvent } from "react";

const HOLD_MS = 550;
/** How far a finger that holds still may slip. */
const SLIP = 8;

/**
 * Tells of a finger that holds still on the canvas: not every system reports that as a right click. The click that some
 * send when the finger is lifted is swallowed, because it would choose a step behind the menu.
 */
export function useLongPress(onHold: ((target: Element, x: number, y: number) => void) | undefined) {
  const held = useRef<{
    timer: ReturnType<typeof setTimeout> | undefined;
    x: number;
    y: number;
    done: boolean;
  }>({
    timer: undefined,
    x: 0,
    y: 0,
    done: false,
  });
  return useMemo(() => {
    const stop = () => clearTimeout(held.current.timer);
    return {
      onPointerDownCapture: ({ pointerType, isPrimary, target, clientX: x, clientY: y }: PointerEvent) => {
        stop();
        held.current = { timer: undefined, x, y, done: false };
        if (onHold === undefined || pointerType !== "touch" || !isPrimary) return;
        if (!(target instanceof Element) || target.closest("button, .react-flow__handle") !== null) return;
        held.current.timer = setTimeout(() => {
          held.current.done = true;
          onHold(target, x, y);
        }, HOLD_MS);
      },
      onPointerMoveCapture: ({ clientX, clientY }: PointerEvent) => {
        const { x, y } = held.current;
        if (Math.hypot(clientX - x, clientY - y) > SLIP) stop();
      },
      onPointerUpCapture: stop,
      onPointerCancelCapture: stop,
      onClickCapture: (event: MouseEvent) => {
        if (!held.current.done) return;
        held.current.done = false;
        event.stopPropagation();
        event.preventDefault();
      },
    };
  }, [onHold]);
}
