import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft, PanelLeft, Plus, StickyNote, WandSparkles } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useMedia } from "../lib/media.ts";
import { toast } from "../shell/notices.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import type { CanvasEdits } from "./canvas/canvas.tsx";
import { ContextMenu, menuEntries, type MenuAt } from "./canvas/context-menu.tsx";
import type { Draft } from "./document/graph-store.ts";
import { setExpertView, useExpertView } from "./expert-view.ts";
import { added, Inspector, WorkflowInspector } from "./inspect/inspector.tsx";
import { bodyGraph } from "./inspect/map-body.ts";
import { prefilled, withBodyAndResult } from "./document/prefill.ts";
import {
  addNode,
  connect,
  copyText,
  endPath,
  freeId,
  nextPlace,
  NODE_KINDS,
  place,
  removeEdges,
  removeNodes,
  replaceNode,
  tidy,
  titleOfId,
  typeOf,
  type Graph,
  type NodeKind,
  type Place,
  type DraftNode,
} from "./document/model.ts";
import { dropNotes, notesOf, putNote } from "./canvas/notes.ts";
import { Outline } from "./outline.tsx";
import { Palette } from "./palette.tsx";
import { useGraphKeys } from "./canvas/use-graph-keys.ts";
import { passedEdges, type ShownDryRun } from "./shown-dry-run.ts";
import { SidePanel } from "./side-panel.tsx";
import { StepPicker } from "./step-picker.tsx";
import { useGraphTools } from "./inspect/step-tools.ts";
import { StepTitle } from "./inspect/step-title.tsx";
import { StepTrial } from "./inspect/step-trial.tsx";
import type { DryRunner } from "./use-dry-runner.ts";
import type { Verdict } from "./use-verdict.ts";
import type { ToolInfo } from "../api/tools.ts";
import { pasteText } from "./document/read-graph.ts";

/* Long on purpose: one page, whose parts share the draft, the selection and what the last dry run showed. */

/** The canvas is code of its own, which the outline does without. */
export const loadCanvas = () => import("./canvas/canvas.tsx").then((module) => ({ default: module.Canvas }));
const Canvas = lazy(loadCanvas);

interface Props {
  readonly draft: Draft;
  readonly verdict: Verdict;
  readonly dryRunner: DryRunner;
  readonly onChange: (label: string, next: (graph: Graph) => Graph) => void;
  readonly onDraft: (label: string, next: (draft: Draft) => Draft) => void;
  /** A step got another id. */
  readonly onRename: (from: string, to: string) => void;
  /** Shows a step, with the focus in the field at a pointer. */
  readonly onGo: (node: string, pointer?: string) => void;
}

const NO_MARKS: ShownDryRun["marks"] = new Map();
const NO_TEXTS: ReadonlyMap<string, string> = new Map();
const NO_COUNTS: ReadonlyMap<string, number> = new Map();

