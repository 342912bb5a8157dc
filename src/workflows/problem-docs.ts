import { PROBLEM_CODES } from "./problems.ts";

/** The page that lists every problem the validator can report. Generated: the table of codes is the source. */
export function renderProblemDocs(): string {
  const rows = Object.entries(PROBLEM_CODES).map(
    ([code, { severity, meaning, fix }]) => `| \`${code}\` | ${severity} | ${cell(meaning)} | ${cell(fix)} |`,
  );
  return [
    "# Problems of workflow documents",
    "",
    "Generated from `src/workflows/problems.ts`; do not edit by hand.",
    "",
    "`validate_workflow` reports all problems of a document at once. Each has a code, a severity, a JSON Pointer into what",
    "was given, a message and a fix. An error keeps a workflow from being published, dry-run or run; a warning does not.",
    "",
    "| code | severity | what it means | how to fix it |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
