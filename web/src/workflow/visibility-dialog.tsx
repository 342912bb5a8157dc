import type { OutputOf, Visibility, Workflow } from "@workflow-ui/client";
import { call, useOperation } from "../api/operations.ts";
import { Button, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { DataView, present } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "../lib/use-action.ts";
import { isObject } from "#kernel/json.ts";
import { objectAt } from "../lib/read.ts";
import { titleOf, type DraftNode } from "./document/model.ts";
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

/** Who sees a workflow, and what of it. */
type VisibilityView = OutputOf<"get_workflow_visibility">;

/** Publishes the next version of a public workflow after a list of what of it is new to strangers. */
export function PublishChangesDialog({
  seen,
  onPublish,
  onClose,
}: {
  readonly seen: VisibilityView;
  readonly onPublish: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Confirm
      open
      reading
      onClose={onClose}
      title="Publish for everybody?"
      description="With this version everybody, also without signing in, sees this for the first time:"
      keep="Cancel"
      look="primary"
      act="Publish for everybody"
      onAct={onPublish}
    >
      <section aria-label="What becomes visible">
        <DataView value={newsOf(seen)} />
      </section>
    </Confirm>
  );
}

/** What strangers would see for the first time once the draft is published. */
export function newsOf({ strangersSee, afterPublishing }: VisibilityView): Readonly<Record<string, unknown>> {
  const before = new Set(Object.values(textsOf(strangersSee)).flat());
  const parts = Object.entries(textsOf(afterPublishing)).map(([part, texts]) => [
    part,
    [...new Set(texts)].filter((text) => !before.has(text)).join(", "),
  ]);
  return present(Object.fromEntries(parts));
}

/** The texts that people wrote, by the part of the workflow that they are in. */
function textsOf(workflow: Workflow): Readonly<Record<string, readonly string[]>> {
  const { name, description, tags } = workflow;
  const { nodes, inputs, outputs } = graphOf(workflow);
  return {
    name: [name],
    description: [description],
    tags,
    steps: nodes.flatMap(stepTexts),
    inputs: schemaTexts(inputs),
    outputs: Object.keys(outputs ?? {}),
  };
}

function stepTexts(node: DraftNode): readonly string[] {
  const cases = (node.cases ?? []).map(({ name }) => name);
  return [titleOf(node), node.id, ...cases, ...(node.map?.body?.nodes ?? []).flatMap(stepTexts)];
}

/** Names, titles and fixed choices in a schema; not the kinds of its values. */
function schemaTexts(schema: unknown): readonly string[] {
  if (typeof schema === "string") return [schema];
  if (Array.isArray(schema)) return schema.flatMap(schemaTexts);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "type" || key === "format" || key === "required"
      ? []
      : key === "properties"
        ? Object.entries(objectAt(value)).flatMap(([name, inner]) => [name, ...schemaTexts(inner)])
        : schemaTexts(value),
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
