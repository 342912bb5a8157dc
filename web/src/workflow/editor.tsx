import type { Workflow } from "@workflow-ui/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo } from "react";
import { session as signedIn } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { isField } from "../lib/keys.ts";
import { TriggersTab } from "../pages/triggers/trigger-list.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ConflictDialog } from "./document/conflict-dialog.tsx";
import { DocumentTab } from "./document/document-tab.tsx";
import { EditTab } from "./edit-tab.tsx";
import { EditorHeader } from "./editor-header.tsx";
import { useExpertView } from "./expert-view.ts";
import { focusField } from "./inspect/focus-field.ts";
import type { Graph } from "./document/model.ts";
import { RunsTab, VersionsTab } from "./panels.tsx";
import { PlanView } from "./plan-view.tsx";
import { ProblemList } from "./problem-list.tsx";
import type { EditSession } from "./document/session.ts";
import { useDryRunner } from "./use-dry-runner.ts";
import { useVerdict } from "./use-verdict.ts";

/** Draws, lists, checks, plans, saves and runs one workflow. */
export function Editor({
  session,
  record,
}: {
  readonly session: EditSession;
  readonly record: Workflow | null;
}) {
  const { store } = session;
  const draft = useExternal(store);
  const id = useExternal(session.id);
  const { graph } = draft;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { keyed, person } = useExternal(signedIn);
  const verdict = useVerdict(graph, record !== null && person === null && !keyed);
  const dryRunner = useDryRunner(session);
  const errors = verdict.problems.filter(({ severity }) => severity === "error").length;
  const isExpert = useExpertView();
  const tab = search.tab ?? "edit";
  useEffect(() => {
    document.title = `${draft.name} · Workflow-UI`;
  }, [draft.name]);
  const { node: shownNode, in: shownIn, field } = search;
  useEffect(() => {
    if (field === undefined) return;
    // A link from a run leads to a field of a step by the names of both.
    const top = graph.nodes.findIndex(({ id }) => id === (shownIn ?? shownNode));
    const inner = graph.nodes[top]?.map?.body?.nodes?.findIndex(({ id }) => id === shownNode) ?? -1;
    focusField(`/nodes/${top}${shownIn === undefined ? "" : `/map/body/nodes/${inner}`}/with${field}`);
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, field: undefined }) });
  }, [field, graph, navigate, shownIn, shownNode]);
  const change = useCallback(
    (label: string, next: (graph: Graph) => Graph) =>
      store.change(label, (now) => {
        const after = next(now.graph);
        return after === now.graph ? now : { ...now, graph: after };
      }),
    [store],
  );
  const go = useCallback(
    (node: string, pointer = "") => {
      // A problem inside the body of a map is shown there.
      const inner = /^\/nodes\/\d+\/map\/body\/nodes\/(\d+)/.exec(pointer)?.[1];
      const map = graph.nodes.find((item) => item.id === node);
      const step = inner === undefined ? "" : (map?.map?.body?.nodes?.[Number(inner)]?.id ?? "");
      const shown = step === "" ? { in: undefined, node } : { in: node, node: step };
      void navigate({
        to: ".",
        replace: true,
        search: (before) => ({ ...before, tab: undefined, ...shown }),
      });
      if (pointer !== "") focusField(pointer);
    },
    [graph, navigate],
  );
  useKeys(session);
  const edit = useMemo(
    () => (
      <EditTab
        draft={draft}
        verdict={verdict}
        dryRunner={dryRunner}
        onChange={change}
        onDraft={store.change}
        onRename={session.pins.rename}
        onGo={go}
      />
    ),
    [draft, verdict, dryRunner, change, store, session, go],
  );
  return (
    <div className="flex min-h-[calc(100dvh-3rem)] flex-col px-4 pt-4 pb-6 sm:px-6">
      <EditorHeader
        session={session}
        record={record}
        errors={errors}
        verdict={verdict}
        dryRunner={dryRunner}
      />
      <Tabs
        label="Parts of the workflow"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: ".",
            replace: true,
            search: (before) => ({ ...before, tab: next === "edit" ? undefined : next }),
          })
        }
        items={[
          { id: "edit", label: "Edit", content: edit },
          {
            id: "problems",
            label: "Problems",
            badge:
              verdict.problems.length === 0 ? null : (
                <Badge tone={errors > 0 ? "bad" : "warn"}>{verdict.problems.length}</Badge>
              ),
            content: <ProblemList verdict={verdict} graph={graph} onGo={go} onChange={change} />,
          },
          { id: "plan", label: "Plan", content: <PlanView verdict={verdict} graph={graph} onGo={go} /> },
          ...(record === null
            ? []
            : [
                { id: "triggers", label: "Triggers", content: <TriggersTab workflowId={id} /> },
                { id: "runs", label: "Runs", content: <RunsTab workflowId={id} /> },
                {
                  id: "versions",
                  label: "Versions",
                  content: (
                    <VersionsTab
                      record={record}
                      onRestore={(document) =>
                        store.change("restore version", (now) => ({ ...now, graph: document }))
                      }
                    />
                  ),
                },
              ]),
          ...(isExpert || tab === "document"
            ? [
                {
                  id: "document",
                  label: "Document",
                  content: (
                    <DocumentTab draft={draft} onChange={(next) => store.change("document", () => next)} />
                  ),
                },
              ]
            : []),
        ]}
      />
      <ConflictDialog session={session} />
    </div>
  );
}

/** Ctrl+Enter publishes, or runs what is published; Ctrl+S saves and Ctrl+Z undoes from anywhere on the page but a text field, which has an undo of its own. */
function useKeys(session: EditSession): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      if (key === "enter" && document.querySelector("dialog[open]") === null) {
        event.preventDefault();
        document.querySelector<HTMLButtonElement>("[data-main-action]:enabled")?.click();
      } else if (key === "s") {
        event.preventDefault();
        void session.save(true);
      } else if (key === "z" && !isField(event.target)) {
        event.preventDefault();
        if (event.shiftKey) session.store.redo();
        else session.store.undo();
      } else if (key === "y" && !isField(event.target)) {
        event.preventDefault();
        session.store.redo();
      }
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [session]);
}
