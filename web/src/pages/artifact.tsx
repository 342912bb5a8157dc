import { diff, parseExact, type FormValue } from "#forms/index.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import {
  ArrowLeft,
  ArrowLeftRight,
  CloudUpload,
  Download,
  Ellipsis,
  Link2,
  Save,
  ShieldCheck,
  Trash2,
} from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { queryClient, useToolData } from "../api/queries.ts";
import { callTool, envelopeError, toolData } from "../api/rpc.ts";
import { getDraft, removeDraft, saveDraft, updateDraft, type Draft } from "../lib/drafts.ts";
import { copyText, download } from "../lib/clipboard.ts";
import { toFragment } from "../lib/fragment.ts";
import { ago, fullTime } from "../lib/format.ts";
import { at, bagAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";

const CodeEditor = lazy(() =>
  import("../ui/code-editor.tsx").then((module) => ({ default: module.CodeEditor })),
);
const LINK_LIMIT = 16_000;

/** One artifact: a draft of this device, or a saved one with its versions. */
export function ArtifactPage() {
  const { id = "" } = useParams({ strict: false });
  return id.startsWith("draft_") ? <DraftView id={id} /> : <SavedView id={id} />;
}

function Back() {
  return (
    <Link to="/artifacts" className="mb-2 inline-flex items-center gap-1 text-sm text-ink-2 hover:text-ink">
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
  const [text, setText] = useState(() => JSON.stringify(draft.content, null, 2));
  const parsed = useMemo(() => read(text), [text]);
  const changed =
    title !== draft.title || (parsed !== null && JSON.stringify(parsed) !== JSON.stringify(draft.content));
  const keep = () => {
    if (parsed !== null)
      void updateDraft(draft, { title, content: parsed }).then(() =>
        toast("good", "Draft kept on this device"),
      );
  };
  const send = async () => {
    try {
      const content = parsed ?? draft.content;
      const saved = await track("Save artifact", (signal) =>
        draft.of === null
          ? toolData("save_artifact", { artifact: { title, type: draft.type, content } }, { signal })
          : toolData(
              "update_artifact",
              { id: draft.of.id, artifact: { title, content } },
              { signal, meta: { "svc/expectedRevision": draft.of.version } },
            ),
      );
      await removeDraft(draft.id);
      await queryClient.invalidateQueries();
      toast("good", "Saved on the server");
      void navigate({ to: "/artifacts/$id", params: { id: textAt(saved, ["artifact", "id"]) } });
    } catch (error) {
      toast("bad", "It was not saved", error instanceof Error ? error.message : "");
    }
  };
  const artifact = { title, type: draft.type, content: parsed ?? draft.content };
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
          <Button disabled={!changed || parsed === null} onClick={keep}>
            <Save /> Keep
          </Button>
          <Button look="primary" disabled={parsed === null} onClick={() => void send()}>
            <CloudUpload /> {draft.of === null ? "Save on the server" : "Save as a new version"}
          </Button>
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              ...exportEntries(artifact),
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
          <label className="mb-3 block">
            <span className="mb-1 block font-medium">Title</span>
            <input
              value={title}
              onChange={(event) => setTitle(event.target.value)}
              className="field-control"
            />
          </label>
          <Suspense>
            <CodeEditor value={text} label="Content as JSON" onChange={setText} tall />
          </Suspense>
          {parsed === null ? (
            <p role="alert" className="mt-1 text-sm text-bad">
              This is not a JSON object yet. The text stays as it is until it is one.
            </p>
          ) : null}
        </Panel>
        <Versions
          current={draft.content}
          versions={draft.versions.map((version) => ({
            label: fullTime(version.at),
            content: version.content,
          }))}
          onRestore={(content) => setText(JSON.stringify(content, null, 2))}
        />
      </div>
    </Page>
  );
}

function SavedView({ id }: { readonly id: string }) {
  const artifact = useToolData("get_artifact", { id });
  const record = bagAt(artifact.data, "artifact");
  const newest = numberAt(record, "version") ?? 1;
  const older = useQuery({
    queryKey: ["artifact", id, newest, "older"],
    enabled: newest > 1,
    queryFn: ({ signal }) =>
      Promise.all(
        Array.from({ length: Math.min(newest - 1, 12) }, async (_, back) => {
          const data = await toolData(
            "get_artifact",
            { id },
            { signal, interactive: false, meta: { "svc/version": newest - 1 - back } },
          );
          return bagAt(data, "artifact");
        }),
      ),
  });
  const navigate = useNavigate();
  const content = bagAt(record, "content");
  const title = textAt(record, "title", id);
  const remove = async () => {
    const answer = await callTool("delete_artifact", { id });
    if (!answer.ok)
      return toast("bad", "It was not deleted", envelopeError(answer.data, answer.status).message);
    await queryClient.invalidateQueries();
    toast("good", "Deleted; the digests of its versions remain");
    return navigate({ to: "/artifacts" });
  };
  const edit = () =>
    void saveDraft({
      title,
      type: textAt(record, "type"),
      content: { ...content },
      of: { id, version: numberAt(record, "version") ?? 1 },
    }).then((draft) => navigate({ to: "/artifacts/$id", params: { id: draft } }));
  return (
    <Page
      title={title}
      back={<Back />}
      lead={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone="good">saved on the server</Badge>
          <span className="font-mono text-sm break-all">{id}</span>
        </span>
      }
      actions={
        <>
          <Button onClick={edit}>Edit</Button>
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              ...exportEntries({ title, type: textAt(record, "type"), content }),
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
              { label: "Delete", icon: <Trash2 />, danger: true, onSelect: () => void remove() },
            ]}
          />
        </>
      }
    >
      <Load query={artifact}>
        {() => (
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
            <Panel title="Content">
              {isBag(at(record, "content")) ? (
                <DataView value={content} />
              ) : (
                <p className="text-ink-2">The content is shown to callers who may read it.</p>
              )}
            </Panel>
            <div className="space-y-4">
              <Panel title="Record">
                <DataView
                  value={Object.fromEntries(Object.entries(record).filter(([key]) => key !== "content"))}
                />
              </Panel>
              <Versions
                current={content}
                versions={(older.data ?? []).map((version) => ({
                  label: `Version ${numberAt(version, "version") ?? "?"}, ${fullTime(textAt(version, "updatedAt"))}`,
                  content: bagAt(version, "content"),
                }))}
              />
            </div>
          </div>
        )}
      </Load>
    </Page>
  );
}

