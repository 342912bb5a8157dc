import { registerHooks } from "node:module";

const ALIAS = /^#(forms|kernel|model|workflows|sources)\//;

/** Lets Node resolve the aliases of Vite's configuration, so that the page's logic is tested without a browser. */
export function aliasSources(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "@workflow-ui/forms"
        ? next(new URL("../../packages/forms/index.ts", import.meta.url).href, context)
        : ALIAS.test(specifier)
          ? next(new URL(`../../src/${specifier.slice(1)}`, import.meta.url).href, context)
          : next(specifier, context),
  });
}
