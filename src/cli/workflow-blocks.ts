import type { Loss, Workflow, WorkflowProblem } from "../../packages/client/client.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Block } from "./output.ts";
import { cell, line, note, table } from "./results.ts";

/** A span of time as people say it. */
export function spanOf(ms: number): string {
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
  ] as const;
  const unit = units.find(([size]) => ms >= 2 * size);
  return unit === undefined ? `${ms / 1_000} s` : `${(ms / unit[0]).toFixed(1)} ${unit[1]}`;
}

/** The steps of a workflow, each with where it leads. */
export function graphBlocks({ nodes, edges }: Workflow): readonly Block[] {
  const ways = edges.filter(isJsonObject);
  const then = (id: unknown): string =>
    ways
      .filter((way) => way["from"] === id)
      .map((way) => `${cell(way["port"]) ?? "success"}: ${cell(way["to"])}`)
      .join(", ");
  const rows = nodes.filter(isJsonObject);
  const columns = { STEP: "id", TYPE: "type", TOOL: "tool", TITLE: "title" } as const;
  return [line(""), table({ ...columns, THEN: (node: JsonObject) => then(node["id"]) }, rows)];
}

/** The problems of a workflow, as a table. */
export function problemBlocks(problems: readonly WorkflowProblem[]): readonly Block[] {
  const columns = {
    SEVERITY: "severity",
    WHERE: "pointer",
    CODE: "code",
    PROBLEM: "message",
    FIX: "fix",
  } as const;
  return problems.length === 0 ? [] : [table(columns, problems)];
}

/** What an import or export could not take over. */
export function lossBlocks(losses: readonly Loss[]): readonly Block[] {
  return losses.map(({ what, why, pointer }) => note(`Lost on the way: ${what} ${why} (${pointer})`));
}
