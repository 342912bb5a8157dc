import { bodySteps } from "../workflow/canvas/geometry.ts";
import { titleOf, type Graph } from "../workflow/document/model.ts";

/** Gives the title of a step of a run by its id, as the version that ran calls it; those inside maps too. */
export function namerOf(graph: Graph): (id: string) => string {
  const titles = new Map(
    graph.nodes
      .flatMap((node) => [node, ...bodySteps(node)])
      .filter((node) => node.id !== "")
      .map((node) => [node.id, titleOf(node)]),
  );
  return (id) => titles.get(id) ?? titles.get(id.split(".").pop() ?? id) ?? id;
}
