import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "vite";

/**
 * Puts the only script and the only style sheet into the HTML: the MCP App has to be one file. It works on what was
 * written, because Vite still fills placeholders into chunks while it generates them.
 */
export function singleFile(): Plugin {
  let folder = "";
  return {
    name: "single-file",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true });
      const all = (ending: string) =>
        Promise.all(
          names.filter((name) => name.endsWith(ending)).map((name) => readFile(join(folder, name), "utf8")),
        );
      const [scripts, styles] = await Promise.all([all(".js"), all(".css")]);
      const code = scripts.join("\n").replaceAll("</script", "<\\/script");
      for (const name of names.filter((name) => name.endsWith(".html"))) {
        const path = join(folder, name);
        const bare = (await readFile(path, "utf8"))
          .replace(/<script\b[^>]*src=[^>]*><\/script>/g, "")
          .replace(/<link\b[^>]*rel="(?:stylesheet|modulepreload)"[^>]*>/g, "");
        // Functions as replacements: `$` in the code must stay what it is.
        const whole = bare
          .replace("</head>", () => `<style>${styles.join("\n")}</style></head>`)
          .replace("</body>", () => `<script type="module">${code}</script></body>`);
        await writeFile(path, whole);
      }
      await rm(join(folder, "assets"), { recursive: true, force: true });
    },
  };
}
