import type { OutputOf, Workflow } from "@workflow-ui/client";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  ArrowLeft,
  Cloud,
  CloudOff,
  Download,
  Ellipsis,
  Globe,
  Redo2,
  Save,
  ShieldCheck,
  TriangleAlert,
  Undo2,
} from "lucide-react";
import { useState } from "react";
import { call } from "../api/operations.ts";
import { useRefusal } from "../api/rights.ts";
import { session as keySession } from "../api/session.ts";
import { download } from "../lib/clipboard.ts";
import { useExternal } from "../lib/external.ts";
import { toast } from "../shell/notices.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { ButtonFor } from "../ui/button-for.tsx";
import { IconButton, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { EXPORT_FORMATS, exportWorkflow } from "./document/export.ts";
import { DryRunResult, RunButtons } from "./run-buttons.tsx";
import type { EditSession } from "./document/session.ts";
import type { DryRunner } from "./use-dry-runner.ts";
import { foundWords, type Verdict } from "./use-verdict.ts";
import { PublishChangesDialog, newsOf, VisibilityDialog } from "./visibility-dialog.tsx";
import { useAction } from "../lib/use-action.ts";

interface Props {
  readonly session: EditSession;
  readonly record: Workflow | null;
  readonly errors: number;
  readonly verdict: Verdict;
  readonly dryRunner: DryRunner;
}

/** Name, state and actions of the workflow that is edited. */
export function EditorHeader({ session, record, errors, verdict, dryRunner }: Props) {
  const { store } = session;
  const draft = useExternal(store);
  const navigate = useNavigate();
  const address = useExternal(session.id);
  const stored = !address.startsWith("draft_");
  const id = stored ? address : "";
  const version = record?.publishedVersion ?? null;
  const { keyed } = useExternal(keySession);
  const status = useExternal(session.status);
  const [asking, setAsking] = useState(false);
  const mayWrite = useRefusal()("publish_version") === "";
  const isPublic = record?.visibility === "public";
  const [changes, setChanges] = useState<OutputOf<"get_workflow_visibility"> | null>(null);
  const publish = useAction({
    title: "Publish workflow",
    failed: "It was not published",
    run: async (listed: OutputOf<"get_workflow_visibility"> | null, signal) => {
      setChanges(null);
      const saved = listed === null ? await session.save(true) : session.id.get();
      if (saved === "") return null;
      if (!isPublic || listed !== null)
        return call(
          "publish_version",
          { id: saved, ...(listed !== null && { revision: listed.revision }) },
          { signal },
        );
      const seen = await call("get_workflow_visibility", { id: saved }, { signal });
      if (Object.keys(newsOf(seen)).length === 0)
        return call("publish_version", { id: saved, revision: seen.revision }, { signal });
      setChanges(seen);
      return null;
    },
    done: (made) =>
      made === null
        ? undefined
        : `Version ${made.version.version} is published for ${made.workflow.visibility === "public" ? "everybody" : "people here"}`,
  });
  const save = async () => {
    if ((await session.save(true)) !== "") toast("good", "Saved on the server");
  };
  return (
    <header className="mb-2">
      <Link
        to="/workflows"
        className="mb-1 inline-flex min-h-6 items-center gap-1 text-sm text-ink-2 hover:text-ink"
      >
        <ArrowLeft aria-hidden className="size-4" /> Workflows
      </Link>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="sr-only">{draft.name}</h1>
        <input
          aria-label="Name of the workflow"
          dir="auto"
          value={draft.name}
          onChange={(event) => store.change("name", (now) => ({ ...now, name: event.target.value }))}
          className="-ml-1.5 min-w-0 flex-1 basis-72 rounded-md border border-transparent bg-transparent px-1.5 py-0.5 text-xl font-semibold hover:border-line focus-visible:outline-offset-0"
        />
        <div className="flex flex-wrap items-center gap-2">
          <span className="flex items-center gap-1.5">
            {verdict.checking ? <Spinner className="text-ink-3" /> : null}
            {draft.graph.nodes.length === 0 ? null : verdict.problems.length > 0 ? (
              <Badge tone={errors > 0 ? "bad" : "warn"}>{foundWords(verdict)}</Badge>
            ) : (
              <Badge tone="good">no errors</Badge>
            )}
            {version === null ? <Badge>draft</Badge> : <Badge tone="good">version {version}</Badge>}
          </span>
          <SaveStatus session={session} />
          <IconButton label="Undo" disabled={!store.canUndo()} onClick={store.undo}>
            <Undo2 />
          </IconButton>
          <IconButton label="Redo" disabled={!store.canRedo()} onClick={store.redo}>
            <Redo2 />
          </IconButton>
          {stored && keyed ? null : (
            <ButtonFor op="create_workflow" onClick={() => void save()}>
              <Save /> Save draft
            </ButtonFor>
          )}
          <RunButtons
            session={session}
            version={version}
            audience={isPublic ? "everybody" : "people here"}
            isRenamed={record !== null && (record.hasNewTexts === true || record.name !== draft.name)}
            errors={errors}
            dryRunner={dryRunner}
            busyPublishing={publish.isPending}
            onPublish={() => publish.mutate(null)}
          />
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              {
                label: isPublic ? "Unpublish for everybody" : "Publish for everybody",
                icon: <Globe />,
                disabled: id === "" || version === null || !mayWrite,
                onSelect: () => setAsking(true),
              },
              {
                label: "Provenance",
                icon: <ShieldCheck />,
                disabled: id === "",
                onSelect: () => void navigate({ to: "/provenance", search: { by: "workflowId", value: id } }),
              },
              null,
              ...EXPORT_FORMATS.map(({ format, label }) => ({
                label: `Export as ${label}`,
                icon: <Download />,
                disabled: id === "",
                onSelect: () => void session.save(true).then(() => exportWorkflow(id, format)),
              })),
              {
                label: "Download JSON",
                icon: <Download />,
                onSelect: () =>
                  download(
                    `${draft.name}.json`,
                    JSON.stringify(
                      { schemaVersion: "suite.workflow.v1", name: draft.name, ...draft.graph },
                      null,
                      2,
                    ),
                  ),
              },
            ]}
          />
          {changes === null ? null : (
            <PublishChangesDialog
              seen={changes}
              onPublish={() => publish.mutate(changes)}
              onClose={() => setChanges(null)}
            />
          )}
          {asking ? <VisibilityDialog id={id} onClose={() => setAsking(false)} /> : null}
        </div>
      </div>
      <DryRunResult dryRunner={dryRunner} />
      {status.state === "failed" ? (
        <p role="status" className="mt-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          The server did not take the last changes. They are safe on this device and are sent again by
          themselves every few seconds. You can go on working.
        </p>
      ) : null}
      {status.state === "refused" ? (
        <p role="status" className="mt-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          The server refused the last changes: {status.message} They are safe on this device and are sent
          again with your next change.
        </p>
      ) : null}
    </header>
  );
}

const STATUS = {
  saved: { text: "Saved", icon: <Cloud /> },
  device: { text: "Saved on this device", icon: <CloudOff /> },
  saving: { text: "Saving…", icon: <Spinner /> },
  failed: { text: "Saved on this device only", icon: <TriangleAlert /> },
  refused: { text: "Saved on this device only", icon: <TriangleAlert /> },
  conflict: { text: "Changed by another person", icon: <TriangleAlert /> },
} as const;

/** Where the draft is safe: on the server, or on this device so far. */
function SaveStatus({ session }: { readonly session: EditSession }) {
  const { state, message } = useExternal(session.status);
  const { text, icon } = STATUS[state];
  const refusal = useRefusal()("update_workflow");
  if (refusal !== "") return <span className="text-sm text-ink-2">{refusal}</span>;
  return (
    <span
      role="status"
      title={message === "" ? undefined : message}
      className="flex items-center gap-1.5 text-sm text-ink-2 [&_svg]:size-4"
    >
      {icon}
      {text}
    </span>
  );
}
