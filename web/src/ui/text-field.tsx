import { useId, type ComponentProps, type ReactNode } from "react";

interface Props extends Omit<ComponentProps<"input">, "id" | "className"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
}

/** A labelled field of a plain form, with what is wrong with its value. */
export function TextField({ label, hint, problem, ...input }: Props) {
  const id = useId();
  const notes = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(problem === undefined ? [] : [`${id}-problem`]),
  ];
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={notes.length === 0 ? undefined : notes.join(" ")}
        className="field-control"
        {...input}
      />
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
