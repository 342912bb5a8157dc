import { at, textAt, type Bag } from "../lib/read.ts";
import { StateBadge } from "../ui/badge.tsx";
import { DataView } from "../ui/data-view.tsx";

/** What the last dry run showed of one step: what went in and what came out. */
export function StepOutcome({ step }: { readonly step: Bag | null }) {
  if (step === null) return null;
  const note = textAt(step, "note");
  return (
    <section aria-label="Last dry run" className="border-t border-line p-4">
      <div className="mb-2 flex items-center gap-2">
        <h3 className="flex-1 font-medium">Last dry run</h3>
        <StateBadge state={textAt(step, "state")} />
      </div>
      {note === "" ? null : <p className="mb-2 text-sm text-ink-2">{note}</p>}
      <details className="mb-2">
        <summary className="text-sm text-ink-2">What went in</summary>
        <DataView value={at(step, "input") ?? {}} />
      </details>
      <p className="text-sm text-ink-2">What came out</p>
      <DataView value={at(step, "output", "data") ?? at(step, "output") ?? at(step, "error") ?? {}} />
    </section>
  );
}
