import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Builds the page that shows the corpus in our renderer and in react-jsonschema-form (`bench/web`) into a folder. */
export async function buildCorpusPage(out: string): Promise<void> {
  await build({
    root: at(""),
    configFile: false,
    logLevel: "error",
    publicDir: false,
    plugins: [react(), tailwind()],
    resolve: {
      alias: [
        { find: /^@workflow-ui\/forms$/, replacement: at("packages/forms/src/index.ts") },
        {
          find: /^@workflow-ui\/forms\/(check|hints|sample)$/,
          replacement: `${at("packages/forms/src")}/$1.ts`,
        },
        { find: /^@workflow-ui\/forms-react$/, replacement: at("packages/forms-react/src/index.ts") },
        { find: "node:crypto", replacement: at("web/src/lib/node-crypto.ts") },
        // The benchmarks have a React of their own; one page must have one.
        { find: /^react(\/.*)?$/, replacement: `${at("node_modules/react")}$1` },
        { find: /^react-dom(\/.*)?$/, replacement: `${at("node_modules/react-dom")}$1` },
      ],
    },
    build: { outDir: out, emptyOutDir: true, rolldownOptions: { input: at("bench/web/index.html") } },
  });
}
