import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import {
  ArrowLeft,
  Download,
  Ellipsis,
  Globe,
  Plus,
  Redo2,
  Save,
  ShieldCheck,
  Trash2,
  Undo2,
} from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { queryClient } from "../api/queries.ts";
import { toolData } from "../api/rpc.ts";
import { saveDraft } from "../lib/drafts.ts";
import { download } from "../lib/clipboard.ts";
import { useExternal } from "../lib/external.ts";
import { bagsAt, numberAt, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { Button, IconButton, Spinner } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { DocumentTab } from "./document-tab.tsx";
import { EXPORT_FORMATS, exportWorkflow } from "./export.ts";
import { type GraphStore } from "./graph-store.ts";
import { Inspector } from "./inspector.tsx";
import { KIND_ICONS } from "./kind-icons.ts";
import { addNode, freeId, NODE_KINDS, place, removeNode, replaceNode, connect, type Graph } from "./model.ts";
import { Outline } from "./outline.tsx";
import { PlanTab, ProblemsTab, RunsTab, VersionsTab } from "./panels.tsx";
import { RunButtons } from "./run-buttons.tsx";
import { graphCall, useVerdict } from "./use-verdict.ts";

const Canvas = lazy(() => import("./canvas.tsx").then((module) => ({ default: module.Canvas })));

/** Draws, lists, checks, plans, saves and runs one workflow. */
export function Editor({ store, record }: { readonly store: GraphStore; readonly record: Bag | null }) {
  const draft = useExternal(store);
  const { graph } = draft;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const verdict = useVerdict(graph);
  const errors = verdict.problems.filter(
    (problem) => textAt(problem, "severity", "error") === "error",
  ).length;
  const tab = search.tab ?? "edit";
  useEffect(() => {
    document.title = `${draft.name} · Workflow-UI`;
  }, [draft.name]);
  const change = (label: string, next: (graph: Graph) => Graph) =>
    store.change(label, (now) => ({ ...now, graph: next(now.graph) }));
  const go = (node: string) =>
    void navigate({ to: ".", replace: true, search: (before) => ({ ...before, tab: undefined, node }) });
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- undo and redo for whatever has the focus inside
    <div
      className="flex min-h-[calc(100dvh-3rem)] flex-col px-4 pt-4 pb-6 sm:px-6"
      onKeyDown={(event) => {
        if (
          !(event.ctrlKey || event.metaKey) ||
          event.key.toLowerCase() !== "z" ||
          event.defaultPrevented ||
          isField(event.target)
        )
          return;
        event.preventDefault();
        if (event.shiftKey) store.redo();
        else store.undo();
      }}
    >
      <Header store={store} record={record} errors={errors} checking={verdict.checking} />
      <Tabs
        label="Parts of the workflow"
        value={tab}
        onChange={(next) =>
          void navigate({
            to: ".",
            replace: true,
            search: (before) => ({ ...before, tab: next === "edit" ? undefined : next }),
          })
        }
        items={[
          {
            id: "edit",
            label: "Edit",
            content: <EditTab graph={graph} problems={verdict.byNode} onChange={change} />,
          },
          {
            id: "problems",
            label: "Problems",
            badge:
              verdict.problems.length === 0 ? null : (
                <Badge tone={errors > 0 ? "bad" : "warn"}>{verdict.problems.length}</Badge>
              ),
            content: <ProblemsTab verdict={verdict} graph={graph} onGo={go} />,
          },
          { id: "plan", label: "Plan", content: <PlanTab verdict={verdict} onGo={go} /> },
          ...(record === null
            ? []
            : [
                { id: "runs", label: "Runs", content: <RunsTab workflowId={textAt(record, "id")} /> },
                { id: "versions", label: "Versions", content: <VersionsTab record={record} /> },
              ]),
          {
            id: "document",
            label: "Document",
            content: <DocumentTab draft={draft} onChange={(next) => store.change("document", () => next)} />,
          },
        ]}
      />
    </div>
  );
}

