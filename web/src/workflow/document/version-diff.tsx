import type { WorkflowDiff } from "@workflow-ui/client";
import { lazy, Suspense } from "react";
import { useOperation } from "../../api/operations.ts";
import { words } from "../../lib/format.ts";
import { at } from "../../lib/read.ts";
import { Load } from "../../shell/states.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { namerOf } from "../../runs/titles.ts";
import { type Graph } from "./model.ts";
import { graphOf } from "./read-graph.ts";

const Canvas = lazy(() => import("../canvas/canvas.tsx").then((module) => ({ default: module.Canvas })));

/** How the draft differs from a version: both graphs with what changed marked, and each field before and after. */
export function VersionDiff({
  id,
  version,
  onClose,
}: {
  readonly id: string;
  readonly version: string;
  readonly onClose: () => void;
}) {
  const old = useOperation("get_workflow_version", { id, version });
  const now = useOperation("get_workflow", { id });
  const diff = useOperation("compare_versions", { id, from: version, to: "draft" });
  const sides = (
    <Load query={old}>
      {(published) => (
        <Load query={now}>
          {(draft) => (
            <Load query={diff}>
              {(found) => (
                <Sides
                  before={graphOf(published.version)}
                  after={graphOf(draft.workflow)}
                  diff={found.diff}
                  version={version}
                />
              )}
            </Load>
          )}
        </Load>
      )}
    </Load>
  );
  return (
    <Sheet
      from="64rem"
      title={`Changes since version ${version}`}
      onClose={onClose}
      inline={
        <div className="mt-4">
          <h3 className="mb-2 font-semibold">What the draft changes</h3>
          {sides}
        </div>
      }
    >
      {sides}
    </Sheet>
  );
}

function Sides({
  before,
  after,
  diff,
  version,
}: {
  readonly before: Graph;
  readonly after: Graph;
  readonly diff: WorkflowDiff;
  readonly version: string;
}) {
  if (diff.same) return <p>Nothing: the draft runs what version {version} runs.</p>;
  const { added, removed, changed } = diff.nodes;
  const marked = (ids: readonly string[], state: string): readonly (readonly [string, { state: string }])[] =>
    ids.map((id) => [id, { state }]);
  const both = marked(
    changed.map((item) => item.id),
    "changed",
  );
  const [oldName, newName] = [namerOf(before), namerOf(after)];
  return (
    <div className="space-y-4">
      <div className="grid gap-4 lg:grid-cols-2">
        <Picture
          title={`Version ${version}`}
          graph={before}
          marks={[...marked(removed, "removed"), ...both]}
        />
        <Picture title="Draft" graph={after} marks={[...marked(added, "added"), ...both]} />
      </div>
      <ul className="space-y-3">
        {added.map((id) => (
          <li key={id} dir="auto" className="text-good">
            Added: {newName(id)}
          </li>
        ))}
        {removed.map((id) => (
          <li key={id} dir="auto" className="text-bad">
            Removed: {oldName(id)}
          </li>
        ))}
        {changed.map((item) => (
          <Changed
            key={item.id}
            title={newName(item.id)}
            fields={item.fields}
            before={nodeIn(before, item.id)}
            after={nodeIn(after, item.id)}
          />
        ))}
        {diff.parts.map((part) => (
          <Changed
            key={part}
            title={`${words(part)} of the workflow`}
            fields={[part]}
            before={{ ...before }}
            after={{ ...after }}
          />
        ))}
        {diff.edges.added.map((edge) => (
          <li key={`+${edgeText(edge, newName)}`} dir="auto" className="text-good">
            New connection: {edgeText(edge, newName)}
          </li>
        ))}
        {diff.edges.removed.map((edge) => (
          <li key={`-${edgeText(edge, oldName)}`} dir="auto" className="text-bad">
            Connection removed: {edgeText(edge, oldName)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Picture({
  title,
  graph,
  marks,
}: {
  readonly title: string;
  readonly graph: Graph;
  readonly marks: readonly (readonly [string, { readonly state: string }])[];
}) {
  return (
    <figure>
      <figcaption className="mb-1 text-sm font-semibold text-ink-2">{title}</figcaption>
      <div className="h-80 rounded-lg border border-line">
        <Suspense>
          <Canvas nodes={graph.nodes} edges={graph.edges} ui={graph.ui} marks={new Map(marks)} />
        </Suspense>
      </div>
    </figure>
  );
}

function Changed({
  title,
  fields,
  before,
  after,
}: {
  readonly title: string;
  readonly fields: readonly string[];
  readonly before: object;
  readonly after: object;
}) {
  return (
    <li className="rounded-lg border border-line px-3 py-2">
      <p dir="auto" className="font-medium">
        {title}
      </p>
      <dl>
        {fields.map((field) => (
          <div key={field} className="mt-2">
            <dt className="text-sm text-ink-2">{words(field)}</dt>
            <dd className="grid gap-3 sm:grid-cols-2">
              <div className="min-w-0 rounded bg-bad-soft px-2 py-1">
                <span className="text-xs text-ink-2">before</span>
                <DataView value={at(before, field)} />
              </div>
              <div className="min-w-0 rounded bg-good-soft px-2 py-1">
                <span className="text-xs text-ink-2">now</span>
                <DataView value={at(after, field)} />
              </div>
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function nodeIn(graph: Graph, id: string): object {
  return graph.nodes.find((node) => node.id === id) ?? {};
}

function edgeText(edge: WorkflowDiff["edges"]["added"][number], nameOf: (id: string) => string): string {
  const { port } = edge;
  const by = port === "success" ? "" : ` (${words(port).toLowerCase()})`;
  return `${nameOf(edge.from)} → ${nameOf(edge.to)}${by}`;
}
