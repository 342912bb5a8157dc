import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { useId, type ComponentProps, type ReactNode } from "react";

interface Labelled {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
  readonly className?: string | undefined;
  /** What the control looks like beside the usual. */
  readonly look?: string | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

type Control<T extends "input" | "select" | "textarea"> = Omit<
  ComponentProps<T>,
  keyof Labelled | "id" | "onChange"
> &
  Labelled;

function Field({
  label,
  hint,
  problem,
  className,
  children,
}: Omit<Labelled, "look" | "onText"> & {
  readonly children: (
    control: Pick<ComponentProps<"input">, "id" | "aria-invalid" | "aria-describedby">,
  ) => ReactNode;
}) {
  const id = useId();
  const notes = [hint === undefined ? "" : `${id}-hint`, problem === undefined ? "" : `${id}-problem`];
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-invalid": problem !== undefined || undefined,
        "aria-describedby": notes.join(" ").trim() || undefined,
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="mt-1 text-sm text-ink-2">
          {hint}
        </p>
      )}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} className="mt-1 text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}

/** An input below its label. */
export function InputField({ label, hint, problem, className, look, onText, ...input }: Control<"input">) {
  return (
    <Field {...{ label, hint, problem, className }}>
      {(control) => (
        <input
          {...input}
          {...control}
          className={cx("field-control", look)}
          onChange={(event) => onText?.(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A text of several lines below its label. */
export function TextareaField({
  label,
  hint,
  problem,
  className,
  look,
  onText,
  ...area
}: Control<"textarea">) {
  return (
    <Field {...{ label, hint, problem, className }}>
      {(control) => (
        <textarea
          {...area}
          {...control}
          className={cx("field-control", look)}
          onChange={(event) => onText?.(event.target.value)}
        />
      )}
    </Field>
  );
}

/** A box to tick, before its label. */
export function CheckField({
  label,
  hint,
  className,
  onCheck,
  ...input
}: Omit<ComponentProps<"input">, "type" | "onChange"> &
  Pick<Labelled, "label" | "hint"> & { readonly onCheck: (checked: boolean) => void }) {
  return (
    <label
      className={cx("flex min-h-6 gap-2", hint === undefined ? "items-center" : "items-baseline", className)}
    >
      <input
        {...input}
        type="checkbox"
        className="size-4 shrink-0 accent-(--accent)"
        onChange={(event) => onCheck(event.target.checked)}
      />
      <span className="min-w-0">
        {label}
        {hint === undefined ? null : <span className="block text-sm text-ink-2">{hint}</span>}
      </span>
    </label>
  );
}

/** What can be chosen, and its label where that is another one. */
type Option<V extends string> = V | { readonly value: V; readonly label: string };

interface Choosing<V extends string> {
  readonly options?: readonly Option<V>[];
  readonly onChoose?: (value: V) => void;
}

/** A choice: first what is inside, then the options. */
export function Select<V extends string>({
  options = [],
  onChoose,
  look,
  children,
  ...select
}: Omit<ComponentProps<"select">, "className" | "onChange"> & Choosing<V> & Pick<Labelled, "look">) {
  const all = options.map((option) =>
    typeof option === "string" ? { value: option, label: option } : option,
  );
  return (
    <select
      {...select}
      className={cx("field-control", look)}
      onChange={(event) => {
        const chosen = all.find(({ value }) => value === event.target.value);
        if (chosen !== undefined) onChoose?.(chosen.value);
      }}
    >
      {children}
      {all.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** A choice below its label. */
export function SelectField<V extends string>({
  label,
  hint,
  problem,
  className,
  ...select
}: Omit<Control<"select">, "onText"> & Choosing<V>) {
  return (
    <Field {...{ label, hint, problem, className }}>{(control) => <Select {...select} {...control} />}</Field>
  );
}

/** Records to choose from by name. */
export function optionsOf(
  records: readonly { readonly id: string; readonly name: string }[],
): readonly { readonly value: string; readonly label: string }[] {
  return records.map(({ id, name }) => ({ value: id, label: name }));
}
