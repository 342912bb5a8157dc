import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import type { ToolInfo } from "../api/queries.ts";
import { useGraphTools } from "../api/step-tools.ts";
import { textAt, type Bag } from "../lib/read.ts";
import { Failure } from "../shell/states.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { fixesFor } from "./fixes.ts";
import { titleOf, type Graph } from "./model.ts";
import { nodeOf, type Verdict } from "./use-verdict.ts";

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
  const { tools } = useGraphTools(graph.nodes);
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
        {problems.slice(0, MAX_SHOWN).map((problem) => (
          <Item
            key={textAt(problem, "pointer") + textAt(problem, "code") + textAt(problem, "message")}
            problem={problem}
            graph={graph}
            tools={tools}
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

function Item({
  problem,
  graph,
  tools,
  onGo,
  onChange,
}: Omit<Props, "verdict"> & { readonly problem: Bag; readonly tools: readonly ToolInfo[] }) {
  const node = nodeOf(graph, problem);
  const pointer = textAt(problem, "pointer");
  const fixes = useMemo(() => fixesFor(problem, graph, tools), [problem, graph, tools]);
  const error = textAt(problem, "severity", "error") === "error";
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
            {titleOf(graph.nodes.find((item) => textAt(item, "id") === node) ?? {})}
          </button>
        )}
        <p className="font-medium">{textAt(problem, "message")}</p>
        <p className="text-sm text-ink-2">{textAt(problem, "fix")}</p>
        <div className="mt-1.5 flex flex-wrap gap-2 empty:hidden">
          {fixes.map((fix) => (
            <Button key={fix.label} size="sm" onClick={() => onChange(`fix ${fix.label}`, fix.apply)}>
              {fix.label}
            </Button>
          ))}
          {fixes.length === 0 && node !== "" ? (
            <Button size="sm" onClick={() => onGo(node, pointer)}>
              {textAt(problem, "code") === "argument_missing" ? "Fill it in" : "Show the field"}
            </Button>
          ) : null}
        </div>
        <details className="mt-0.5 text-xs text-ink-3">
          <summary>Details</summary>
          <span className="font-mono">
            {textAt(problem, "code")} · {pointer === "" ? "/" : pointer}
          </span>
        </details>
      </div>
    </li>
  );
}
