import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { docs } from "./build/docs.ts";
import { inventory } from "./build/inventory.ts";
import { singleFile } from "./build/single-file.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Two builds from one source: the web app (`vite build`), split and pre-compressed, and the MCP App
 * (`vite build --mode app`), one HTML file that a chat host can show under the extension's default CSP.
 */
// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig(({ mode }) => ({
  root: at("."),
  base: mode === "app" ? "./" : "/",
  publicDir: mode === "app" ? false : "public",
  plugins: [react(), tailwind(), docs(), inventory(), mode === "app" ? singleFile() : compress()],
  resolve: {
    alias: [
      { find: /^@workflow-ui\/forms$/, replacement: at("../packages/forms/src/index.ts") },
      {
        find: /^@workflow-ui\/forms\/(check|hints|sample)$/,
        replacement: `${at("../packages/forms/src")}/$1.ts`,
      },
      { find: /^@workflow-ui\/client$/, replacement: at("../packages/client/client.ts") },
      { find: /^@workflow-ui\/forms-react$/, replacement: at("../packages/forms-react/src/index.ts") },
      { find: /^@workflow-ui\/forms-react\/ui/, replacement: at("../packages/forms-react/src/ui") },
      { find: "#kernel", replacement: at("../src/kernel") },
      { find: "#sources", replacement: at("../src/sources") },
      { find: "#rendering", replacement: at("../src/rendering") },
      { find: "#kernel", replacement: at("../src/kernel") },
      { find: "#provenance", replacement: at("../src/provenance") },
      { find: "#model", replacement: at("../src/model") },
      { find: "#formats", replacement: at("../src/formats") },
      { find: "#workflows", replacement: at("../src/workflows") },
      { find: "node:crypto", replacement: at("src/lib/node-crypto.ts") },
      { find: /^.*\/kernel\/deadline\.ts$/, replacement: at("src/lib/no-deadline.ts") },
      ...(mode === "app"
        ? [{ find: /^.*\/open-worker\.ts$/, replacement: at("../packages/forms/src/state/no-worker.ts") }]
        : []),
    ],
  },
  // Workers load what they need as modules, like the page.
  worker: { format: "es" },
  build:
    mode === "app"
      ? {
          outDir: "dist-app",
          assetsInlineLimit: 10_000_000,
          cssCodeSplit: false,
          modulePreload: false,
          rolldownOptions: { input: at("form.html"), output: { codeSplitting: false } },
        }
      : {
          outDir: "dist",
          assetsInlineLimit: 0,
          chunkSizeWarningLimit: 700,
          // Icons that pages share are one file: forty of 200 bytes each take longer. So are small pages of the
          // documentation that are read one after the other.
          rolldownOptions: {
            output: {
              codeSplitting: {
                groups: [
                  { name: "icons", test: /lucide-react\/dist\/esm\/icons/, minShareCount: 2 },
                  { name: "decisions", test: /docs\/page\/adr\// },
                  { name: "results", test: /docs\/page\/results\// },
                ],
              },
            },
          },
        },
  server: { proxy: { "/api": "http://127.0.0.1:8080", "/.well-known": "http://127.0.0.1:8080" } },
}));
