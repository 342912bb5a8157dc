import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import {
  fromCel,
  JOINS,
  operatorsFor,
  toCel,
  type Comparison,
  type Condition,
} from "../../workflow/inspect/condition.ts";
import { Select } from "../../ui/fields.tsx";

type Choice = readonly [value: string, label: string];

/** What rules ask about a call: how it is called in rules and for people, its type, and what it can be. */
interface Subject {
  readonly left: string;
  readonly label: string;
  readonly type: "text" | "number" | "yes/no";
  readonly choices?: readonly Choice[];
}

const ARGUMENT = "args.";
const SUBJECTS: readonly Subject[] = [
  {
    left: "effect",
    label: "What it does",
    type: "text",
    choices: [
      ["read", "reads"],
      ["write", "writes"],
      ["destructive", "deletes or overwrites"],
    ],
  },
  { left: "agent", label: "An agent calls", type: "yes/no" },
  { left: "server", label: "Connection", type: "text" },
  { left: "tool", label: "Operation", type: "text" },
  { left: ARGUMENT, label: "Argument", type: "text" },
  {
    left: "caller.kind",
    label: "Caller",
    type: "text",
    choices: [
      ["person", "a person"],
      ["oauth", "a connected client"],
      ["token", "a person's token"],
      ["key", "a key"],
      ["anonymous", "a guest"],
    ],
  },
  { left: "caller.name", label: "Name of the client or token", type: "text" },
  { left: "person.email", label: "E-mail address of the person", type: "text" },
  { left: "person.role", label: "Role of the person", type: "text" },
  { left: "time.hour", label: "Hour of the day (UTC)", type: "number" },
];

/** What a row asks about: one of the above, or an argument. */
function subjectOf(left: string): Subject | undefined {
  return SUBJECTS.find((one) => one.left === left || (one.left === ARGUMENT && left.startsWith(ARGUMENT)));
}

/** A condition as comparisons of what rules know; null when it says more than that. */
function comparisonsIn(when: string): Condition | null {
  const condition = fromCel(when);
  return condition?.rows.every(({ left }) => subjectOf(left) !== undefined) === true ? condition : null;
}

/** A condition in words; an expression that says more is shown as it is written. */
export function RuleWords({ when }: { readonly when: string }) {
  const condition = comparisonsIn(when);
  if (condition === null || condition.rows.length === 0)
    return <code className="text-sm break-all text-ink-2">{when}</code>;
  const parts = condition.rows.map(({ left, op, right }) => {
    const { label = left, type = "text", choices = [] } = subjectOf(left) ?? {};
    const how = operatorsFor(type).find((one) => one.op === op);
    const value = choices.find(([one]) => one === right)?.[1] ?? String(right);
    const what = left.startsWith(ARGUMENT) ? `${label} ${left.slice(ARGUMENT.length)}` : label;
    return `${what} ${how?.label ?? op}${how?.takes === true ? ` ${value}` : ""}`;
  });
  return (
    <span className="text-sm break-words text-ink-2">
      {parts.join(condition.join === "all" ? " and " : " or ")}
    </span>
  );
}

/** The condition of a rule as comparisons; what says more is an expression. */
export function RuleCondition({
  when,
  onChange,
}: {
  readonly when: string;
  readonly onChange: (when: string) => void;
}) {
  const id = useId();
  const known = comparisonsIn(when);
  // Null while it is written as an expression. A half-typed value is kept here as it is.
  const [condition, setCondition] = useState(known);
  return (
    <div role="group" aria-labelledby={`${id}-name`}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <span id={`${id}-name`} className="font-medium">
          It decides about calls where
        </span>
        <Button
          size="sm"
          look="ghost"
          disabled={known === null}
          onClick={() => setCondition(condition === null ? known : null)}
        >
          {condition === null ? "As sentences" : "As an expression"}
        </Button>
      </div>
      {condition === null ? (
        <>
          <textarea
            aria-label="Condition"
            rows={4}
            spellCheck={false}
            value={when}
            aria-describedby={`${id}-hint`}
            className="field-control font-mono"
            onChange={(event) => onChange(event.target.value)}
          />
          <p id={`${id}-hint`} className="mt-1 text-sm text-ink-2">
            CEL over tool, server, effect (read, write, destructive), agent, args, caller, person and time.
            For example: <code>{'tool == "shop:refund" && args.body.amount > 100.0'}</code>
          </p>
        </>
      ) : (
        <Rows
          condition={condition}
          onChange={(next) => {
            setCondition(next);
            onChange(toCel(next));
          }}
        />
      )}
    </div>
  );
}

