import type { Plugin } from "vite";

/** Puts the only script and the only style sheet into the HTML: the MCP App has to be one file. */
export function singleFile(): Plugin {
  return {
    name: "single-file",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      const scripts: string[] = [];
      const styles: string[] = [];
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") scripts.push(part.code);
        else if (name.endsWith(".css")) styles.push(String(part.source));
        if (!name.endsWith(".html")) delete bundle[name];
      }
      for (const part of Object.values(bundle)) {
        if (part.type !== "asset") continue;
        const bare = String(part.source)
          .replace(/<script\b[^>]*src=[^>]*><\/script>/g, "")
          .replace(/<link\b[^>]*rel="(?:stylesheet|modulepreload)"[^>]*>/g, "");
        // A function as the replacement: `$` in the code must stay what it is.
        const code = scripts.join("\n").replaceAll("</script", "<\\/script");
        part.source = bare
          .replace("</head>", () => `<style>${styles.join("\n")}</style></head>`)
          .replace("</body>", () => `<script type="module">${code}</script></body>`);
      }
    },
  };
}
