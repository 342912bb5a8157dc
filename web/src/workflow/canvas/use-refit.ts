import type { FitViewOptions, ReactFlowInstance, Viewport } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import type { WayEdge } from "./canvas-edge.tsx";
import type { CanvasNode } from "./canvas-model.ts";

/**
 * Fits the view, and fits it again when steps change their size because they get a state, as in a dry run. A view that
 * was moved since, by the person or to a chosen step, stays where it is.
 */
export function useRefit(
  flow: ReactFlowInstance<CanvasNode, WayEdge>,
  options: FitViewOptions<CanvasNode>,
  steps: number,
): () => Promise<void> {
  const fitted = useRef<Viewport | null>(null);
  const fit = useCallback(async () => {
    await flow.fitView(options);
    fitted.current = flow.getViewport();
  }, [flow, options]);
  useEffect(() => {
    if (fitted.current === null || !isSame(fitted.current, flow.getViewport())) return;
    // The next frame draws the steps in their new size, and the one after it knows that size.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => void fit());
    });
    return () => cancelAnimationFrame(frame);
  }, [steps, flow, fit]);
  return fit;
}

function isSame(one: Viewport, other: Viewport): boolean {
  return one.x === other.x && one.y === other.y && one.zoom === other.zoom;
}
