import type { Plugin } from "vite";

/** Leaves a list of the modules that went into the build, for the inventory of the npm package. */
export function inventory(): Plugin {
  return {
    name: "inventory",
    generateBundle(_options, bundle) {
      // Fonts come by style sheets, which are no modules.
      const assets = Object.values(bundle).flatMap((file) =>
        file.type === "asset" ? file.originalFileNames : [],
      );
      const modules = [...this.getModuleIds(), ...assets].flatMap(
        (id) => /node_modules\/[^?\0]+/.exec(id)?.[0] ?? [],
      );
      this.emitFile({ type: "asset", fileName: ".modules.json", source: JSON.stringify(modules.toSorted()) });
    },
  };
}
