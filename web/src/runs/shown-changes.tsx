import type { Approval } from "@workflow-ui/client";
import { ago, words } from "../lib/format.ts";
import { DataView } from "../ui/data-view.tsx";
import { same } from "../workflow/document/merge.ts";
import { useOperation } from "../api/operations.ts";

/** How what is shown differs from what was approved at the same step of the same workflow last time. */
export function ShownChanges({
  approval,
  all,
}: {
  readonly approval: Approval;
  readonly all: readonly Approval[];
}) {
  const last = all.find(
    (item) => item.status === "approved" && item.id !== approval.id && item.stepId === approval.stepId,
  );
  return last === undefined ? null : <Changes approval={approval} last={last} />;
}

function Changes({ approval, last }: { readonly approval: Approval; readonly last: Approval }) {
  const now = useOperation("get_approval", { id: approval.id }).data?.run;
  const before = useOperation("get_approval", { id: last.id }).data?.run;
  if (!now?.workflowId || now.workflowId !== before?.workflowId) return null;
  const [old, shown] = [last.shown, approval.shown];
  const when = ago(last.decidedAt);
  if (same(old, shown))
    return <p className="mb-4 text-sm text-ink-2">The same as what was approved {when}.</p>;
  const keys = [...new Set([...Object.keys(shown), ...Object.keys(old)])].filter(
    (key) => !same(old[key], shown[key]),
  );
  return (
    <details open className="mb-4 rounded-lg border border-line px-3 py-2">
      <summary className="text-sm font-medium">
        {keys.length === 1 ? "1 field differs" : `${keys.length} fields differ`} from what was approved {when}
      </summary>
      <dl className="mt-2 space-y-2 text-sm">
        {keys.slice(0, 20).map((key) => (
          <div key={key}>
            <dt className="font-medium">{words(key)}</dt>
            <dd className="grid gap-2 sm:grid-cols-2">
              <span className="min-w-0">
                <span className="text-ink-3">before: </span>
                <DataView value={old[key]} />
              </span>
              <span className="min-w-0">
                <span className="text-ink-3">now: </span>
                <DataView value={shown[key]} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
