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

/** The title of a step of a run; one inside a map is named with its item. */
export function stepTitle(id: string, nameOf: (id: string) => string): string {
  const item = /^(.+?)\[(\d+)\](?:\.(.+))?/.exec(id);
  if (item === null) return nameOf(id);
  const [, map = "", index = "0", inner] = item;
  return `${nameOf(map)}, item ${Number(index) + 1}${inner === undefined ? "" : `: ${nameOf(inner)}`}`;
}
