import type { Node, NodeProps } from "@xyflow/react";
import { X } from "lucide-react";
import { memo } from "react";
import { useCanvas } from "./canvas-context.ts";
import type { Note } from "./notes.ts";

/** A note as React Flow holds it. */
export type NoteNode = Node<{ readonly note: Note }, "note">;

/** How wide and high a note is on the canvas. */
export const NOTE_SIZE = { width: 220, height: 120 } as const;

/** A text on the canvas that says something to people and nothing to the engine. */
export const NoteCard = memo(function NoteCard({ data }: NodeProps<NoteNode>) {
  const { editable, onNote, onNoteGone } = useCanvas();
  const { note } = data;
  return (
    <div className="flex h-full flex-col rounded-lg border border-warn/40 bg-warn-soft p-1.5 shadow-card">
      <div className="flex h-5 cursor-grab items-center justify-end">
        {editable ? (
          <button
            type="button"
            aria-label="Remove the note"
            title="Remove the note"
            onClick={() => onNoteGone(note.id)}
            className="nodrag grid size-5 place-items-center rounded text-ink-2 hover:bg-hover"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        ) : null}
      </div>
      <textarea
        aria-label="Note"
        dir="auto"
        value={note.text}
        readOnly={!editable}
        placeholder="Write a note"
        onChange={(event) => onNote({ ...note, text: event.target.value })}
        className="nodrag nowheel min-h-0 flex-1 resize-none bg-transparent px-1 text-sm text-ink outline-none placeholder:text-ink-2"
      />
    </div>
  );
});
