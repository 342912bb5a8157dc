import type { Workflow } from "@workflow-ui/client";
import { Link, useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { startTransition, useEffect, useRef, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { useExternal } from "../../lib/external.ts";
import { fromFragment } from "../../lib/fragment.ts";
import { objectAt, textsAt, textAt } from "../../lib/read.ts";
import { getDraft } from "../../lib/drafts.ts";
import { Failure, Load } from "../../shell/states.tsx";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Editor } from "../../workflow/editor.tsx";
import { loadCanvas } from "../../workflow/edit-tab.tsx";
import { EMPTY_GRAPH, freeId, type Graph } from "../../workflow/document/model.ts";
import type { Draft } from "../../workflow/document/graph-store.ts";
import { leave, openLocal, openNew, openStored, type EditSession } from "../../workflow/document/session.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";

/** One workflow, stored or about to be. */
export function WorkflowPage() {
  const { id = "new" } = useParams({ strict: false });
  const { view } = useSearch({ strict: false });
  useEffect(() => {
    // While the workflow is read, not after it.
    if (view !== "outline") loadCanvas().catch(() => undefined);
  }, [view]);
  return id === "new" ? <NewWorkflow /> : <OpenWorkflow id={id} />;
}

/** A new draft gets an address at once, so that leaving and coming back finds it. */
function NewWorkflow() {
  const hash = useRouterState({ select: (state) => state.location.hash });
  const navigate = useNavigate();
  const opened = useRef(false);
  useEffect(() => {
    // Moving to the draft's address clears the fragment, which must not open a second draft without the step.
    if (opened.current) return;
    opened.current = true;
    const step = fromFragment(hash, "step");
    const session = openNew({
      name: "Untitled workflow",
      description: "",
      tags: [],
      graph: withStep(step),
    });
    void navigate({
      to: "/workflows/$id",
      params: { id: session.id.get() },
      replace: true,
      search: (before) => before,
    });
  }, [hash, navigate]);
  return <Page title="Workflow">{null}</Page>;
}

/** A graph with the step that the address brings. */
function withStep(step: unknown): Graph {
  const tool = textAt(step, "tool");
  if (tool === "") return EMPTY_GRAPH;
  const title = textAt(step, "title").slice(0, 200);
  const node = {
    id: freeId(EMPTY_GRAPH, tool),
    type: "tool",
    ...(title !== "" && { title }),
    tool,
    with: objectAt(step, "with"),
  };
  return { ...EMPTY_GRAPH, nodes: [node] };
}

/** What this device has of a draft that was kept before edits were. */
async function keptDraft(id: string): Promise<Draft | null> {
  const draft = await getDraft(id).catch(() => null);
  if (draft === null) return null;
  return {
    name: draft.title,
    description: textAt(draft.content, "description"),
    tags: textsAt(draft.content, "tags"),
    graph: graphOf(objectAt(draft.content)),
  };
}

/**
 * Opens the session of an address. A draft that gets its id on the server keeps its session, and so everything that
 * is open in the editor; only the address follows.
 */
function OpenWorkflow({ id }: { readonly id: string }) {
  const local = id.startsWith("draft_");
  const workflow = useOperation("get_workflow", { id }, { enabled: !local });
  const [opened, setOpened] = useState<EditSession | "missing" | null>(null);
  useEffect(() => {
    let gone = false;
    const take = (session: EditSession | null) => {
      // A large editor is drawn in pieces.
      if (!gone) startTransition(() => setOpened(session ?? "missing"));
    };
    if (local) void openLocal(id, () => keptDraft(id)).then(take);
    else if (workflow.data !== undefined) void openStored(id, workflow.data.workflow).then(take);
    return () => {
      gone = true;
    };
  }, [id, local, workflow.data]);
  if (opened === "missing") return <MissingDraft />;
  if (opened === null || !opened.hasId(id)) {
    return (
      <Page title="Workflow">
        {workflow.error === null ? (
          local ? null : (
            <Load query={workflow}>{() => null}</Load>
          )
        ) : (
          <Failure error={workflow.error} />
        )}
      </Page>
    );
  }
  return <Open key={opened.key} session={opened} record={local ? null : (workflow.data?.workflow ?? null)} />;
}

function MissingDraft() {
  return (
    <Page title="Workflow">
      <Panel>
        <Empty
          title="This draft is not on this device"
          action={
            <>
              <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass("primary")}>
                New workflow
              </Link>
              <Link to="/workflows" className={buttonClass("secondary")}>
                All workflows
              </Link>
            </>
          }
        >
          A draft that was not saved on the server stays in the browser it was begun in. A new one without any
          step is not kept.
        </Empty>
      </Panel>
    </Page>
  );
}

/** The editor of a session; the address follows when a draft gets its id on the server. */
function Open({ session, record }: { readonly session: EditSession; readonly record: Workflow | null }) {
  const id = useExternal(session.id);
  const navigate = useNavigate();
  const { id: shown = "" } = useParams({ strict: false });
  useEffect(() => {
    // A person who is on the way to another page, which is still loading, is not pulled back.
    const stays = window.location.pathname.endsWith(`/${shown}`);
    if (id !== shown && shown.startsWith("draft_") && stays)
      void navigate({ to: "/workflows/$id", params: { id }, replace: true, search: (before) => before });
  }, [id, shown, navigate]);
  useEffect(() => () => leave(session), [session]);
  return <Editor session={session} record={record} />;
}
