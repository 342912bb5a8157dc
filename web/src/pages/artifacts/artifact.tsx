import { isObject, plainJson } from "#kernel/json.ts";
import type { Artifact } from "@workflow-ui/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, ArrowLeftRight, CloudUpload, Ellipsis, Save, ShieldCheck, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { call, useOperation } from "../../api/operations.ts";
import { getDraft, removeDraft, saveDraft, updateDraft, type Draft } from "../../lib/drafts.ts";
import { toFragment } from "../../lib/fragment.ts";
import { ago, fullTime } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { ResultView } from "../../runs/result-view.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { ContentEditor } from "./artifact-content.tsx";
import { contentOf, membersOf, SERVICE_MEMBERS, soleText } from "./artifact-members.ts";
import { Reopen } from "./artifact-reopen.tsx";
import { PRIVACY, useExports } from "./artifact-share.tsx";
import { Versions } from "./artifact-versions.tsx";
import { useAction } from "../../lib/use-action.ts";
import { errorText } from "../../lib/error-text.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { InputField, SelectField } from "../../ui/fields.tsx";
import { Confirm } from "../../ui/confirm.tsx";

/** One artifact: a draft of this device, or a saved one with its versions. */
export function ArtifactPage() {
  const { id = "" } = useParams({ strict: false });
  return id.startsWith("draft_") ? <DraftView id={id} /> : <SavedView id={id} />;
}

function Back() {
  return (
    <Link
      to="/artifacts"
      className="mb-2 inline-flex min-h-6 items-center gap-1 text-sm text-ink-2 hover:text-ink"
    >
      <ArrowLeft aria-hidden className="size-4" /> Artifacts
    </Link>
  );
}

function DraftView({ id }: { readonly id: string }) {
  const draft = useQuery({ queryKey: ["drafts", id], queryFn: () => getDraft(id) });
  if (draft.data === undefined) return null;
  if (draft.data === null) {
    return (
      <Page title="Draft" back={<Back />}>
        <Empty title="This draft is not on this device">
          Drafts live in one browser. Ask for a share link or a saved artifact.
        </Empty>
      </Page>
    );
  }
  return <EditDraft key={draft.data.updatedAt} draft={draft.data} />;
}

function EditDraft({ draft }: { readonly draft: Draft }) {
  const navigate = useNavigate();
  const [title, setTitle] = useState(draft.title);
  const [privacy, setPrivacy] = useState(draft.privacy);
  const [text, setText] = useState(() => JSON.stringify(draft.content, null, 2));
  // What is restored is another content, so its editor begins again.
  const [restored, setRestored] = useState(0);
  const parsed = useMemo(() => parseJson(text), [text]);
  // JSON's null is a content too.
  const content = parsed === undefined ? draft.content : parsed;
  const changed =
    title !== draft.title ||
    privacy !== draft.privacy ||
    (parsed !== undefined && JSON.stringify(parsed) !== JSON.stringify(draft.content));
  const keep = () => {
    if (parsed !== undefined)
      void updateDraft(draft, { title, privacy, content: parsed }).then(
        () => toast("good", "Draft kept on this device"),
        notSaved,
      );
  };
  const send = useAction({
    title: "Save artifact",
    failed: "It was not saved",
    run: async (_, signal) => {
      const saved = await (draft.of === null
        ? call(
            "save_artifact",
            { artifact: plainJson({ title, type: draft.type, privacy, content }) },
            { signal },
          )
        : call(
            "update_artifact",
            {
              id: draft.of.id,
              artifact: plainJson(
                draft.of.isSpread && isObject(content)
                  ? { ...content, title, privacy }
                  : { title, privacy, content },
              ),
            },
            { signal, meta: { "svc/expectedRevision": draft.of.version } },
          ));
      await removeDraft(draft.id);
      return saved.artifact;
    },
    done: ({ id }) => {
      void navigate({ to: "/artifacts/$id", params: { id } });
      return "Saved on the server";
    },
  });
  const out = useExports({ title, type: draft.type, privacy, content });
  return (
    <Page
      title={draft.title}
      back={<Back />}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone="info">
            {draft.of === null
              ? "draft on this device"
              : `edit of version ${draft.of.version}, on this device`}
          </Badge>{" "}
          changed {ago(draft.updatedAt)}
        </span>
      }
      actions={
        <>
          <Reopen id={draft.id} type={draft.type} content={draft.content} />
          <Button disabled={!changed || parsed === undefined} onClick={keep}>
            <Save /> Keep
          </Button>
          <ButtonFor
            op="save_artifact"
            look="primary"
            busy={send.isPending}
            disabled={parsed === undefined}
            onClick={() => send.mutate()}
          >
            <CloudUpload /> {draft.of === null ? "Save on the server" : "Save as a new version"}
          </ButtonFor>
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              ...out.entries,
              null,
              {
                label: "Forget this draft",
                icon: <Trash2 />,
                danger: true,
                onSelect: () => void removeDraft(draft.id).then(() => navigate({ to: "/artifacts" })),
              },
            ]}
          />
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        <Panel title="Content">
          <InputField label="Title" className="mb-3" value={title} onText={setTitle} />
          <SelectField
            label="Who may read it"
            className="mb-3"
            value={privacy}
            options={PRIVACY}
            onChoose={setPrivacy}
          />
          <ContentEditor key={restored} text={text} content={parsed} onChange={setText} />
          {out.dialog}
          {parsed === undefined ? (
            <p role="alert" className="mt-1 text-sm text-bad">
              This is not JSON yet. The text stays as it is until it is.
            </p>
          ) : null}
        </Panel>
        <Versions
          current={draft.content}
          versions={draft.versions.map((version) => ({
            label: fullTime(version.at),
            content: version.content,
          }))}
          onRestore={(content) => {
            setText(JSON.stringify(content, null, 2));
            setRestored(restored + 1);
          }}
        />
      </div>
    </Page>
  );
}

