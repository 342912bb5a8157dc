import { useState } from "react";
import { words } from "../../lib/format.ts";
import { useExternal } from "../../lib/external.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Clash } from "./merge.ts";
import { titleOf } from "./model.ts";
import type { Conflict, EditSession } from "./session.ts";

/** Two people changed the same: both sides, place by place, and a choice for each. */
export function ConflictDialog({ session }: { readonly session: EditSession }) {
  const conflict = useExternal(session.conflict);
  if (conflict === null) return null;
  return <Choices key={conflict.base.revision} conflict={conflict} onDone={session.resolve} />;
}

function Choices({
  conflict,
  onDone,
}: {
  readonly conflict: Conflict;
  readonly onDone: (theirs: readonly Clash[]) => void;
}) {
  const [theirs, setTheirs] = useState<ReadonlySet<Clash>>(new Set());
  const { clashes } = conflict;
  const choose = (clash: Clash, isTheirs: boolean) =>
    setTheirs((before) => {
      const next = new Set(before);
      if (isTheirs) next.add(clash);
      else next.delete(clash);
      return next;
    });
  return (
    <Dialog
      open
      // Closing without a choice keeps what this person did.
      onClose={() => onDone([])}
      title="Another person changed this too"
      description="Everything else is merged. Choose which side to keep here. Undo brings your version back."
      className="sm:w-[min(48rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button onClick={() => onDone(clashes)}>Keep all of theirs</Button>
          <Button onClick={() => onDone([])}>Keep all of mine</Button>
          <Button look="primary" onClick={() => onDone([...theirs])}>
            Keep what is chosen
          </Button>
        </>
      }
    >
      <ul className="space-y-4">
        {clashes.map((clash, index) => (
          <li key={clash.path.join("/")}>
            <fieldset>
              <legend className="mb-1 font-medium">{placeOf(conflict, clash)}</legend>
              <div className="grid gap-3 sm:grid-cols-2">
                {[false, true].map((isTheirs) => (
                  <label
                    key={String(isTheirs)}
                    className="block rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft"
                  >
                    <span className="mb-1 flex items-center gap-2 text-sm font-medium">
                      <input
                        type="radio"
                        name={`clash-${index}`}
                        checked={theirs.has(clash) === isTheirs}
                        onChange={() => choose(clash, isTheirs)}
                      />
                      {isTheirs ? "Theirs" : "Mine"}
                    </span>
                    <Side value={isTheirs ? clash.theirs : clash.mine} />
                  </label>
                ))}
              </div>
            </fieldset>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Side({ value }: { readonly value: unknown }) {
  return value === undefined ? <span className="text-ink-3">removed</span> : <DataView value={value} />;
}

function placeOf(conflict: Conflict, { path }: Clash): string {
  const [part = "", id = "", ...fields] = path;
  if (part !== "nodes") return path.map(words).join(" › ");
  const node = [...conflict.merged.graph.nodes, ...conflict.base.draft.graph.nodes].find(
    (item) => item.id === id,
  );
  return [node === undefined ? id : titleOf(node), ...fields.map(words)].join(" › ");
}
