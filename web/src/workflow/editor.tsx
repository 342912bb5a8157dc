import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useExternal } from "../lib/external.ts";
import { isField } from "../lib/keys.ts";
import { textAt, type Bag } from "../lib/read.ts";
import { Badge } from "../ui/badge.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { DocumentTab } from "./document-tab.tsx";
import { EditTab } from "./edit-tab.tsx";
import { EditorHeader } from "./editor-header.tsx";
import type { Graph } from "./model.ts";
import { PlanTab, ProblemsTab, RunsTab, VersionsTab } from "./panels.tsx";
import { NO_REHEARSAL, type Rehearsal } from "./rehearsal.ts";
import type { EditSession } from "./session.ts";
import { useVerdict } from "./use-verdict.ts";

/** Draws, lists, checks, plans, saves and runs one workflow. */
export function Editor({ session, record }: { readonly session: EditSession; readonly record: Bag | null }) {
  const { store } = session;
  const draft = useExternal(store);
  const id = useExternal(session.id);
  const { graph } = draft;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const verdict = useVerdict(graph);
  const [rehearsal, setRehearsal] = useState<Rehearsal>(NO_REHEARSAL);
  const errors = verdict.problems.filter(
    (problem) => textAt(problem, "severity", "error") === "error",
  ).length;
  const tab = search.tab ?? "edit";
  useEffect(() => {
    document.title = `${draft.name} · Workflow-UI`;
  }, [draft.name]);
  const change = useCallback(
    (label: string, next: (graph: Graph) => Graph) =>
      store.change(label, (now) => {
        const after = next(now.graph);
        return after === now.graph ? now : { ...now, graph: after };
      }),
    [store],
  );
  const go = (node: string) =>
    void navigate({
      to: ".",
      replace: true,
      search: (before) => ({ ...before, tab: undefined, in: undefined, node }),
    });
  useKeys(session);
  const edit = useMemo(
    () => (
      <EditTab
        draft={draft}
        verdict={verdict}
        rehearsal={rehearsal}
        onChange={change}
        onDraft={store.change}
      />
    ),
    [draft, verdict, rehearsal, change, store],
  );
  return (
    <div className="flex min-h-[calc(100dvh-3rem)] flex-col px-4 pt-4 pb-6 sm:px-6">
      <EditorHeader
        session={session}
        record={record}
        errors={errors}
        verdict={verdict}
        rehearsal={rehearsal}
        onRehearsal={setRehearsal}
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
            content: <ProblemsTab verdict={verdict} graph={graph} onGo={go} onChange={change} />,
          },
          { id: "plan", label: "Plan", content: <PlanTab verdict={verdict} onGo={go} /> },
          ...(record === null || Object.keys(record).length === 0
            ? []
            : [
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
          {
            id: "document",
            label: "Document",
            content: <DocumentTab draft={draft} onChange={(next) => store.change("document", () => next)} />,
          },
        ]}
      />
      <ConflictDialog session={session} />
    </div>
  );
}

/** Ctrl+S saves and Ctrl+Z undoes from anywhere on the page but a text field, which has an undo of its own. */
function useKeys(session: EditSession): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      if (key === "s") {
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
