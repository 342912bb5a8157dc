import tailwind from "@tailwindcss/vite";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The style sheet of @workflow-ui/forms-react, made from packages/forms-react/styles.css. */
export async function packageStyles(): Promise<string> {
  const result = await build({
    root: at(""),
    configFile: false,
    logLevel: "error",
    publicDir: false,
    plugins: [tailwind()],
    build: {
      write: false,
      // Browsers that know light-dark(): what stands in for it works only where the page's own sheet is built the same way.
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      rolldownOptions: { input: at("packages/forms-react/styles.css") },
    },
  });
  const files = Array.isArray(result)
    ? result.flatMap(({ output }) => output)
    : "output" in result
      ? result.output
      : [];
  const sheet = files.find((file) => file.fileName.endsWith(".css"));
  if (sheet?.type !== "asset")
    throw new Error("No style sheet was made from packages/forms-react/styles.css.");
  // Tailwind gives the space between children no weight; the reset of the form, which has to beat the page's, would win.
  return String(sheet.source).replaceAll(/:where\((\.workflow-form \.[^()]*>:not\(:last-child\))\)/g, "$1");
}

/** Builds a Vite project that has no configuration of its own. */
export async function buildProject(root: string): Promise<void> {
  await build({ root, configFile: false, logLevel: "error" });
}
