import type { KeyboardEvent } from "react";

interface Props<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** A small choice between views: radio buttons drawn as one row. The arrow keys choose, as in any group of them. */
export function Segmented<T extends string>({ label, value, options, onChange }: Props<T>) {
  const known = options.some((option) => option.value === value);
  const move = (event: KeyboardEvent<HTMLElement>, at: number) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const to = (at + step + options.length) % options.length;
    const next = options[to];
    const button = event.currentTarget.parentElement?.children[to];
    if (next !== undefined) onChange(next.value);
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="inline-flex max-w-full shrink-0 flex-wrap rounded-lg border border-line bg-sunken p-0.5"
    >
      {options.map((option, at) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value || (!known && at === 0) ? 0 : -1}
          onClick={() => {
            if (option.value !== value) onChange(option.value);
          }}
          onKeyDown={(event) => move(event, at)}
          className="h-6 rounded-[6px] px-2.5 text-sm font-medium text-ink-2 hover:text-ink aria-checked:bg-raised aria-checked:text-ink aria-checked:shadow-card"
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