function Header({
  store,
  record,
  errors,
  checking,
}: {
  readonly store: GraphStore;
  readonly record: Bag | null;
  readonly errors: number;
  readonly checking: boolean;
}) {
  const draft = useExternal(store);
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const id = textAt(record, "id");
  const save = async (): Promise<string> => {
    setBusy(true);
    try {
      const { args, meta } = graphCall(draft.graph);
      const fields = { name: draft.name, description: draft.description, tags: draft.tags, ...args };
      const saved =
        id === ""
          ? await track("Save workflow", (signal) => toolData("create_workflow", fields, { meta, signal }))
          : await track("Save workflow", (signal) =>
              toolData(
                "update_workflow",
                { id, ...fields },
                {
                  meta: { ...meta, "svc/expectedRevision": numberAt(record, "revision") ?? undefined },
                  signal,
                },
              ),
            );
      const made = textAt(saved, ["workflow", "id"], textAt(saved, "id", id));
      toast("good", "Saved on the server");
      await queryClient.invalidateQueries({
        predicate: (query) => JSON.stringify(query.queryKey).includes("workflow"),
      });
      if (id === "") void navigate({ to: "/workflows/$id", params: { id: made } });
      return made;
    } catch (error) {
      toast("bad", "It was not saved", error instanceof Error ? error.message : "");
      return "";
    } finally {
      setBusy(false);
    }
  };
  const publish = async () => {
    try {
      await track("Publish workflow", (signal) => toolData("publish_workflow", { id }, { signal }));
      toast("good", "Published: this version never changes");
      await queryClient.invalidateQueries();
    } catch (error) {
      toast("bad", "It was not published", error instanceof Error ? error.message : "");
    }
  };
  const keepLocal = () =>
    void saveDraft({
      title: draft.name,
      type: "workflow",
      content: JSON.parse(
        JSON.stringify({ ...draft.graph, description: draft.description, tags: draft.tags }),
      ),
    }).then(() => toast("good", "Kept as a draft on this device"));
  return (
    <header className="mb-2">
      <Link to="/workflows" className="mb-1 inline-flex items-center gap-1 text-sm text-ink-2 hover:text-ink">
        <ArrowLeft aria-hidden className="size-4" /> Workflows
      </Link>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="sr-only">{draft.name}</h1>
        <input
          aria-label="Name of the workflow"
          value={draft.name}
          onChange={(event) => store.change("name", (now) => ({ ...now, name: event.target.value }))}
          className="-ml-1.5 min-w-0 flex-1 basis-72 rounded-md border border-transparent bg-transparent px-1.5 py-0.5 text-xl font-semibold hover:border-line focus-visible:outline-offset-0"
        />
        <div className="flex flex-wrap items-center gap-2">
          <span className="flex items-center gap-1.5">
            {checking ? <Spinner className="text-ink-3" /> : null}
            {errors > 0 ? (
              <Badge tone="bad">{errors === 1 ? "1 error" : `${errors} errors`}</Badge>
            ) : (
              <Badge tone="good">no errors</Badge>
            )}
            {record === null ? (
              <Badge tone="info">not saved</Badge>
            ) : (
              <StateBadge state={textAt(record, "status", "draft")} />
            )}
          </span>
          <IconButton label="Undo" disabled={!store.canUndo()} onClick={store.undo}>
            <Undo2 />
          </IconButton>
          <IconButton label="Redo" disabled={!store.canRedo()} onClick={store.redo}>
            <Redo2 />
          </IconButton>
          <Button busy={busy} onClick={() => void save()}>
            <Save /> Save
          </Button>
          <RunButtons draft={draft} id={id} save={save} />
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis />
              </IconButton>
            }
            entries={[
              {
                label: "Publish",
                icon: <Globe />,
                disabled: id === "" || errors > 0,
                onSelect: () => void publish(),
              },
              {
                label: "Provenance",
                icon: <ShieldCheck />,
                disabled: id === "",
                onSelect: () => void navigate({ to: "/provenance", search: { by: "workflowId", value: id } }),
              },
              null,
              { label: "Keep on this device", icon: <Save />, onSelect: keepLocal },
              ...EXPORT_FORMATS.map(({ format, label }) => ({
                label: `Export as ${label}`,
                icon: <Download />,
                disabled: id === "",
                onSelect: () => void exportWorkflow(id, format),
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
        </div>
      </div>
    </header>
  );
}

interface EditProps {
  readonly graph: Graph;
  readonly problems: ReadonlyMap<string, number>;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
}

function EditTab({ graph, problems, onChange }: EditProps) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = search.view === "outline" ? "outline" : "canvas";
  const selected = search.node ?? "";
  const node = graph.nodes.find((item) => textAt(item, "id") === selected);
  const select = (id: string) =>
    void navigate({
      to: ".",
      replace: true,
      search: (before) => ({ ...before, node: id === "" ? undefined : id }),
    });
  const known = useMemo(() => references(graph, selected), [graph, selected]);
  const add = (kind: (typeof NODE_KINDS)[number]) => {
    const id = freeId(graph, kind.type);
    onChange(`add ${id}`, (now) =>
      addNode(
        now,
        { id, type: kind.type, ...kind.start },
        selected !== "" ? selected : textAt(now.nodes.at(-1), "id"),
      ),
    );
    select(id);
  };
  return (
    <div className="grid min-h-0 gap-4 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]">
      <section aria-label="Graph" className="panel min-w-0 overflow-hidden">
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
          <Menu
            align="start"
            trigger={
              <Button size="sm" look="primary">
                <Plus /> Add step
              </Button>
            }
            entries={NODE_KINDS.map((kind) => {
              const Icon = KIND_ICONS[kind.type];
              return {
                label: kind.label,
                icon: Icon === undefined ? null : <Icon />,
                onSelect: () => add(kind),
              };
            })}
          />
          <span className="flex-1" />
          <Segmented
            label="Show the graph as"
            value={view}
            onChange={(next) =>
              void navigate({
                to: ".",
                replace: true,
                search: (before) => ({ ...before, view: next === "canvas" ? undefined : next }),
              })
            }
            options={[
              { value: "canvas", label: "Canvas" },
              { value: "outline", label: "Outline" },
            ]}
          />
        </div>
        {view === "outline" ? (
          <Outline
            graph={graph}
            problems={problems}
            selected={selected}
            onSelect={select}
            onChange={onChange}
          />
        ) : (
          <div className="relative h-[60vh] min-h-80 lg:h-[calc(100dvh-17rem)]">
            <Suspense>
              <Canvas
                nodes={graph.nodes}
                edges={graph.edges}
                ui={graph.ui}
                problems={problems}
                selected={selected}
                onSelect={select}
                onMove={(spots) => onChange("move", (now) => place(now, spots))}
                onConnect={(from, to) => onChange(`connect ${from}`, (now) => connect(now, from, to))}
                onDelete={(nodes, edges) =>
                  onChange("delete", (now) => {
                    const left = nodes.reduce(removeNode, now);
                    return {
                      ...left,
                      edges: left.edges.filter((edge) => !edges.includes(textAt(edge, "id"))),
                    };
                  })
                }
              />
            </Suspense>
            {graph.nodes.length === 0 ? (
              <p className="pointer-events-none absolute inset-0 grid place-items-center text-ink-2">
                Add a step to begin.
              </p>
            ) : null}
          </div>
        )}
      </section>
      <section
        aria-label="Step"
        className="panel min-w-0 lg:max-h-[calc(100dvh-13.5rem)] lg:scroll-y"
        tabIndex={-1}
      >
        {node === undefined ? (
          <p className="p-6 text-center text-ink-2">Choose a step to see and change what it does.</p>
        ) : (
          <>
            <div className="flex items-center gap-2 border-b border-line px-4 py-2">
              <h2 className="min-w-0 flex-1 truncate font-semibold">{textAt(node, "title", selected)}</h2>
              <IconButton
                label="Remove this step"
                onClick={() => {
                  onChange(`remove ${selected}`, (now) => removeNode(now, selected));
                  select("");
                }}
              >
                <Trash2 />
              </IconButton>
            </div>
            <div className="p-4">
              <Inspector
                node={node}
                known={known}
                onChange={(next) => {
                  onChange(`edit ${selected}`, (now) => replaceNode(now, selected, next));
                  if (textAt(next, "id") !== selected) select(textAt(next, "id"));
                }}
              />
            </div>
          </>
        )}
      </section>
    </div>
  );
}

/** References a step may use: the inputs, and the outputs of the steps before it. */
function references(graph: Graph, id: string): readonly string[] {
  const inputs = Object.keys(Object(graph.inputs["properties"])).map((name) => `$inputs.${name}`);
  const before = new Set<string>();
  const walk = (at: string) => {
    for (const edge of bagsAt(graph, "edges").filter((item) => textAt(item, "to") === at)) {
      const from = textAt(edge, "from");
      if (!before.has(from)) {
        before.add(from);
        walk(from);
      }
    }
  };
  walk(id);
  return [...inputs, ...[...before].map((step) => `$steps.${step}.outputs`)];
}

function isField(target: EventTarget): boolean {
  return (
    target instanceof HTMLElement &&
    (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.shadowRoot !== null)
  );
}
