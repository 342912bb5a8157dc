import { AppError } from "./errors.ts";

/** The kinds of records that callers name by id: which tool reads one, and what lists them. */
const KINDS = {
  workflow: ["get_workflow", "list_workflows"],
  run: ["get_workflow_run", "The resource svc://runs"],
  approval: ["list_approvals", "list_approvals"],
  artifact: ["get_artifact", "list_artifacts"],
} as const;

/** The refusal of an id that names nothing the caller sees: where such ids are listed, or what the id names instead. */
export function noRecord(
  kind: keyof typeof KINDS,
  id: string,
  message = `There is no ${kind} with this id that you may see.`,
): AppError {
  const other = Object.entries(KINDS).find(([name]) => name !== kind && id.startsWith(`${name}_`));
  const named =
    kind === "run" || id.startsWith(`${kind}_`)
      ? ""
      : ` or find {"query": ${JSON.stringify(id.slice(0, 60))}}`;
  const lists = `${KINDS[kind][1]} lists them (at /mcp list {"kind": "${kind}"}${named}).`;
  const nextAction =
    other === undefined
      ? lists
      : `This id names another kind of record, ${other[0]}: read it with ${other[1][0]} (at /mcp get {"kind": "${other[0]}"}), or give another id: ${lists}`;
  return new AppError("not_found", message, { nextAction });
}
