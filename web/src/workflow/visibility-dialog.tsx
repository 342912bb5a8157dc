import type { Visibility, Workflow } from "@workflow-ui/client";
import { call, useOperation } from "../api/operations.ts";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView, present } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "../lib/use-action.ts";
import { objectAt } from "../lib/read.ts";
import { titleOf } from "./document/model.ts";
import { graphOf } from "./document/read-graph.ts";

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Publishes a workflow for everybody, after a list of what becomes visible, or takes that back. */
export function VisibilityDialog({ id, onClose }: Props) {
  const { data, error } = useOperation("get_workflow_visibility", { id });
  const isPublic = data?.visibility === "public";
  const secrets = data?.secrets ?? [];
  const change = useAction({
    title: "Change visibility",
    failed: "The visibility was not changed",
    run: (visibility: Visibility, signal) => call("set_workflow_visibility", { id, visibility }, { signal }),
    done: ({ workflow }) => {
      onClose();
      return workflow.visibility === "public"
        ? "Everybody sees this workflow now"
        : "Only people here see this workflow now";
    },
  });
  return (
    <Dialog
      open
      reading
      onClose={onClose}
      title={isPublic ? "Published for everybody" : "Publish for everybody?"}
      description="Everybody who can reach this address sees this, without signing in. Never: drafts, people, fixed values, notes, or values of runs."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {isPublic ? (
            <Button look="primary" onClick={() => change.mutate("private")}>
              Unpublish
            </Button>
          ) : (
            <Button
              look="primary"
              disabled={data === undefined || secrets.length > 0}
              onClick={() => change.mutate("public")}
            >
              Publish for everybody
            </Button>
          )}
        </>
      }
    >
      {secrets.length > 0 ? (
        <p role="alert" className="mb-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          What looks like a credential keeps it from being public: {secrets.join(", ")}
        </p>
      ) : null}
      {error !== null ? <p role="alert">{error.message}</p> : null}
      {data === undefined && error === null ? <Spinner /> : null}
      {data === undefined ? null : (
        <section aria-label="What becomes visible">
          <DataView value={visibleOf(data.strangersSee)} />
        </section>
      )}
    </Dialog>
  );
}

/** What strangers see, in the words of the editor. */
function visibleOf(workflow: Workflow) {
  const { name, description, tags, publishedVersion } = workflow;
  const { nodes, inputs } = graphOf(workflow);
  return present({
    name,
    description: description === "" ? undefined : description,
    tags: tags.length === 0 ? undefined : tags.join(", "),
    version: publishedVersion,
    steps: nodes.map(titleOf).join(", "),
    inputs: Object.keys(objectAt(inputs, "properties")).join(", ") || "none",
    runs: "that they exist, their times and states",
  });
}