interface VersionsProps {
  readonly current: Bag;
  readonly versions: readonly { readonly label: string; readonly content: Bag }[];
  readonly onRestore?: (content: Bag) => void;
}

function Versions({ current, versions, onRestore }: VersionsProps) {
  const [chosen, setChosen] = useState("0");
  const old = versions[Number(chosen)];
  const changes = useMemo(
    () => (old === undefined ? [] : diff(plain(old.content), plain(current))),
    [old, current],
  );
  return (
    <Panel title="Versions">
      {versions.length === 0 || old === undefined ? (
        <p className="text-ink-2">This is the only version.</p>
      ) : (
        <>
          <select
            aria-label="Version to compare with"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
            className="field-control mb-3"
          >
            {versions.map((version, index) => (
              <option key={version.label} value={String(index)}>
                {version.label}
              </option>
            ))}
          </select>
          {changes.length === 0 ? (
            <p className="text-ink-2">Nothing differs from the current one.</p>
          ) : (
            <ul className="space-y-1 font-mono text-sm">
              {changes.map((change) => (
                <li
                  key={change.op + change.path}
                  className={
                    change.op === "add" ? "text-good" : change.op === "remove" ? "text-bad" : "text-info"
                  }
                >
                  {change.op === "add" ? "+" : change.op === "remove" ? "−" : "~"}{" "}
                  {change.path === "" ? "/" : change.path}
                  {change.value === undefined ? "" : ` = ${JSON.stringify(change.value)}`}
                </li>
              ))}
            </ul>
          )}
          {onRestore === undefined ? null : (
            <Button size="sm" className="mt-3" onClick={() => onRestore(old.content)}>
              Bring this one back
            </Button>
          )}
        </>
      )}
    </Panel>
  );
}

/** Exports come from the server's own exporter, so that every client gets the same text. */
function exportEntries(artifact: Bag): readonly MenuEntry[] {
  const name = textAt(artifact, "title", "artifact")
    .replaceAll(/[^\w-]+/g, "-")
    .toLowerCase();
  const get = (format: "json" | "yaml" | "markdown") => async () => {
    try {
      const data = await toolData("export_artifact", { artifact, format });
      const text = textAt(data, "text", textAt(data, "content", JSON.stringify(data, null, 2)));
      download(`${name}.${format === "markdown" ? "md" : format}`, text, "text/plain");
    } catch (error) {
      toast("bad", "It was not exported", error instanceof Error ? error.message : "");
    }
  };
  const share = () => {
    const link = `${location.origin}/artifacts?view=shared${toFragment("artifact", JSON.stringify(artifact))}`;
    if (link.length > LINK_LIMIT)
      return toast("bad", "Too large for a link", "Export it as a file, or save it on the server.");
    return void copyText(link, "Share link copied; the content is in the link itself");
  };
  return [
    { label: "Copy share link", icon: <Link2 />, onSelect: share },
    { label: "Export as JSON", icon: <Download />, onSelect: () => void get("json")() },
    { label: "Export as YAML", icon: <Download />, onSelect: () => void get("yaml")() },
    { label: "Export as Markdown", icon: <Download />, onSelect: () => void get("markdown")() },
  ];
}

function read(text: string): Bag | null {
  try {
    const value: unknown = JSON.parse(text);
    return isBag(value) ? value : null;
  } catch {
    return null;
  }
}

function plain(value: Bag): FormValue {
  return parseExact(JSON.stringify(value));
}
