import { registerHooks } from "node:module";

/** Lets Node resolve what Vite's configuration calls `#forms`, so that the page's logic is tested without a browser. */
export function aliasSources(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith("#forms/")
        ? next(new URL(`../../src/forms/${specifier.slice(7)}`, import.meta.url).href, context)
        : next(specifier, context),
  });
}
