import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import {
  fromCel,
  JOINS,
  operatorsFor,
  OPERATORS,
  toCel,
  type Comparison,
  type Condition,
} from "./condition.ts";
import { useExpertView } from "../expert-view.ts";
import { ExpressionField } from "./expression-field.tsx";
import { Labelled } from "./field.tsx";
import { useInspect } from "./inspect-context.ts";
import { ReferencePicker } from "./reference-picker.tsx";
import { sourceAt, type Scope, type Source } from "./scope.ts";
import { typeWord } from "./source-words.ts";
import { Select } from "../../ui/fields.tsx";

/** What can be compared. */
const COMPARABLE = { type: ["number", "integer", "boolean", "string", "array"] };

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (cel: string) => void;
  readonly pointer: string;
  readonly help?: string;
}

/** A condition as sentences: this is, is not, is more than that. What says more is written as an expression. */
export function ConditionField({ label, value, onChange, pointer, help }: Props) {
  const { scope } = useInspect();
  const condition = fromCel(value);
  const [asText, setAsText] = useState(condition === null);
  const isExpert = useExpertView();
  const text = condition === null || (asText && isExpert);
  return (
    <Labelled
      label={label}
      help={help}
      pointer={pointer}
      group
      actions={
        isExpert ? (
          <Button size="sm" look="ghost" disabled={condition === null} onClick={() => setAsText(!text)}>
            {text ? "As sentences" : "As an expression"}
          </Button>
        ) : null
      }
    >
      {() =>
        text ? (
          <ExpressionField label={`${label}: expression`} value={value} wanted="bool" onChange={onChange} />
        ) : (
          <Rows
            label={label}
            condition={condition}
            scope={scope}
            onChange={(next) => onChange(toCel(next))}
          />
        )
      }
    </Labelled>
  );
}

function Rows({
  label,
  condition,
  scope,
  onChange,
}: {
  readonly label: string;
  readonly condition: Condition;
  readonly scope: Scope;
  readonly onChange: (next: Condition) => void;
}) {
  const { rows, join } = condition;
  const write = (index: number, row: Comparison) =>
    onChange({ join, rows: rows.map((old, at) => (at === index ? row : old)) });
  return (
    <div className="space-y-2">
      {rows.map((row, index) => (
        <Row
          key={index}
          name={`${label} ${index + 1}`}
          row={row}
          source={sourceAt(scope.sources, row.left)}
          onChange={(next) => write(index, next)}
          onRemove={() => onChange({ join, rows: rows.filter((_, at) => at !== index) })}
        />
      ))}
      {rows.length > 1 ? (
        <Select
          aria-label={`${label}: how the comparisons are combined`}
          look="min-h-7! w-44! py-0! text-sm"
          value={join}
          options={JOINS}
          onChoose={(chosen) => onChange({ rows, join: chosen })}
        />
      ) : null}
      <ReferencePicker
        label={label}
        wanted={COMPARABLE}
        onPick={(source) => onChange({ join, rows: [...rows, startRow(source)] })}
        trigger={
          <button
            type="button"
            data-autofocus={rows.length === 0 || undefined}
            className="inline-flex h-7 items-center gap-1.5 rounded-[7px] border border-line bg-surface px-2 text-sm font-medium shadow-card hover:bg-hover [&_svg]:size-3.5"
          >
            <Plus /> {rows.length === 0 ? "Choose what to look at" : "AND"}
          </button>
        }
      />
    </div>
  );
}

function startRow(source: Source): Comparison {
  const type = typeWord(source.schema, source.sample);
  // Of a number, people mostly ask whether there is any.
  const op = type === "number" ? "above" : (operatorsFor(type)[0]?.op ?? "is");
  return { left: source.path, op, right: type === "number" ? 0 : "" };
}

function Row({
  name,
  row,
  source,
  onChange,
  onRemove,
}: {
  readonly name: string;
  readonly row: Comparison;
  readonly source: Source | null;
  readonly onChange: (row: Comparison) => void;
  readonly onRemove: () => void;
}) {
  const type = source === null ? "" : typeWord(source.schema, source.sample);
  const offered = operatorsFor(type);
  const operators = offered.some((item) => item.op === row.op) ? offered : OPERATORS;
  const takes = OPERATORS.find((item) => item.op === row.op)?.takes === true;
  const numeric = type === "number" || (type === "" && typeof row.right === "number");
  return (
    <div className="flex flex-wrap items-center gap-1.5 rounded-lg border border-line p-2">
      <ReferencePicker
        label={name}
        wanted={COMPARABLE}
        onPick={(next) =>
          onChange({
            ...startRow(next),
            ...(typeWord(next.schema, next.sample) === type && { op: row.op, right: row.right }),
          })
        }
        trigger={
          <button
            type="button"
            aria-label={`${name}: what to look at`}
            className="min-w-0 flex-1 basis-40 truncate rounded-md bg-accent-soft px-2 py-1 text-left text-sm text-accent-ink"
          >
            {source === null ? row.left : source.trail.join(" › ")}
          </button>
        }
      />
      <Select
        aria-label={`${name}: comparison`}
        look="min-h-7! w-36! py-0! text-sm"
        value={row.op}
        options={operators.map(({ op, label }) => ({ value: op, label }))}
        onChoose={(op) => onChange({ ...row, op })}
      />
      {takes ? (
        <input
          aria-label={`${name}: value`}
          dir="auto"
          inputMode={numeric ? "decimal" : "text"}
          value={String(row.right)}
          onChange={(event) => {
            const text = event.target.value;
            const asNumber = numeric && /^-?\d+(\.\d+)?$/.test(text);
            onChange({ ...row, right: asNumber ? Number(text) : numeric && text === "" ? 0 : text });
          }}
          className="field-control min-h-7! w-32! flex-1 py-0! text-sm"
        />
      ) : null}
      <IconButton label={`Remove ${name}`} onClick={onRemove}>
        <Trash2 />
      </IconButton>
    </div>
  );
}
