import type { WorkflowProblem } from "@workflow-ui/client";
import type { Edge } from "#workflows/schema.ts";
import { useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useGraphTools } from "./step-tools.ts";
import { AdvancedFields } from "./inspect-advanced.tsx";
import { ApprovalFields } from "./inspect-approval.tsx";
import { InspectContext, type InspectScope } from "./inspect-context.ts";
import { HandoffFields, SubworkflowFields, TransformFields, WaitFields } from "./inspect-others.tsx";
import { MapFields } from "./inspect-map.tsx";
import { SwitchFields } from "./inspect-switch.tsx";
import { ToolFields } from "./inspect-tool.tsx";
import { WorkflowFields } from "./inspect-workflow.tsx";
import type { Draft } from "../document/graph-store.ts";
import { typeOf, type Graph, type DraftNode } from "../document/model.ts";
import { openScope, type Samples, type Standpoint } from "./scope.ts";
import type { ToolInfo } from "../../api/tools.ts";

/** What every kind of step gets: the step, where it stands in the document, and how it is changed. */
export interface StepProps {
  readonly node: DraftNode;
  readonly pointer: string;
  readonly onChange: (node: DraftNode) => void;
  readonly onOpenBody: (id: string) => void;
  /** The graph around the step. */
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly Edge[];
  /** Puts a step that does nothing after a port, so that the path ends there. */
  readonly onEnd: (port: string) => void;
}

const KINDS = {
  tool: ToolFields,
  approval: ApprovalFields,
  switch: SwitchFields,
  map: MapFields,
  transform: TransformFields,
  wait: WaitFields,
  handoff: HandoffFields,
  subworkflow: SubworkflowFields,
} as const;

interface Shared {
  /** The whole document, also while the body of a map is edited. */
  readonly graph: Graph;
  readonly place: Standpoint;
  readonly problems: readonly WorkflowProblem[];
  readonly samples: Samples;
}

interface Props extends Shared, StepProps {
  /** The step was just added, and the schemas that it works with are known. */
  readonly onAdded: (tools: readonly ToolInfo[]) => void;
  /** What stands below the fields and knows the same data. */
  readonly after?: ReactNode;
}

/** One step: what it does, what it works with, and what is seldom needed. */
export function Inspector({ graph, place, problems, samples, after, onAdded, ...step }: Props) {
  const { tools, workflows, ready } = useGraphTools(graph.nodes);
  const box = useRef<HTMLDivElement>(null);
  const id = step.node.id;
  const [isFresh, setIsFresh] = useState(false);
  useEffect(() => {
    if (!ready || !added.delete(id)) return;
    onAdded(tools);
    setIsFresh(true);
  }, [id, ready, tools, onAdded]);
  useEffect(() => {
    if (!isFresh) return;
    // A step that was just added is filled in next; what it offers may come a moment later.
    const until = performance.now() + MOST_WAITED_MS;
    const focus = () => {
      // Not one that is folded away.
      const marked = box.current?.querySelectorAll<HTMLElement>("[data-autofocus]") ?? [];
      const field = [...marked].find((one) => one.checkVisibility());
      const isElsewhere = document.activeElement?.matches("input, textarea, select") === true;
      if (isElsewhere || performance.now() > until) setIsFresh(false);
      else if (!field) next = requestAnimationFrame(focus);
      else setIsFresh(false);
      if (isElsewhere) return;
      field?.focus();
      if (field instanceof HTMLTextAreaElement) field.select();
    };
    let next = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(next);
  }, [isFresh]);
  if (!ready) return null;
  const Kind = KINDS[typeOf(step.node)];
  return (
    <Inspecting {...{ graph, place, problems, samples, tools, workflows }}>
      <div ref={box} className="space-y-4 p-4">
        <Kind key={id} {...step} />
        <AdvancedFields key={`more ${id}`} {...step} />
      </div>
      {after}
    </Inspecting>
  );
}

const MOST_WAITED_MS = 3_000;

/** Steps that were added and not looked at yet. */
export const added = new Set<string>();

/** The workflow itself: inputs, outputs, description and rules. */
export function WorkflowInspector({
  draft,
  onDraft,
  ...shared
}: Shared & {
  readonly draft: Draft;
  readonly onDraft: (label: string, next: (draft: Draft) => Draft) => void;
}) {
  const { tools, workflows } = useGraphTools(shared.graph.nodes);
  return (
    <Inspecting {...shared} tools={tools} workflows={workflows}>
      <div className="space-y-5 p-4">
        <h2 className="sr-only">Workflow</h2>
        <WorkflowFields draft={draft} onDraft={onDraft} />
      </div>
    </Inspecting>
  );
}

function Inspecting({
  graph,
  place,
  problems,
  samples,
  tools,
  workflows,
  children,
}: Shared & Pick<InspectScope, "tools" | "workflows"> & { readonly children: ReactNode }) {
  const calm = useDeferredValue(graph);
  const { node, body } = place;
  const scope = useMemo(
    () => openScope(calm, tools, { node, body }, samples, workflows),
    [calm, tools, node, body, samples, workflows],
  );
  const value = useMemo(
    () => ({
      scope,
      tools,
      workflows,
      problems,
      scopeInside: (map: string, inner: string | null = null) =>
        openScope(calm, tools, { node: inner, body: map }, samples, workflows),
    }),
    [scope, tools, workflows, problems, calm, samples],
  );
  return <InspectContext value={value}>{children}</InspectContext>;
}
