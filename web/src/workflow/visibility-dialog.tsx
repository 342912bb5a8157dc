import { useQuery } from "@tanstack/react-query";
import { queryClient } from "../api/queries.ts";
import { rest } from "../api/rpc.ts";
import { bagAt, listAt, textAt } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Button, Spinner } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface Props {
  readonly id: string;
  readonly onClose: () => void;
}

/** Makes a workflow public or private again, after showing exactly what strangers see of it then. */
export function VisibilityDialog({ id, onClose }: Props) {
  const path = `/api/svc/workflows/${encodeURIComponent(id)}/visibility`;
  const { data, error } = useQuery({ queryKey: ["visibility", id], queryFn: () => rest(path), gcTime: 0 });
  const found = bagAt(data, "data");
  const isPublic = textAt(found, "visibility") === "public";
  const secrets = listAt(found, "secrets");
  const change = async (visibility: "public" | "private") => {
    onClose();
    try {
      await track(visibility === "public" ? "Make public" : "Make private", (signal) =>
        rest(path, { signal, method: "PATCH", body: { visibility }, interactive: true }),
      );
      toast("good", visibility === "public" ? "The workflow is public" : "The workflow is private");
      await queryClient.invalidateQueries();
    } catch (failure) {
      toast("bad", "Not changed", failure instanceof Error ? failure.message : "");
    }
  };
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
            <Button look="primary" onClick={() => void change("private")}>
              Make private
            </Button>
          ) : (
            <Button
              look="primary"
              disabled={data === undefined || secrets.length > 0}
              onClick={() => void change("public")}
            >
              Make public
            </Button>
          )}
        </>
      }
    >
      {secrets.length > 0 ? (
        <p role="alert" className="mb-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          What looks like a credential keeps it from being public: {secrets.map(String).join(", ")}
        </p>
      ) : null}
      {error !== null ? <p role="alert">{error.message}</p> : null}
      {data === undefined && error === null ? <Spinner /> : null}
      {data === undefined ? null : (
        <pre aria-label="What strangers see" className="max-h-96 overflow-auto text-xs">
          {JSON.stringify(bagAt(found, "strangersSee"), null, 2)}
        </pre>
      )}
    </Dialog>
  );
}
