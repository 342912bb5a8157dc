import type { Visibility } from "@workflow-ui/client";
import { call, useOperation } from "../api/operations.ts";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "../lib/use-action.ts";

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Makes a workflow public or private again, after showing exactly what strangers see of it then. */
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
      return `The workflow is ${workflow.visibility}`;
    },
  });
  return (
    <Dialog
      open
      reading
      onClose={onClose}
      title={isPublic ? "This workflow is public" : "Make this workflow public?"}
      description="Everybody sees this of its published version, and that its runs exist and how far they are. Never people, fixed values, notes or values of runs."
      footer={
        <>
          <Button onClick={onClose}>{isPublic ? "Keep it public" : "Keep it private"}</Button>
          {isPublic ? (
            <Button look="primary" onClick={() => change.mutate("private")}>
              Make private
            </Button>
          ) : (
            <Button
              look="primary"
              disabled={data === undefined || secrets.length > 0}
              onClick={() => change.mutate("public")}
            >
              Make public
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
        <pre aria-label="What strangers see" className="max-h-96 overflow-auto text-xs">
          {JSON.stringify(data.strangersSee, null, 2)}
        </pre>
      )}
    </Dialog>
  );
}
