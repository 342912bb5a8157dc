import { useState } from "react";
import type { JsonEditorProps } from "../settings.ts";

/** JSON text in a text area: where the page brings no editor of its own. */
export function PlainEditor({
  id,
  value,
  label,
  onChange,
  same,
  readOnly = false,
  tall = false,
}: JsonEditorProps) {
  const [typed, setTyped] = useState(value);
  const shown = typed === value || same?.(typed) === true ? typed : value;
  return (
    <textarea
      id={id}
      data-code-editor
      aria-label={label}
      value={shown}
      readOnly={readOnly}
      spellCheck={false}
      rows={tall ? 14 : 4}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange?.(event.target.value);
      }}
      className="field-control field-sizing-content max-h-96 font-mono text-sm"
    />
  );
}