/** The graph as a canvas or an outline, and beside it the chosen step or the workflow itself. */
export function EditTab({ draft, verdict, dryRunner, onChange: onWhole, onDraft, onRename, onGo }: Props) {
  const dryRun = dryRunner.shown;
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const wide = useMedia("(min-width: 64rem)");
  const whole = draft.graph;
  const body = search.in ?? null;
  const inner = useMemo(() => (body === null ? null : bodyGraph(whole, body)), [whole, body]);
  const graph = inner ?? whole;
  const inBody = inner === null ? null : body;
  const { tools } = useGraphTools(whole.nodes);
  const { samples } = dryRunner;
  const onChange = useCallback(
    (label: string, next: (graph: Graph) => Graph) =>
      onWhole(label, (now) => {
        const part = inBody === null ? null : bodyGraph(now, inBody);
        if (part === null || inBody === null) return next(now);
        const after = next(part);
        return after === part ? now : withBodyAndResult(now, inBody, after, tools, samples);
      }),
    [onWhole, inBody, tools, samples],
  );
  const isExpert = useExpertView();
  const view = search.view === "outline" ? "outline" : "canvas";
  const selected = search.node ?? "";
  const node = graph.nodes.find((item) => item.id === selected);
  const [many, setMany] = useState<readonly string[]>([]);
  const chosen = useMemo(
    () => (many.length > 1 ? many : selected === "" ? [] : [selected]),
    [many, selected],
  );
  const go = useCallback(
    (next: {
      readonly node?: string | undefined;
      readonly in?: string | undefined;
      readonly view?: string | undefined;
    }) => void navigate({ to: ".", replace: true, search: (before) => ({ ...before, ...next }) }),
    [navigate],
  );
  const select = useCallback(
    (ids: readonly string[]) => {
      setMany(ids.length > 1 ? ids : []);
      go({ node: ids.length === 1 ? ids[0] : undefined });
    },
    [go],
  );
  const [adding, setAdding] = useState<Place | null>(null);
  const [menu, setMenu] = useState<MenuAt | null>(null);
  const [listed, setListed] = useState(false);
  const latest = useRef(graph);
  useEffect(() => {
    latest.current = graph;
  }, [graph]);
  const insert = useCallback(
    (step: DraftNode, where: Place) => {
      const id = step.id;
      added.add(id);
      onChange(`add ${id}`, (now) => {
        const next = addNode(now, step, where);
        const isOpen = step.type === "switch" && !next.edges.some((edge) => edge.from === id);
        // A switch needs a way on when no condition holds; it ends until it is connected.
        return isOpen ? endPath(next, id, "default") : next;
      });
      setAdding(null);
      select([id]);
    },
    [onChange, select],
  );
  const pick = (picked: { readonly kind: NodeKind } | { readonly tool: ToolInfo }, where: Place) =>
    insert(stepOf(latest.current, picked), where);
  const remove = useCallback(
    (nodes: readonly string[], edges: readonly string[]) => {
      onChange("delete", (now) => removeEdges(removeNodes(now, nodes), edges));
      if (nodes.length > 0) select([]);
    },
    [onChange, select],
  );
  const paste = useCallback(
    (text: string) => {
      const made = pasteText(latest.current, text);
      if (made === null) return false;
      onChange("paste", (now) => pasteText(now, text)?.graph ?? now);
      select(made.ids);
      return true;
    },
    [onChange, select],
  );
  const pasteClipboard = async () => {
    if (!paste(await navigator.clipboard.readText())) toast("info", "There are no steps in the clipboard");
  };
  const box = useRef<HTMLElement>(null);
  useGraphKeys(
    box,
    chosen,
    latest,
    paste,
    remove,
    () => setAdding(nextPlace(latest.current, selected)),
    select,
  );
  const addNote = () =>
    onChange("add note", (now) => {
      const first = Object.values(now.ui.positions ?? {})[0];
      const [x, y] = [(first?.x ?? 0) - 260, (first?.y ?? 0) + 140 * notesOf(now).length];
      return putNote(now, { id: crypto.randomUUID().slice(0, 8), text: "", x, y });
    });
  const edit = useMemo<CanvasEdits>(
    () => ({
      onMove: (spots) => onChange("move", (now) => place(now, spots)),
      onConnect: (from, port, to) => onChange(`connect ${from}`, (now) => connect(now, from, to, port)),
      onDelete: remove,
      onAdd: setAdding,
      onNote: (note) => onChange(`note ${note.id}`, (now) => putNote(now, note)),
      onNotesGone: (ids) => onChange("remove note", (now) => dropNotes(now, ids)),
      onDropStep: ({ name, title }, dropped, edge) => {
        const kind = NODE_KINDS.find((item) => item.type === name);
        const picked = kind === undefined ? { tool: { name, title } } : { kind };
        const where: Place = edge === "" ? { kind: "alone", ...dropped } : { kind: "edge", edge };
        insert(stepOf(latest.current, picked), where);
      },
    }),
    [onChange, remove, insert],
  );
  const marks = inBody === null ? dryRun.marks : NO_MARKS;
  const passed = useMemo(
    () => (inBody === null ? passedEdges(graph.edges, dryRun) : NO_TEXTS),
    [graph.edges, dryRun, inBody],
  );
  const index = node === undefined ? -1 : graph.nodes.indexOf(node);
  const mapIndex = whole.nodes.findIndex((item) => item.id === inBody);
  const pointer = inBody === null ? `/nodes/${index}` : `/nodes/${mapIndex}/map/body/nodes/${index}`;
  const problems = inBody === null ? verdict.byNode : NO_COUNTS;
  const openMenu = useCallback(
    (id: string, x: number, y: number) => {
      // On a phone, the sheet of a chosen step would cover the menu.
      if (wide && id !== "" && !chosen.includes(id)) select([id]);
      setMenu({ id, x, y });
    },
    [wide, chosen, select],
  );
  const meant = menu === null || menu.id === "" || chosen.includes(menu.id) ? chosen : [menu.id];
  const fillIn = useCallback(
    (tools: readonly ToolInfo[]) =>
      onWhole(`edit ${selected}`, (now) => prefilled(now, tools, { node: selected, body: inBody }, samples)),
    [onWhole, selected, inBody, samples],
  );
  const openBody = useCallback((id: string) => go({ in: id, node: undefined }), [go]);
  const side =
    node === undefined ? (
      <WorkflowInspector
        draft={draft}
        onDraft={onDraft}
        graph={whole}
        place={{ node: null, body: null }}
        problems={verdict.problems}
        samples={samples}
      />
    ) : (
      <>
        <StepTitle
          node={node}
          onChange={(title) =>
            onChange(`title ${selected}`, (now) => replaceNode(now, selected, { ...node, title }))
          }
          onDuplicate={() => paste(copyText(latest.current, [selected]))}
          onRemove={() => remove([selected], [])}
        />
        <Inspector
          node={node}
          pointer={pointer}
          graph={whole}
          place={{ node: selected, body: inBody }}
          problems={verdict.problems}
          samples={samples}
          after={<StepTrial key={selected} node={node} inBody={inBody !== null} dryRunner={dryRunner} />}
          onAdded={fillIn}
          onOpenBody={openBody}
          nodes={graph.nodes}
          edges={graph.edges}
          onEnd={(port) => onChange(`end ${selected}`, (now) => endPath(now, selected, port))}
          onChange={(next) => {
            onChange(`edit ${selected}`, (now) => replaceNode(now, selected, next));
            if (next.id === selected) return;
            if (inBody === null) onRename(selected, next.id);
            select([next.id]);
          }}
        />
      </>
    );
  return (
    <div className="grid min-h-0 gap-4 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_27rem]">
      <section ref={box} aria-label="Graph" tabIndex={-1} className="panel min-w-0 overflow-clip">
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
          {inBody === null ? null : (
            <Button size="sm" look="ghost" onClick={() => go({ in: undefined, node: inBody })}>
              <ArrowLeft /> Whole workflow
            </Button>
          )}
          <Button size="sm" look="primary" onClick={() => setAdding(nextPlace(graph, selected))}>
            <Plus /> Add step
          </Button>
          {inBody === null ? null : (
            <span className="text-sm text-ink-2">Steps for each item of {titleOfId(whole, inBody)}</span>
          )}
          <span className="flex-1" />
          {view === "canvas" && wide ? (
            <>
              <IconButton
                label={listed ? "Hide the list of steps" : "Show the list of steps"}
                aria-pressed={listed}
                onClick={() => setListed(!listed)}
              >
                <PanelLeft />
              </IconButton>
              <IconButton label="Add a note" onClick={addNote}>
                <StickyNote />
              </IconButton>
            </>
          ) : null}
          {view === "canvas" && graph.ui.positions !== undefined ? (
            <IconButton label="Tidy up" onClick={() => onChange("tidy", tidy)}>
              <WandSparkles />
            </IconButton>
          ) : null}
          <label className="flex min-h-7 items-center gap-1.5 text-sm text-ink-2">
            <input
              type="checkbox"
              role="switch"
              aria-checked={isExpert}
              checked={isExpert}
              onChange={(event) => setExpertView(event.target.checked)}
            />
            Expert view
          </label>
          <Segmented
            label="Show the graph as"
            value={view}
            onChange={(next) => go({ view: next === "canvas" ? undefined : next })}
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
            onSelect={(id) => select([id])}
            onChange={onChange}
            onAdd={setAdding}
          />
        ) : (
          <div className="flex h-[60vh] min-h-80 lg:h-[calc(100dvh-16.625rem)]">
            {listed && wide ? (
              <Palette onPick={(picked) => pick(picked, nextPlace(graph, selected))} />
            ) : null}
            <div className="relative min-w-0 flex-1">
              <Suspense>
                <Canvas
                  key={inBody ?? ""}
                  nodes={graph.nodes}
                  edges={graph.edges}
                  ui={graph.ui}
                  marks={marks}
                  passed={passed}
                  problems={problems}
                  selected={chosen}
                  onSelect={select}
                  onMenu={openMenu}
                  pickOnDrag={wide}
                  onOpenBody={openBody}
                  edit={edit}
                />
              </Suspense>
              {graph.nodes.length === 0 ? (
                <div className="pointer-events-none absolute inset-0 grid place-items-center">
                  <Button className="pointer-events-auto" onClick={() => setAdding({ kind: "alone" })}>
                    <Plus /> Add the first step
                  </Button>
                </div>
              ) : null}
            </div>
          </div>
        )}
      </section>
      <SidePanel
        wide={wide}
        step={node === undefined ? "" : selected}
        title={node === undefined ? "" : kindWords(node)}
        onClose={() => select([])}
        // Escape goes back to the graph, where N adds the next step.
        onLeave={() => box.current?.focus()}
        verdict={verdict}
        graph={whole}
        onGo={onGo}
        onChange={onWhole}
      >
        {side}
      </SidePanel>
      {adding === null ? null : (
        <StepPicker
          title="Add a step"
          onClose={() => setAdding(null)}
          onPick={(picked) => pick(picked, adding)}
        />
      )}
      <ContextMenu
        at={menu}
        onClose={() => setMenu(null)}
        entries={
          menu === null
            ? []
            : menuEntries(menu, meant, {
                add: () => setAdding(menu.id === "" ? nextPlace(graph, "") : nextPlace(graph, menu.id)),
                addBefore: () => setAdding({ kind: "before", step: menu.id }),
                copy: () => void navigator.clipboard.writeText(copyText(graph, meant)),
                duplicate: () => paste(copyText(graph, meant)),
                paste: () => void pasteClipboard(),
                remove: () => remove(meant, []),
                tidy: () => onChange("tidy", tidy),
                note: addNote,
              })
        }
      />
    </div>
  );
}

/** What kind of step it is; its title stands below, to be changed. */
function kindWords(node: DraftNode): string {
  return `${NODE_KINDS.find((kind) => kind.type === typeOf(node))?.label ?? "Tool"} step`;
}

/** A new step of what was picked. */
function stepOf(
  graph: Graph,
  picked: { readonly kind: NodeKind } | { readonly tool: Pick<ToolInfo, "name" | "title"> },
): DraftNode {
  if ("kind" in picked) {
    const { type, label, start } = picked.kind;
    return { id: freeId(graph, type), type, title: label, ...start };
  }
  const { name, title } = picked.tool;
  return { id: freeId(graph, name.split(":").pop() ?? name), type: "tool", title, tool: name, with: {} };
}
