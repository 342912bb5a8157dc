import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Plus } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import type { ToolInfo } from "../api/tools.ts";
import { useMedia } from "../lib/media.ts";
import type { CanvasEdits } from "./canvas/canvas.tsx";
import { ContextMenu, menuEntries, type MenuAt } from "./canvas/context-menu.tsx";
import { dropNotes, putNote } from "./canvas/notes.ts";
import { useGraphKeys } from "./canvas/use-graph-keys.ts";
import type { Draft } from "./document/graph-store.ts";
import {
  connect,
  copyText,
  endPath,
  nextPlace,
  NODE_KINDS,
  place,
  replaceNode,
  tidy,
  titleOfId,
  typeOf,
  type DraftNode,
  type Graph,
  type Place,
} from "./document/model.ts";
import { prefilled, withBodyAndResult } from "./document/prefill.ts";
import { GraphToolbar } from "./graph-toolbar.tsx";
import { Inspector, WorkflowInspector } from "./inspect/inspector.tsx";
import { bodyGraph } from "./inspect/map-body.ts";
import { StepTitle } from "./inspect/step-title.tsx";
import { useGraphTools } from "./inspect/step-tools.ts";
import { StepTrial } from "./inspect/step-trial.tsx";
import { Outline } from "./outline.tsx";
import { Palette } from "./palette.tsx";
import { passedEdges, type ShownDryRun } from "./shown-dry-run.ts";
import { SidePanel } from "./side-panel.tsx";
import { StepPicker } from "./step-picker.tsx";
import type { DryRunner } from "./use-dry-runner.ts";
import { useGraphEdits, type Picked } from "./use-graph-edits.ts";
import type { Verdict } from "./use-verdict.ts";

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
  const { latest, pick, remove, paste, pasteClipboard, addNote } = useGraphEdits(graph, onChange, select);
  const add = (picked: Picked, where: Place) => {
    setAdding(null);
    pick(picked, where);
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
        pick(picked, edge === "" ? { kind: "alone", ...dropped } : { kind: "edge", edge });
      },
    }),
    [onChange, remove, pick],
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
        <GraphToolbar
          bodyOf={inBody === null ? null : titleOfId(whole, inBody)}
          isCanvas={view === "canvas"}
          isPlaced={graph.ui.positions !== undefined}
          wide={wide}
          listed={listed}
          onListed={setListed}
          onWhole={() => go({ in: undefined, node: inBody ?? undefined })}
          onAdd={() => setAdding(nextPlace(graph, selected))}
          onNote={addNote}
          onTidy={() => onChange("tidy", tidy)}
          onView={(next) => go({ view: next === "canvas" ? undefined : next })}
        />
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
            {listed && wide ? <Palette onPick={(picked) => add(picked, nextPlace(graph, selected))} /> : null}
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
          onPick={(picked) => add(picked, adding)}
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
