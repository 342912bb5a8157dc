import { existsSync } from "node:fs";
import process from "node:process";

/**
 * The corpus that the command line names: a folder with `schemastore/NAME/schema.json` (and `positive/`, `negative/`
 * beside it), `mcp-tools.json`, `openapi/*.json`, `constructs/constructs.json` and `json-schema-test-suite/tests`. None is part of this repository.
 */
export function corpusFolder(flags: readonly string[]): string {
  const folder = flags.find((flag) => !flag.startsWith("--"));
  if (folder !== undefined && existsSync(folder)) return folder;
  console.error(
    folder === undefined
      ? "Name the folder of the corpus, for example: npm run corpus -- FOLDER"
      : `The folder of the corpus does not exist: ${folder}`,
  );
  process.exit(2);
}
