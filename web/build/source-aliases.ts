import { registerHooks } from "node:module";

const ALIAS = /^#(kernel|model|workflows|sources|rendering)\//;
const PACKAGE = new Map([
  ["@workflow-ui/forms", "index.ts"],
  ["@workflow-ui/forms/sample", "sample.ts"],
]);

/** Lets Node resolve the aliases of Vite's configuration, so that the page's logic is tested without a browser. */
export function aliasSources(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const file = PACKAGE.get(specifier);
      if (file !== undefined)
        return next(new URL(`../../packages/forms/src/${file}`, import.meta.url).href, context);
      return ALIAS.test(specifier)
        ? next(new URL(`../../src/${specifier.slice(1)}`, import.meta.url).href, context)
        : next(specifier, context);
    },
  });
}
