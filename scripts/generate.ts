import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { format } from "oxfmt";
import { configurationMarkdown, helpText } from "../src/config-table.ts";
import { renderCliReference } from "../src/commands/reference.ts";
import { renderToolDocs } from "../src/discovery/tool-table.ts";
import { renderErrorDocs } from "../src/gateway/error-docs.ts";
import { rolesMarkdown } from "../src/people/roles.ts";
import { operations, prompts, resources, tools } from "../src/registry.ts";
import { renderProblemDocs } from "../src/workflows/problem-docs.ts";
import { conformanceMarkdown } from "../tests/conformance/baseline.ts";
import { renderClientTypes } from "./client-types.ts";
import { renderLayerDiagram, renderModuleTable } from "./layer-diagram.ts";
import { renderRegexVerdicts } from "./regex-rules.ts";
import { renderSecurityPage } from "./security-page.ts";

/*
 * Writes every generated file; with --check writes nothing and fails when one is not up to date. A new generated file
 * is one more line in the list.
 */

interface GeneratedFile {
  readonly path: string;
  /** The file's new text, from its present one when only a part of it is generated. */
  readonly render: (present: string) => string | Promise<string>;
}

const registry = { tools, resources, prompts };

const FILES: readonly GeneratedFile[] = [
  { path: "packages/client/operations.ts", render: () => formatted(renderClientTypes(operations, tools)) },
  { path: "docs/tools.md", render: () => renderToolDocs(registry) },
  { path: "docs/configuration.md", render: configurationMarkdown },
  { path: "bin/help.txt", render: helpText },
  { path: "docs/conformance.md", render: conformanceMarkdown },
  { path: "docs/errors.md", render: renderErrorDocs },
  { path: "scripts/regex-verdicts.json", render: renderRegexVerdicts },
  { path: "docs/security.md", render: renderSecurityPage },
  { path: "docs/cli.md", render: () => renderCliReference() },
  { path: "docs/workflow-problems.md", render: renderProblemDocs },
  { path: "docs/people.md", render: (present) => withBlock(present, "roles", rolesMarkdown()) },
  {
    path: "ARCHITECTURE.md",
    render: (present) =>
      withBlock(withBlock(present, "layers", renderLayerDiagram()), "modules", renderModuleTable()),
  },
];

/** TypeScript as the formatter writes it. */
async function formatted(text: string): Promise<string> {
  const { code } = await format("operations.ts", text, { printWidth: 110 });
  return code;
}

/** Puts `text` between `<!-- name:begin -->` and `<!-- name:end -->`; without the markers it fails. */
function withBlock(present: string, name: string, text: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const end = `<!-- ${name}:end -->`;
  const from = present.indexOf(begin);
  const to = present.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the markers ${begin} and ${end} are missing`);
  return `${present.slice(0, from + begin.length)}\n${text}\n${present.slice(to)}`;
}

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const { path, render } of FILES) {
  const present = existsSync(path) ? readFileSync(path, "utf8") : "";
  try {
    const text = await render(present);
    if (text === present) continue;
    stale.push(path);
    if (!check) writeFileSync(path, text);
  } catch (error) {
    console.error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
if (check && stale.length > 0) {
  console.error(`not up to date: ${stale.join(", ")}; run npm run generate`);
  process.exitCode = 1;
} else if (stale.length > 0) {
  console.log(`written: ${stale.join(", ")}`);
}