function Rows({
  condition,
  onChange,
}: {
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}) {
  const { rows, join } = condition;
  const first: Comparison = { left: "effect", op: "is", right: "write" };
  return (
    <div className="space-y-2">
      {rows.map((row, at) => (
        <Row
          key={at}
          name={`Comparison ${at + 1}`}
          row={row}
          onChange={(next) => onChange({ join, rows: rows.with(at, next) })}
          onRemove={rows.length === 1 ? null : () => onChange({ join, rows: rows.toSpliced(at, 1) })}
        />
      ))}
      {rows.length > 1 ? (
        <Select
          aria-label="How the comparisons are combined"
          look="w-44!"
          value={join}
          options={JOINS}
          onChoose={(chosen) => onChange({ rows, join: chosen })}
        />
      ) : null}
      <div>
        <Button size="sm" onClick={() => onChange({ join, rows: [...rows, first] })}>
          <Plus /> Add a comparison
        </Button>
      </div>
    </div>
  );
}

function Row({
  name,
  row,
  onChange,
  onRemove,
}: {
  readonly name: string;
  readonly row: Comparison;
  readonly onChange: (row: Comparison) => void;
  readonly onRemove: (() => void) | null;
}) {
  const id = useId();
  const subject = subjectOf(row.left);
  const { left = "", type = "text", choices } = subject ?? {};
  const isArgument = left === ARGUMENT;
  const operators = isArgument
    ? ["text", "number"].flatMap(operatorsFor).filter((one, at, all) => all.indexOf(one) === at)
    : operatorsFor(type).filter(({ op }) => choices === undefined || op === "is" || op === "is_not");
  const takes = operators.find(({ op }) => op === row.op)?.takes === true;
  const isNumber = type === "number" || isArgument;
  const connections = useOperation("list_connections", {}, { enabled: left === "server" }).data;
  const write = (text: string) =>
    onChange({ ...row, right: isNumber && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text });
  return (
    <div className="flex flex-wrap items-center gap-1.5 rounded-lg border border-line p-2">
      <Select
        aria-label={`${name}: what to look at`}
        look="basis-40"
        value={left}
        options={SUBJECTS.map((one) => ({ value: one.left, label: one.label }))}
        onChoose={(chosen) => {
          const next = SUBJECTS.find((one) => one.left === chosen);
          if (next === undefined) return;
          const [op] = operatorsFor(next.type);
          const right = next.type === "number" ? 0 : (next.choices?.[0]?.[0] ?? "");
          onChange({ left: next.left === ARGUMENT ? "args.amount" : next.left, op: op?.op ?? "is", right });
        }}
      />
      {isArgument ? (
        <input
          aria-label={`${name}: name of the argument`}
          value={row.left.slice(ARGUMENT.length)}
          onChange={(event) => {
            const path = event.target.value.replaceAll(/[^A-Za-z0-9_.]/g, "");
            onChange({ ...row, left: `${ARGUMENT}${path}` });
          }}
          className="field-control w-32! flex-1 font-mono"
        />
      ) : null}
      <Select
        aria-label={`${name}: comparison`}
        look="w-36!"
        value={row.op}
        options={operators.map(({ op, label }) => ({ value: op, label }))}
        onChoose={(op) => onChange({ ...row, op })}
      />
      {!takes ? null : choices === undefined ? (
        <input
          aria-label={`${name}: value`}
          inputMode={type === "number" ? "decimal" : "text"}
          value={String(row.right)}
          list={connections === undefined ? undefined : `${id}-names`}
          onChange={(event) => write(event.target.value)}
          className="field-control w-32! flex-1"
        />
      ) : (
        <Select
          aria-label={`${name}: value`}
          look="w-44! flex-1"
          value={String(row.right)}
          options={choices.map(([value, label]) => ({ value, label }))}
          onChoose={write}
        />
      )}
      {connections === undefined ? null : (
        <datalist id={`${id}-names`}>
          {connections.connections.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
      )}
      {onRemove === null ? null : (
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      )}
    </div>
  );
}
