import { useStoreApi, type FitViewOptions, type ReactFlowInstance, type Viewport } from "@xyflow/react";
import { useCallback, useEffect, useRef } from "react";
import type { WayEdge } from "./canvas-edge.tsx";
import type { CanvasNode } from "./canvas-model.ts";

/** Above the first step of a graph that is taller than the view. */
const MARGIN = 24;

/**
 * Fits the view, and fits it again when steps change their size because they get a state, as in a dry run. A view that
 * was moved since, by the person or to a chosen step, stays where it is.
 */
export function useRefit(
  flow: ReactFlowInstance<CanvasNode, WayEdge>,
  options: FitViewOptions<CanvasNode>,
  steps: number,
): () => Promise<void> {
  const store = useStoreApi();
  const fitted = useRef<Viewport | null>(null);
  const fit = useCallback(async () => {
    await flow.fitView(options);
    // What does not fit at a legible size begins at its first step instead of its middle.
    const { x, zoom } = flow.getViewport();
    const { y: top, height } = flow.getNodesBounds(flow.getNodes());
    if (zoom === options.minZoom && height * zoom > store.getState().height - 2 * MARGIN)
      await flow.setViewport({ x, y: MARGIN - top * zoom, zoom });
    fitted.current = flow.getViewport();
  }, [flow, options, store]);
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
