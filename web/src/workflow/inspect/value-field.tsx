import type { Json } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { deref, type SchemaOrNull } from "#workflows/schema-types.ts";
import { asWritten } from "#workflows/values.ts";
import { Link2, PenLine, SquareFunction, X } from "lucide-react";
import { useId } from "react";
import { literal } from "@workflow-ui/forms";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { useExpertView } from "../expert-view.ts";
import { ExpressionField } from "./expression-field.tsx";
import { Labelled } from "./field.tsx";
import { FixedValue } from "./fixed-value.tsx";
import { useInspect } from "./inspect-context.ts";
import { DATA_MIME, ReferencePicker } from "./reference-picker.tsx";
import { kindOfSchema, startOf } from "./value-kinds.ts";

interface Props {
  readonly label: string;
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  readonly schema: SchemaOrNull;
  /** Where local `$ref`s of the schema point. */
  readonly root?: SchemaOrNull;
  readonly help?: string | undefined;
  readonly required?: boolean;
  readonly pointer: string;
  readonly autoFocus?: boolean;
  readonly onRemove?: (() => void) | undefined;
  readonly depth?: number;
}

type Mode = "value" | "reference" | "expression";

/** Which of the three ways a value is given in. */
function modeOf(value: Json | undefined): Mode {
  if (!isJsonRecord(value)) return "value";
  if (typeof value["$ref"] === "string") return "reference";
  return typeof value["$expr"] === "string" ? "expression" : "value";
}

/** The text of a tagged value; empty when it is another one. */
function taggedText(value: Json | undefined, tag: "$ref" | "$expr"): string {
  const text = isJsonRecord(value) ? value[tag] : undefined;
  return typeof text === "string" ? text : "";
}

/** One field of a step: a fixed value, a reference to data, or an expression. */
export function ValueField({
  label,
  value,
  onChange,
  schema: given,
  root = given,
  help,
  required = false,
  pointer,
  autoFocus = false,
  onRemove,
  depth = 0,
}: Props) {
  const { scope } = useInspect();
  const isExpert = useExpertView();
  const schema = deref(given, root);
  const mode = modeOf(value);
  const picker = useId();
  const ref = taggedText(value, "$ref");
  const sample = mode === "value" ? undefined : scope.preview(value);
  return (
    <Labelled
      label={label}
      help={help}
      required={required}
      pointer={pointer}
      drop={{ type: DATA_MIME, take: (path) => onChange({ $ref: path }) }}
      below={mode !== "value" || isLeafValue(value)}
      group={
        mode !== "value" || !isLeafValue(value) || ["fields", "list", "any"].includes(kindOfSchema(schema))
      }
      actions={
        <span className="flex items-center">
          <ModeButton
            label={`${label}: value`}
            title="Fixed value"
            on={mode === "value"}
            onClick={() => mode !== "value" && onChange(startOf(schema, root, required))}
          >
            <PenLine />
          </ModeButton>
          <ReferencePicker
            label={label}
            wanted={schema}
            onPick={(source) => onChange({ $ref: source.path })}
            trigger={
              <button
                id={picker}
                type="button"
                aria-label={`${label}: reference`}
                title="Use data from inputs or earlier steps"
                aria-pressed={mode === "reference"}
                // A list or a record is mostly taken from an earlier step; its own fields come first where it has some.
                data-autofocus={(autoFocus && mode === "value" && isTaken(schema)) || undefined}
                className={modeClass(mode === "reference")}
              >
                <Link2 />
              </button>
            }
          />
          {isExpert ? (
            <ModeButton
              label={`${label}: expression`}
              title="Expression"
              on={mode === "expression"}
              onClick={() => mode !== "expression" && onChange({ $expr: ref === "" ? "" : asWritten(ref) })}
            >
              <SquareFunction />
            </ModeButton>
          ) : null}
          {onRemove === undefined ? null : (
            <IconButton label={`Remove ${label}`} onClick={onRemove}>
              <X />
            </IconButton>
          )}
        </span>
      }
    >
      {(control) =>
        mode === "reference" ? (
          <button
            type="button"
            id={control.id}
            aria-describedby={control["aria-describedby"]}
            onClick={() => document.getElementById(picker)?.click()}
            className="field-control flex items-center gap-2 text-left"
          >
            <Link2 aria-hidden className="size-3.5 shrink-0 text-accent-ink" />
            <span className="sr-only">{label}: </span>
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {scope.describe(ref)}
            </span>
            {sample === undefined || sample === null ? null : (
              <span className="max-w-[45%] truncate text-xs text-ink-3" title="With the latest sample">
                {literal(sample)}
              </span>
            )}
          </button>
        ) : mode === "expression" ? (
          <ExpressionField
            label={`${label}: expression`}
            value={taggedText(value, "$expr")}
            onChange={(next) => onChange({ ...(isJsonRecord(value) ? value : {}), $expr: next })}
          />
        ) : (
          <FixedValue
            control={control}
            label={label}
            value={value}
            schema={schema}
            root={root}
            required={required}
            pointer={pointer}
            autoFocus={autoFocus}
            depth={depth}
            onChange={onChange}
          />
        )
      }
    </Labelled>
  );
}

/** True where no control of its own takes the value. */
function isTaken(schema: SchemaOrNull): boolean {
  const kind = kindOfSchema(schema);
  return kind === "list" || kind === "any" || (kind === "fields" && schema?.["properties"] === undefined);
}

/** True for a value that one control shows. */
function isLeafValue(value: Json | undefined): boolean {
  return typeof value !== "object" || value === null;
}

function modeClass(on: boolean): string {
  return cx(
    "grid size-6 place-items-center rounded-md [&_svg]:size-3.5",
    on ? "bg-accent-soft text-accent-ink" : "text-ink-3 hover:bg-hover hover:text-ink",
  );
}

function ModeButton({
  label,
  title,
  on,
  onClick,
  children,
}: {
  readonly label: string;
  readonly title: string;
  readonly on: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={title}
      aria-pressed={on}
      onClick={onClick}
      className={modeClass(on)}
    >
      {children}
    </button>
  );
}
