import { useId, useState, type DragEvent, type ReactNode } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { useProblemsAt } from "./inspect-context.ts";
import { Select } from "../../ui/fields.tsx";

interface Props {
  readonly label: string;
  readonly help?: string | undefined;
  readonly required?: boolean;
  readonly pointer?: string;
  /** Show problems of what lies inside, too: nothing inside shows them itself. */
  readonly below?: boolean;
  readonly actions?: ReactNode;
  /** A group of controls instead of one. */
  readonly group?: boolean;
  /** Takes data that is dragged here: the type it has in the browser, and what to do with it. */
  readonly drop?: { readonly type: string; readonly take: (text: string) => void };
  readonly children: (control: {
    readonly id: string;
    readonly "aria-describedby"?: string | undefined;
    readonly "aria-invalid"?: true | undefined;
    readonly "aria-required"?: true | undefined;
  }) => ReactNode;
}

/** A labelled control with help and the problems at its place. */
export function Labelled({
  label,
  help = "",
  required = false,
  pointer = "-",
  below = true,
  actions,
  group = false,
  drop,
  children,
}: Props) {
  const id = useId();
  const [isOver, setIsOver] = useState(false);
  const problems = useProblemsAt(pointer, below);
  const described = [help === "" ? "" : `${id}-help`, problems.length === 0 ? "" : `${id}-bad`]
    .filter((part) => part !== "")
    .join(" ");
  const name = (
    <>
      {label}
      {required ? (
        <span aria-hidden className="text-bad" title="required">
          {" "}
          *
        </span>
      ) : null}
    </>
  );
  return (
    <div
      className={cx(
        "min-w-0 rounded-md",
        isOver && "outline-2 outline-offset-4 outline-accent outline-dashed",
      )}
      data-pointer={pointer}
      {...(drop !== undefined && {
        onDragOver: (event: DragEvent) => {
          if (!event.dataTransfer.types.includes(drop.type) || !isTaken(event)) return;
          event.preventDefault();
          event.stopPropagation();
          setIsOver(true);
        },
        onDragLeave: () => setIsOver(false),
        onDrop: (event: DragEvent) => {
          setIsOver(false);
          const text = event.dataTransfer.getData(drop.type);
          if (text === "" || !isTaken(event)) return;
          event.preventDefault();
          // The field inside of another one takes it alone.
          event.stopPropagation();
          drop.take(text);
        },
      })}
      {...(group && { role: "group", "aria-labelledby": `${id}-name` })}
    >
      <div className="mb-1 flex min-h-6 items-center gap-2">
        {group ? (
          <span id={`${id}-name`} className="min-w-0 flex-1 truncate font-medium">
            {name}
          </span>
        ) : (
          <label htmlFor={id} className="min-w-0 flex-1 truncate font-medium">
            {name}
          </label>
        )}
        {actions}
      </div>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": problems.length > 0 ? true : undefined,
        "aria-required": required && !group ? true : undefined,
      })}
      {help === "" ? null : (
        <p id={`${id}-help`} className="mt-1 line-clamp-3 text-xs text-ink-3" title={help}>
          {help}
        </p>
      )}
      {problems.length === 0 ? null : (
        <ul id={`${id}-bad`} className={cx("mt-1 space-y-0.5 text-sm text-bad")}>
          {problems.slice(0, 3).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Not what is over the tree that opened from this field, nor over an editor, which takes it as text where it is. */
function isTaken({ target, currentTarget }: DragEvent): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest("[data-code-editor]") === null
  );
}

/** A plain text control. */
export function TextField({
  label,
  value,
  onChange,
  multiline = false,
  mono = false,
  ...rest
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly help?: string;
  readonly required?: boolean;
  readonly pointer?: string;
  readonly multiline?: boolean;
  readonly mono?: boolean;
}) {
  return (
    <Labelled label={label} {...rest}>
      {(control) =>
        multiline ? (
          <textarea
            {...control}
            dir="auto"
            rows={2}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className="field-control field-sizing-content min-h-[34px]"
          />
        ) : (
          <input
            {...control}
            dir="auto"
            value={value}
            onChange={(event) => onChange(event.target.value)}
            className={cx("field-control", mono && "font-mono text-sm")}
          />
        )
      }
    </Labelled>
  );
}

const UNITS = [
  { name: "seconds", ms: 1_000 },
  { name: "minutes", ms: 60_000 },
  { name: "hours", ms: 3_600_000 },
  { name: "days", ms: 86_400_000 },
] as const;

/** A length of time as a number and a unit; kept as milliseconds. Empty means not set. */
export function DurationField({
  label,
  ms = null,
  onChange,
  optional = true,
  ...rest
}: {
  readonly label: string;
  readonly ms: number | null | undefined;
  readonly onChange: (ms: number | null) => void;
  readonly optional?: boolean;
  readonly help?: string;
  readonly pointer: string;
}) {
  const unit =
    UNITS.findLast((item) => ms !== null && ms > 0 && ms % item.ms === 0) ?? UNITS[ms === null ? 1 : 0];
  const amount = ms === null ? "" : String(ms / unit.ms);
  return (
    <Labelled label={label} group {...rest}>
      {(control) => (
        <div className="flex gap-2">
          <input
            {...control}
            type="number"
            min={0}
            step="any"
            aria-label={`${label}: amount`}
            value={amount}
            placeholder={optional ? "not set" : "0"}
            onChange={(event) =>
              onChange(
                event.target.value === ""
                  ? null
                  : Math.round(Math.max(0, Number(event.target.value)) * unit.ms),
              )
            }
            className="field-control w-28!"
          />
          <Select
            aria-label={`${label}: unit`}
            look="w-32!"
            value={unit.name}
            options={UNITS.map(({ name }) => name)}
            onChoose={(chosen) => {
              const next = UNITS.find(({ name }) => name === chosen);
              if (next !== undefined && ms !== null) onChange(Math.round((ms / unit.ms) * next.ms));
            }}
          />
        </div>
      )}
    </Labelled>
  );
}
