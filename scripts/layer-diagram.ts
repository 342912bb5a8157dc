import { LAYERS, MODULES, type Layer } from "./layers.ts";

/** The layers as a Mermaid diagram: a box for every layer with its modules, and which layers import from which. */
export function renderLayerDiagram(): string {
  const layerOf = new Map(MODULES.map((module) => [module.name, module.layer]));
  const arrows = new Set<string>();
  for (const module of MODULES) {
    for (const imported of module.imports) {
      const below = layerOf.get(imported);
      if (below !== undefined && below !== module.layer)
        arrows.add(`  ${idOf(module.layer)} --> ${idOf(below)}`);
    }
  }
  const boxes = LAYERS.toReversed().flatMap((layer) => [
    `  subgraph ${idOf(layer)}["${layer}"]`,
    "    direction LR",
    ...MODULES.filter((module) => module.layer === layer).map((module) => `    ${module.name}`),
    "  end",
  ]);
  return ["```mermaid", "flowchart TB", ...boxes, ...[...arrows].sort(), "```"].join("\n");
}

/** What each module is for, as a table. */
export function renderModuleTable(): string {
  const rows = LAYERS.toReversed().flatMap((layer) =>
    MODULES.filter((module) => module.layer === layer).map(
      ({ name, purpose }) => `| ${layer} | \`src/${name}\` | ${purpose} |`,
    ),
  );
  return ["| layer | module | holds |", "|---|---|---|", ...rows].join("\n");
}

/** Names with a space are no identifiers in Mermaid. */
function idOf(layer: Layer): string {
  return layer.replace(" ", "_");
}
