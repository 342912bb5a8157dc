import { Copy, Trash2 } from "lucide-react";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { titleOf, type DraftNode } from "../document/model.ts";

/** What people call a step, to be changed; and what is done with the whole of it. */
export function StepTitle({
  node,
  onChange,
  onDuplicate,
  onRemove,
}: {
  readonly node: DraftNode;
  readonly onChange: (title: string) => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}) {
  return (
    <div className="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-surface px-4 py-2">
      <h2 className="sr-only">{titleOf(node)}</h2>
      <input
        aria-label="Title of the step"
        dir="auto"
        value={node.title ?? node.id}
        onChange={(event) => onChange(event.target.value)}
        className="-ml-1.5 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-1.5 py-0.5 font-semibold hover:border-line focus-visible:outline-offset-0"
      />
      <IconButton label="Duplicate this step" onClick={onDuplicate}>
        <Copy />
      </IconButton>
      <IconButton label="Remove this step" onClick={onRemove}>
        <Trash2 />
      </IconButton>
    </div>
  );
}
