import type { WorkflowProblem } from "@workflow-ui/client";
import { createContext, useContext } from "react";
import { problemWords } from "../document/problem-words.ts";
import type { Scope, Subworkflows } from "./scope.ts";
import type { ToolInfo } from "../../api/tools.ts";

/** What every field of the inspector shares. */
export interface InspectScope {
  readonly scope: Scope;
  /** What is known inside the body of a map. */
  readonly scopeInside: (map: string, node?: string | null) => Scope;
  readonly tools: readonly ToolInfo[];
  readonly workflows: Subworkflows;
  readonly problems: readonly WorkflowProblem[];
}

/** The step or workflow that the fields below belong to. */
export const InspectContext = createContext<InspectScope | null>(null);

/** What the fields around this one share. */
export function useInspect(): InspectScope {
  const scope = useContext(InspectContext);
  if (scope === null) throw new Error("A field was drawn outside the inspector.");
  return scope;
}

/** What is wrong at a pointer; with `below`, also inside it. */
export function useProblemsAt(pointer: string, below: boolean): readonly string[] {
  const { problems, scope } = useInspect();
  const found = problems
    .filter((problem) => {
      const at = problem.pointer;
      return at === pointer || (below && at.startsWith(`${pointer}/`));
    })
    .map((problem) => problemWords(problem, scope.describe));
  return [...new Set(found)];
}