function SavedView({ id }: { readonly id: string }) {
  const artifact = useOperation("get_artifact", { id });
  const record: Partial<Artifact> = artifact.data?.artifact ?? {};
  const { title = id, type = "", privacy = "internal", version: newest = 1 } = record;
  const older = useQuery({
    queryKey: ["artifact", id, newest, "older"],
    enabled: newest > 1,
    queryFn: ({ signal }) =>
      Promise.all(
        Array.from({ length: Math.min(newest - 1, 12) }, async (_, back) => {
          const data = await call(
            "get_artifact",
            { id },
            { signal, interactive: false, meta: { "svc/version": newest - 1 - back } },
          );
          return data.artifact;
        }),
      ),
  });
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const content = contentOf(record);
  const out = useExports({ title, type, privacy, content });
  const remove = useAction({
    title: "Delete artifact",
    failed: "It was not deleted",
    run: (_, signal) => call("delete_artifact", { id }, { signal }),
    done: () => {
      void navigate({ to: "/artifacts" });
      return "Deleted; the digests of its versions remain";
    },
  });
  const edit = (from: unknown) =>
    void saveDraft({
      title,
      type,
      privacy,
      content: from,
      of: { id, version: newest, isSpread: !("content" in record) },
    }).then((draft) => navigate({ to: "/artifacts/$id", params: { id: draft } }), notSaved);
  return (
    <Page
      title={title}
      back={<Back />}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone="good">saved on the server</Badge>
          <Badge tone={privacy === "public" ? "info" : "neutral"}>{privacy}</Badge>
          <span>
            version {newest}, saved {ago(record.updatedAt)}
          </span>
        </span>
      }
      actions={
        <>
          <Reopen id={id} type={type} content={content} />
          <ButtonFor op="update_artifact" onClick={() => edit(content)}>
            Edit
          </ButtonFor>
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              ...out.entries,
              {
                label: "Hand over",
                icon: <ArrowLeftRight />,
                onSelect: () =>
                  void navigate({
                    to: "/handoffs",
                    search: { view: "compose" },
                    hash: toFragment("artifact", JSON.stringify({ id, title })).slice(1),
                  }),
              },
              {
                label: "Provenance",
                icon: <ShieldCheck />,
                onSelect: () => void navigate({ to: "/provenance", search: { by: "artifactId", value: id } }),
              },
              null,
              { label: "Delete", icon: <Trash2 />, danger: true, onSelect: () => setDeleting(true) },
            ]}
          />
        </>
      }
    >
      {out.dialog}
      <Confirm
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete “${title}”?`}
        description="All its versions are deleted for everybody. This cannot be undone; the digests stay in the log."
        act="Delete it"
        onAct={() => {
          setDeleting(false);
          remove.mutate();
        }}
      >
        <p>Export it first if you may need it again.</p>
      </Confirm>
      <Load query={artifact}>
        {() => (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
            <Panel title="Content">
              {"redacted" in record ? (
                <p className="text-ink-2">The content is shown to callers who may read it.</p>
              ) : (
                <ResultView value={soleText(content)} name={title} />
              )}
              {"content" in record && Object.keys(membersOf(record)).length > 0 ? (
                <div className="mt-4 border-t border-line pt-3">
                  <DataView value={membersOf(record)} />
                </div>
              ) : null}
            </Panel>
            <div className="space-y-4">
              <details className="panel px-4 py-2">
                <summary className="text-sm text-ink-2">Details</summary>
                <DataView
                  value={Object.fromEntries(
                    Object.entries(record).filter(([key]) => SERVICE_MEMBERS.has(key)),
                  )}
                />
              </details>
              {newest === 1 ? (
                <Versions current={content} versions={[]} />
              ) : (
                <Load query={older}>
                  {(versions) => (
                    <Versions
                      current={content}
                      versions={versions.map((version) => ({
                        label: `Version ${version.version ?? "?"}, ${fullTime(version.updatedAt)}`,
                        content: contentOf(version),
                      }))}
                      onRestore={edit}
                    />
                  )}
                </Load>
              )}
            </div>
          </div>
        )}
      </Load>
    </Page>
  );
}

function notSaved(error: unknown): void {
  toast("bad", "It was not kept on this device", errorText(error));
}
