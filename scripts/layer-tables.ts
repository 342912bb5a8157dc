import { LAYERS, MODULES } from "./layers.ts";

/** The layers, highest first: their modules, and from which layers they import. */
export function renderLayerTable(): string {
  const layerOf = new Map(MODULES.map((module) => [module.name, module.layer]));
  const rows = LAYERS.toReversed().map((layer) => {
    const modules = MODULES.filter((module) => module.layer === layer);
    const used = new Set(modules.flatMap(({ imports }) => imports.map((name) => layerOf.get(name))));
    const below = LAYERS.toReversed().filter((other) => other !== layer && used.has(other));
    return `| ${layer} | ${modules.map(({ name }) => `\`${name}\``).join(", ")} | ${below.join(", ") || "nothing"} |`;
  });
  return ["| layer | modules | imports from |", "|---|---|---|", ...rows].join("\n");
}

/** What each module is for, as a table. */
export function renderModuleTable(): string {
  const rows = LAYERS.toReversed().flatMap((layer) =>
    MODULES.filter((module) => module.layer === layer).map(
      ({ name, folder = `src/${name}`, purpose }) => `| ${layer} | \`${folder}\` | ${purpose} |`,
    ),
  );
  return ["| layer | module | holds |", "|---|---|---|", ...rows].join("\n");
}
