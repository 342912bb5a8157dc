import { type FormValue, parseText, printText } from "@workflow-ui/forms";
import { Suspense } from "react";
import { useDraft, useFormScope, useValue } from "../context.ts";
import { Frame, useIds } from "../frame.tsx";
import { PlainEditor } from "../ui/plain-editor.tsx";
import { useSettings } from "../settings.ts";
import type { WidgetProps } from "./types.ts";

/** A part that is edited as JSON, and why. */
export function JsonWidget({ field, pointer, required, bare = false }: WidgetProps) {
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare} group>
      {field.raw === undefined ? null : <p className="mb-1.5 text-xs text-ink-3">{field.raw.reason}</p>}
      <JsonPart pointer={pointer} label={field.label === "" ? "Value" : field.label} />
    </Frame>
  );
}

/** The value at a pointer as JSON text. Text that does not parse is kept, shown with its problem, and not lost. */
export function JsonPart({
  pointer,
  label,
  tall = false,
}: {
  readonly pointer: string;
  readonly label: string;
  readonly tall?: boolean;
}) {
  const { store, readOnly, t } = useFormScope();
  const { JsonEditor = PlainEditor } = useSettings();
  const value = useValue(pointer);
  const draft = useDraft(pointer);
  const ids = useIds(pointer);
  const change = (text: string) => {
    if (text.trim() === "") return store.set(pointer, undefined);
    const parsed = parseText(text);
    if (parsed.problem === undefined) store.set(pointer, parsed.value);
    else store.setDraft(pointer, { text, problem: parsed.problem });
  };
  const text = draft?.text ?? (value === undefined ? "" : printText(value));
  return (
    <>
      <Suspense
        fallback={<pre className="field-control min-h-20 overflow-auto font-mono text-sm">{text}</pre>}
      >
        <JsonEditor
          id={ids.control}
          value={text}
          same={(typed) => draft === undefined && sameText(typed, value)}
          onChange={change}
          label={label}
          readOnly={readOnly}
          tall={tall}
        />
      </Suspense>
      {draft === undefined ? null : (
        <p role="alert" className="mt-1 text-sm text-bad">
          {t(draft.problem)} {t("The text is kept; the value above stays what it was.")}
        </p>
      )}
    </>
  );
}

/** True when the text in the editor says the value already: then it is not reformatted under the cursor. */
function sameText(text: string, value: FormValue | undefined): boolean {
  if (text.trim() === "") return value === undefined;
  const parsed = parseText(text);
  return parsed.problem === undefined && value !== undefined && printText(parsed.value) === printText(value);
}
