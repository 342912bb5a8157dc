import { type FormValue, literal, readNumber } from "@workflow-ui/forms";
import { useFormScope, useDraft, useValue } from "../context.ts";
import { Frame, notSetText, placeholderOf, useControlProps } from "../frame.tsx";
import type { WidgetProps } from "./types.ts";

/**
 * A number as text: no rounding, no scientific surprise, no wheel that changes it. Text that is no number is kept as a
 * draft with its problem until it is one.
 */
export function NumberWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const value = useValue(pointer);
  const draft = useDraft(pointer);
  const props = useControlProps(field, pointer, required);
  const whole = field.widget !== "number";
  const { minimum: low, maximum: high, multipleOf } = field.constraints ?? {};
  const wanted = field.ui?.options?.["step"];
  const step = typeof wanted === "number" && wanted > 0 ? wanted : (multipleOf ?? 1);
  // A value that a slider cannot show, or does not reach, stays a text.
  const isInside =
    value === undefined || (typeof value === "number" && value >= (low ?? 0) && value <= (high ?? 0));
  if (
    field.ui?.widget === "slider" &&
    low !== undefined &&
    high !== undefined &&
    isInside &&
    draft === undefined
  ) {
    const fine = wanted === undefined && multipleOf === undefined && !whole ? (high - low) / 100 : step;
    const least = multipleOf === undefined ? low : Math.ceil(low / multipleOf) * multipleOf;
    const pick = (text: string) => store.set(pointer, Number(Number(text).toPrecision(15)));
    const { readOnly, ...attributes } = props;
    const shownAt = value ?? (typeof field.default === "number" ? field.default : least);
    return (
      <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
        <div className="flex max-w-96 items-center gap-3">
          <input
            {...attributes}
            type="range"
            min={least}
            max={high}
            step={fine}
            value={shownAt}
            disabled={readOnly}
            onChange={(event) => pick(event.target.value)}
            // Choosing the place where it stands is a choice too.
            onPointerUp={(event) => pick(event.currentTarget.value)}
            className="min-w-0 flex-1 accent-accent"
          />
          <output htmlFor={props.id} className="min-w-12 tabular-nums text-ink-2">
            {value === undefined ? t(notSetText(field)) : value}
          </output>
        </div>
      </Frame>
    );
  }
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
