import { useDocument } from "../api/queries.ts";
import { ago, words } from "../lib/format.ts";
import { at, bagAt, isBag, textAt, type Bag } from "../lib/read.ts";
import { DataView } from "../ui/data-view.tsx";
import { same } from "../workflow/merge.ts";
import { stateOf } from "../pages/records.ts";

/** How what is shown differs from what was approved at the same step of the same workflow last time. */
export function ShownChanges({ approval, all }: { readonly approval: Bag; readonly all: readonly Bag[] }) {
  const last = all.find(
    (item) =>
      stateOf(item) === "approved" &&
      textAt(item, "id") !== textAt(approval, "id") &&
      textAt(item, "stepId") === textAt(approval, "stepId"),
  );
  return last === undefined ? null : <Changes approval={approval} last={last} />;
}

function Changes({ approval, last }: { readonly approval: Bag; readonly last: Bag }) {
  const now = useDocument(`/api/svc/approvals/${encodeURIComponent(textAt(approval, "id"))}`);
  const before = useDocument(`/api/svc/approvals/${encodeURIComponent(textAt(last, "id"))}`);
  const workflow = textAt(now.data, ["data", "run", "workflowId"]);
  if (workflow === "" || workflow !== textAt(before.data, ["data", "run", "workflowId"])) return null;
  const [old, shown] = [at(last, "shown"), at(approval, "shown")];
  const when = ago(textAt(last, "decidedAt"));
  if (same(old, shown))
    return <p className="mb-4 text-sm text-ink-2">The same as what was approved {when}.</p>;
  if (!isBag(old) || !isBag(shown))
    return <p className="mb-4 text-sm text-ink-2">Differs from what was approved {when}.</p>;
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
                <DataView value={bagAt({ old }, "old")[key]} />
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
