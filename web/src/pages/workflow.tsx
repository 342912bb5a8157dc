import { useQuery } from "@tanstack/react-query";
import { useParams, useRouterState } from "@tanstack/react-router";
import { useMemo } from "react";
import { useToolData } from "../api/queries.ts";
import { fromFragment } from "../lib/fragment.ts";
import { at, bagAt, isBag, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { Load } from "../shell/states.tsx";
import { Page } from "../ui/page.tsx";
import { createGraphStore } from "../workflow/graph-store.ts";
import { Editor } from "../workflow/editor.tsx";
import { EMPTY_GRAPH, freeId, graphOf, type Graph } from "../workflow/model.ts";
import { getDraft } from "../lib/drafts.ts";

/** One workflow, stored or about to be. */
export function WorkflowPage() {
  const { id = "new" } = useParams({ strict: false });
  if (id === "new") return <NewWorkflow />;
  return id.startsWith("draft_") ? <LocalWorkflow id={id} /> : <StoredWorkflow key={id} id={id} />;
}

function NewWorkflow() {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const store = useMemo(() => {
    const step = fromFragment(hash, "step");
    return createGraphStore({
      name: "Untitled workflow",
      description: "",
      tags: [],
      graph: isBag(step) ? withStep(step) : EMPTY_GRAPH,
    });
  }, [hash]);
  return <Editor store={store} record={null} />;
}

function withStep(step: Bag): Graph {
  const tool = textAt(step, "tool");
  const node = { id: freeId(EMPTY_GRAPH, tool), type: "tool", tool, with: at(step, "with") ?? {} };
  return { ...EMPTY_GRAPH, nodes: [node] };
}

function LocalWorkflow({ id }: { readonly id: string }) {
  const draft = useQuery({ queryKey: ["drafts", id], queryFn: () => getDraft(id) });
  const store = useMemo(
    () =>
      draft.data === undefined || draft.data === null
        ? null
        : createGraphStore({
            name: draft.data.title,
            description: textAt(draft.data.content, "description"),
            tags: textsAt(draft.data.content, "tags"),
            graph: graphOf(draft.data.content),
          }),
    [draft.data],
  );
  if (store === null)
    return (
      <Page title="Workflow">{draft.data === null ? <p>This draft is not on this device.</p> : null}</Page>
    );
  return <Editor store={store} record={null} />;
}

function StoredWorkflow({ id }: { readonly id: string }) {
  const workflow = useToolData("get_workflow", { id });
  if (workflow.data === undefined) {
    return (
      <Page title="Workflow">
        <Load query={workflow}>{() => null}</Load>
      </Page>
    );
  }
  const inner = bagAt(workflow.data, "workflow");
  const record = Object.keys(inner).length > 0 ? inner : workflow.data;
  return (
    <Loaded
      key={`${id} ${numberAt(record, "revision") ?? 0} ${record["document"] === undefined ? "p" : "k"}`}
      record={record}
    />
  );
}

function Loaded({ record }: { readonly record: Bag }) {
  // The key of this component changes with the revision, so the store is made once for each.
  const store = useMemo(
    () =>
      createGraphStore({
        name: textAt(record, "name"),
        description: textAt(record, "description"),
        tags: textsAt(record, "tags"),
        graph: graphOf(record),
      }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [],
  );
  return <Editor store={store} record={record} />;
}
