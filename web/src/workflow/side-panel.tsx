import { CircleAlert, SlidersHorizontal } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import type { Graph } from "./document/model.ts";
import { PlanView } from "./plan-view.tsx";
import { ProblemList } from "./problem-list.tsx";
import { foundWords, type Verdict } from "./use-verdict.ts";

interface Props {
  readonly wide: boolean;
  /** The chosen step; empty when none is. */
  readonly step: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly onLeave: () => void;
  readonly verdict: Verdict;
  readonly graph: Graph;
  readonly onGo: (node: string, pointer?: string) => void;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
  /** The fields of the chosen step, or of the workflow. */
  readonly children: ReactNode;
}

type View = "fields" | "problems" | "plan";

/** Beside the canvas: the fields of what is chosen, all problems, or the plan. On a phone they are sheets. */
export function SidePanel({
  wide,
  step,
  title,
  onClose,
  onLeave,
  verdict,
  graph,
  onGo,
  onChange,
  children,
}: Props) {
  const [view, setView] = useState<View>("fields");
  const [sheet, setSheet] = useState<"" | "workflow" | "problems">("");
  const chosen = step !== "";
  const [before, setBefore] = useState(step);
  if (before !== step) {
    // Choosing a step shows its fields, whatever was looked at before.
    setBefore(step);
    if (chosen) setView("fields");
  }
  const go = (node: string, pointer = "") => {
    setView("fields");
    onGo(node, pointer);
  };
  const found = verdict.problems.length;
  if (!wide) {
    return chosen ? (
      <Dialog open onClose={onClose} shape="sheet" title={title} flush className="w-[min(34rem,100vw)]!">
        {children}
      </Dialog>
    ) : (
      <>
        <div className="flex flex-wrap gap-2 [&>*]:flex-1">
          {found === 0 ? null : (
            <Button onClick={() => setSheet("problems")}>
              <CircleAlert /> {foundWords(verdict)}
            </Button>
          )}
          <Button onClick={() => setSheet("workflow")}>
            <SlidersHorizontal /> Inputs, outputs and rules
          </Button>
        </div>
        <Dialog
          open={sheet !== ""}
          onClose={() => setSheet("")}
          shape="sheet"
          title={sheet === "problems" ? "Problems" : "Inputs, outputs and rules"}
          flush
          className="w-[min(34rem,100vw)]!"
        >
          {sheet === "problems" ? (
            <div className="p-3">
              <ProblemList
                verdict={verdict}
                graph={graph}
                onGo={(node, pointer) => {
                  setSheet("");
                  go(node, pointer);
                }}
                onChange={onChange}
              />
            </div>
          ) : (
            children
          )}
        </Dialog>
      </>
    );
  }
  return (
    <section
      aria-label={view === "problems" ? "Problems" : view === "plan" ? "Plan" : chosen ? "Step" : "Workflow"}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onLeave();
      }}
      className="panel relative flex min-w-0 flex-col lg:max-h-[calc(100dvh-13.5rem)]"
    >
      <div className="border-b border-line px-3 py-2">
        <Segmented
          label="Beside the graph"
          value={view}
          onChange={setView}
          options={[
            { value: "fields", label: chosen ? "Step" : "Workflow" },
            { value: "problems", label: found === 0 ? "Problems" : `Problems (${found})` },
            { value: "plan", label: "Plan" },
          ]}
        />
      </div>
      <div key={`${view} ${step}`} className="min-h-0 flex-1 scroll-y">
        {view === "fields" ? (
          children
        ) : (
          <div className="p-3">
            {view === "problems" ? (
              <ProblemList verdict={verdict} graph={graph} onGo={go} onChange={onChange} />
            ) : (
              <PlanView verdict={verdict} graph={graph} onGo={go} narrow />
            )}
          </div>
        )}
      </div>
    </section>
  );
}
