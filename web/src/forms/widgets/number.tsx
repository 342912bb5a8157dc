import { type FormValue, literal, readNumber } from "@workflow-ui/forms";
import { useFormScope, useDraft, useValue } from "../context.ts";
import { Frame, placeholderOf, useControlProps } from "../frame.tsx";
import type { WidgetProps } from "./types.ts";

/**
 * A number as text: no rounding, no scientific surprise, no wheel that changes it. Text that is no number is kept as a
 * draft with its problem until it is one.
 */
export function NumberWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const draft = useDraft(pointer);
  const props = useControlProps(field, pointer, required);
  const whole = field.widget !== "number";
  const change = (text: string) => {
    const trimmed = text.trim();
    if (trimmed === "") return store.set(pointer, undefined);
    const read = readNumber(trimmed, whole);
    if (read === null)
      store.setDraft(pointer, { text, problem: whole ? "Not a whole number" : "Not a number" });
    else store.set(pointer, read);
  };
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <input
        {...props}
        type="text"
        inputMode={whole ? "numeric" : "decimal"}
        value={draft?.text ?? shown(value)}
        aria-invalid={draft !== undefined || props["aria-invalid"]}
        placeholder={placeholderOf(field)}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          const step = field.constraints?.multipleOf ?? 1;
          const current = Number(value ?? 0);
          if (event.altKey || !Number.isSafeInteger(current * 10) || props.readOnly === true) return;
          event.preventDefault();
          store.set(pointer, Number((current + (event.key === "ArrowUp" ? step : -step)).toPrecision(15)));
        }}
        className="field-control max-w-64 tabular-nums"
      />
      {draft === undefined ? null : <p className="mt-1 text-sm text-bad">{draft.problem}</p>}
    </Frame>
  );
}

function shown(value: FormValue | undefined): string {
  return value === undefined || value === null ? "" : literal(value);
}
