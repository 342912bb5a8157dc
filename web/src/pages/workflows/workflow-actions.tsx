import type { InputOf, WorkflowSummary } from "@workflow-ui/client";
import { useNavigate } from "@tanstack/react-router";
import { Archive, ArchiveRestore, Copy, Ellipsis, Tags, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, queryClient } from "../../api/operations.ts";
import { toast, track } from "../../shell/notices.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { errorText } from "../../lib/error-text.ts";
import { InputField } from "../../ui/fields.tsx";
import { Confirm } from "../../ui/confirm.tsx";

/** What can be done with a workflow from the list: copy, tag, archive, delete. Each answer is shown. */
export function WorkflowActions({ workflow }: { readonly workflow: WorkflowSummary }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"" | "delete" | "archive" | "tags">("");
  const { id, name } = workflow;
  const isArchived = workflow.status === "archived";
  const isPublished = workflow.publishedVersion !== null;
  const act = async <T,>(title: string, done: string, work: (signal: AbortSignal) => Promise<T>) => {
    setAsking("");
    try {
      const answer = await track(title, work);
      await queryClient.invalidateQueries();
      toast("good", done);
      return answer;
    } catch (error) {
      toast("bad", `“${name}”: not done`, errorText(error));
      return undefined;
    }
  };
  const change = (title: string, done: string, part: Omit<InputOf<"update_workflow">, "id">) =>
    act(title, done, (signal) => call("update_workflow", { id, ...part }, { signal }));
  const duplicate = async () => {
    const made = await act("Duplicate workflow", `“${name}” was copied`, async (signal) => {
      const { workflow: found } = await call("get_workflow", { id }, { signal });
      const copied = { document: found.document, name: `${name.slice(0, 180)} (copy)`, save: true };
      return call("import_workflow", copied, { signal });
    });
    const copy = made?.workflow?.id;
    if (copy !== undefined) void navigate({ to: "/workflows/$id", params: { id: copy } });
  };
  const remove = () =>
    void act("Delete workflow", `“${name}” was deleted`, (signal) =>
      call("delete_workflow_draft", { id }, { signal }),
    );
  const archive = () => void change("Archive workflow", `“${name}” was archived`, { status: "archived" });
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`More for ${name}`}>
            <Ellipsis />
          </IconButton>
        }
        entries={[
          { label: "Duplicate", icon: <Copy />, onSelect: () => void duplicate() },
          { label: "Tags", icon: <Tags />, onSelect: () => setAsking("tags") },
          isArchived
            ? {
                label: "Bring back",
                icon: <ArchiveRestore />,
                onSelect: () =>
                  void change("Bring workflow back", `“${name}” is back`, {
                    status: isPublished ? "published" : "draft",
                  }),
              }
            : { label: "Archive", icon: <Archive />, onSelect: () => setAsking("archive") },
          null,
          { label: "Delete", icon: <Trash2 />, danger: true, onSelect: () => setAsking("delete") },
        ]}
      />
      <Dialog
        open={asking === "delete"}
        onClose={() => setAsking("")}
        title={`Delete “${name}”?`}
        description={
          isPublished
            ? "A published workflow cannot be deleted, because versions and runs refer to it. It can be archived."
            : "The draft is deleted for everybody. This cannot be undone."
        }
        footer={
          <>
            <Button onClick={() => setAsking("")}>Keep it</Button>
            {isPublished ? (
              isArchived ? null : (
                <Button look="primary" onClick={archive}>
                  Archive it
                </Button>
              )
            ) : (
              <Button look="danger" onClick={remove}>
                Delete it
              </Button>
            )}
          </>
        }
      >
        <p>A workflow that ran cannot be deleted either: its runs stay readable.</p>
      </Dialog>
      <Confirm
        open={asking === "archive"}
        onClose={() => setAsking("")}
        title={`Archive “${name}”?`}
        description="It starts no new runs and leaves the list. Its versions and runs stay, and it can be brought back."
        act="Archive it"
        look="primary"
        onAct={archive}
      >
        <p>Runs that are under way go on.</p>
      </Confirm>
      {asking === "tags" ? (
        <TagsDialog
          name={name}
          tags={workflow.tags}
          onClose={() => setAsking("")}
          onSave={(tags) => void change("Change tags", `The tags of “${name}” were changed`, { tags })}
        />
      ) : null}
    </>
  );
}

function TagsDialog({
  name,
  tags,
  onClose,
  onSave,
}: {
  readonly name: string;
  readonly tags: readonly string[];
  readonly onClose: () => void;
  readonly onSave: (tags: readonly string[]) => void;
}) {
  const [text, setText] = useState(tags.join(", "));
  const given = [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Tags of “${name}”`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={() => onSave(given)}>
            Save the tags
          </Button>
        </>
      }
    >
      <InputField label="Tags, separated by commas" dir="auto" data-autofocus value={text} onText={setText} />
    </Dialog>
  );
}
