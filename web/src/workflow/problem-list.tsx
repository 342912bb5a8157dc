import type { WorkflowProblem } from "@workflow-ui/client";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { useGraphTools } from "./inspect/step-tools.ts";
import { Failure } from "../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { fixesFor } from "./document/fixes.ts";
import { titleOfId } from "./document/model.ts";
import { titleOf, type Graph } from "./document/model.ts";
import { inFormOrder } from "./document/form-order.ts";
import { problemWords } from "./document/problem-words.ts";
import { allNodes, type Subworkflows } from "./inspect/scope.ts";
import { inWords } from "./inspect/source-words.ts";
import { argumentNames, offeredSchema } from "./inspect/inspect-tool.tsx";
import { valueAt } from "./document/pointer.ts";
import { objectAt, textAt } from "../lib/read.ts";
import { nodeOf, type Verdict } from "./use-verdict.ts";
import type { ToolInfo } from "../api/tools.ts";

interface Props {
  readonly verdict: Verdict;
  readonly graph: Graph;
  /** Shows a step, with the focus in the field at a pointer. */
  readonly onGo: (node: string, pointer: string) => void;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
}

const MAX_SHOWN = 100;

/** Everything that is wrong, each with where it is, how to fix it, and a button that does where one can. */
export function ProblemList({ verdict, graph, onGo, onChange }: Props) {
  const { tools, workflows } = useGraphTools(graph.nodes);
  if (verdict.failed !== null) return <Failure error={verdict.failed} />;
  const { problems } = verdict;
  if (problems.length === 0) {
    return (
      <Empty icon={<CircleCheck />} title="No problems">
        The graph was checked as a whole: ids, paths, references, arguments, conditions, safety.
      </Empty>
    );
  }
  return (
    <Panel flush>
      <ul className="divide-y divide-line">
        {inFormOrder(problems, (call) => argumentsOf(call, graph, tools))
          .slice(0, MAX_SHOWN)
          .map((problem) => (
            <Item
              key={problem.pointer + problem.code + problem.message}
              problem={problem}
              graph={graph}
              tools={tools}
              workflows={workflows}
              onGo={onGo}
              onChange={onChange}
            />
          ))}
      </ul>
      {problems.length > MAX_SHOWN ? (
        <p className="px-4 py-3 text-sm text-ink-2">and {problems.length - MAX_SHOWN} more</p>
      ) : null}
    </Panel>
  );
}

/** The arguments that the form of a call shows, in their order. */
function argumentsOf(call: string, graph: Graph, tools: readonly ToolInfo[]): readonly string[] {
  const given = valueAt(graph, call);
  const tool = tools.find(({ name }) => name === textAt(given, "tool"));
  return tool === undefined ? [] : argumentNames(offeredSchema(tool), Object.keys(objectAt(given, "with")));
}

function Item({
  problem,
  graph,
  tools,
  workflows,
  onGo,
  onChange,
}: Omit<Props, "verdict"> & {
  readonly problem: WorkflowProblem;
  readonly tools: readonly ToolInfo[];
  readonly workflows: Subworkflows;
}) {
  const node = nodeOf(graph, problem);
  const { pointer } = problem;
  const fixes = useMemo(() => fixesFor(problem, graph, tools, workflows), [problem, graph, tools, workflows]);
  const titles = useMemo(() => new Map(allNodes(graph).map((item) => [item.id, titleOf(item)])), [graph]);
  const error = problem.severity === "error";
  return (
    <li className="flex gap-3 px-4 py-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {error ? <CircleAlert className="text-bad" /> : <TriangleAlert className="text-warn" />}
      <div className="min-w-0 flex-1 break-words">
        {node === "" ? null : (
          <button
            type="button"
            onClick={() => onGo(node, pointer)}
            className="min-h-6 text-sm text-accent-ink underline-offset-2 hover:underline"
          >
            {titleOfId(graph, node)}
          </button>
        )}
        <p className="font-medium">{problemWords(problem, (ref) => inWords(ref, titles))}</p>
        <div className="mt-1.5 flex flex-wrap gap-2 empty:hidden">
          {fixes.map((fix) => (
            <Button key={fix.label} size="sm" onClick={() => onChange(`fix ${fix.label}`, fix.apply)}>
              {fix.label}
            </Button>
          ))}
          {fixes.length === 0 && node !== "" ? (
            <Button size="sm" onClick={() => onGo(node, pointer)}>
              {problem.code === "argument_missing" ? "Fill it in" : "Show the field"}
            </Button>
          ) : null}
        </div>
        <details className="mt-0.5 text-xs text-ink-3">
          <summary>Details</summary>
          <p>
            {problem.message} {problem.fix}
          </p>
          <span className="font-mono">
            {problem.code} · {pointer === "" ? "/" : pointer}
          </span>
        </details>
      </div>
    </li>
  );
}
