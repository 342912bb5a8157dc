import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import type { ComponentProps, ReactNode } from "react";

interface Labelled {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly className?: string | undefined;
  /** What the control looks like beside the usual. */
  readonly look?: string | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

type Control<T extends "input" | "select" | "textarea"> = Omit<
  ComponentProps<T>,
  keyof Labelled | "onChange"
> &
  Labelled;

function Field({
  label,
  hint,
  className,
  children,
}: Pick<Labelled, "label" | "hint" | "className"> & { readonly children: ReactNode }) {
  return (
    <label className={cx("block", className)}>
      <span className="mb-1 block text-sm font-medium">{label}</span>
      {children}
      {hint === undefined ? null : <span className="mt-1 block text-sm text-ink-2">{hint}</span>}
    </label>
  );
}

/** An input below its label. */
export function InputField({ label, hint, className, look, onText, ...input }: Control<"input">) {
  return (
    <Field label={label} hint={hint} className={className}>
      <input
        {...input}
        onChange={(event) => onText?.(event.target.value)}
        className={cx("field-control", look)}
      />
    </Field>
  );
}

/** A text of several lines below its label. */
export function TextareaField({ label, hint, className, look, onText, ...area }: Control<"textarea">) {
  return (
    <Field label={label} hint={hint} className={className}>
      <textarea
        {...area}
        onChange={(event) => onText?.(event.target.value)}
        className={cx("field-control", look)}
      />
    </Field>
  );
}

/** What can be chosen, and its label where that is another one. */
type Option<V extends string> = V | { readonly value: V; readonly label: string };

/** A choice below its label: first what is inside, then the options. */
export function SelectField<V extends string>({
  label,
  hint,
  className,
  look,
  options = [],
  onChoose,
  children,
  ...select
}: Omit<Control<"select">, "onText"> & {
  readonly options?: readonly Option<V>[];
  readonly onChoose?: (value: V) => void;
}) {
  const all = options.map((option) =>
    typeof option === "string" ? { value: option, label: option } : option,
  );
  return (
    <Field label={label} hint={hint} className={className}>
      <select
        {...select}
        onChange={(event) => {
          const chosen = all.find(({ value }) => value === event.target.value);
          if (chosen !== undefined) onChoose?.(chosen.value);
        }}
        className={cx("field-control", look)}
      >
        {children}
        {all.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** Records to choose from by name. */
export function optionsOf(
  records: readonly { readonly id: string; readonly name: string }[],
): readonly { readonly value: string; readonly label: string }[] {
  return records.map(({ id, name }) => ({ value: id, label: name }));
}
