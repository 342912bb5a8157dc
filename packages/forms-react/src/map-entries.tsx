import { type Field, type MapRule, matchesPattern, childPointer, initialOf } from "@workflow-ui/forms";
import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { cx } from "./ui/cx.ts";
import { Button, IconButton } from "./ui/button.tsx";
import { Blocks } from "./blocks.tsx";
import { useObjectKeys } from "./containers.tsx";
import { useFormScope } from "./context.ts";
import { FieldView } from "./field-view.tsx";

interface Props {
  readonly field: Field;
  readonly rule: MapRule;
  readonly pointer: string;
  readonly depth: number;
  readonly known: readonly Field[];
}

/** The entries of an object whose keys the person names. */
export function MapEntries({ field, rule, pointer, depth, known }: Props) {
  const { store, document, readOnly, t } = useFormScope();
  const keys = useObjectKeys(pointer, known);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState("");
  const id = useId();
  const fixed = readOnly || field.readOnly === true;
  const open = rule.additional !== null || rule.patterns.length > 0;
  const add = () => {
    const wrong =
      name === ""
        ? "Name the entry first"
        : keyProblem(name, rule, [...keys, ...known.map((child) => child.name)]);
    setProblem(wrong);
    const entry = entryField(rule, name);
    if (wrong !== "" || entry === null) return;
    store.set(childPointer(pointer, name), initialOf(document, entry) ?? null);
    store.onAnnounce(`Entry ${name} added`);
    setName("");
  };
  if (keys.length === 0 && (fixed || !open)) return null;
  return (
    <div className="space-y-3">
      <Blocks
        items={keys}
        keyOf={(key) => key}
        pointerOf={(key) => childPointer(pointer, key)}
        render={(key) => (
          <Entry
            name={key}
            field={entryField(rule, key)}
            pointer={pointer}
            depth={depth}
            fixed={fixed}
            check={(next) => keyProblem(next, rule, [...keys, ...known.map((child) => child.name)])}
          />
        )}
      />
      {fixed || !open ? null : (
        <div>
          <div className="flex flex-wrap items-center gap-2">
            <input
              aria-label={t(`Name of a new entry in ${field.label || "the object"}`)}
              aria-invalid={problem !== "" || undefined}
              aria-describedby={`${id}-hint`}
              value={name}
              list={rule.key?.options === undefined ? undefined : `${id}-keys`}
              placeholder={t(
                rule.patterns[0] !== undefined && rule.additional === null
                  ? `name matching ${rule.patterns[0].pattern}`
                  : "name",
              )}
              onChange={(event) => {
                setName(event.target.value);
                setProblem("");
              }}
              onKeyDown={(event) => {
                if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
                event.preventDefault();
                add();
              }}
              className="field-control w-56 font-mono"
            />
            {rule.key?.options === undefined ? null : (
              <datalist id={`${id}-keys`}>
                {rule.key.options.map((option) => (
                  <option key={option} value={option} />
                ))}
              </datalist>
            )}
            <Button size="sm" className="h-[34px]" onClick={add}>
              <Plus /> {t("Add entry")}
            </Button>
          </div>
          <p
            id={`${id}-hint`}
            role={problem === "" ? undefined : "alert"}
            className={cx("mt-1 text-sm text-bad", problem === "" && "sr-only")}
          >
            {t(problem === "" ? "Type a name, then add the entry." : problem)}
          </p>
        </div>
      )}
    </div>
  );
}

interface EntryProps {
  readonly name: string;
  readonly field: Field | null;
  readonly pointer: string;
  readonly depth: number;
  readonly fixed: boolean;
  readonly check: (next: string) => string;
}

function Entry({ name, field, pointer, depth, fixed, check }: EntryProps) {
  const { store, t } = useFormScope();
  const [typed, setTyped] = useState(name);
  const [problem, setProblem] = useState("");
  const at = childPointer(pointer, name);
  const shown: Field = field ?? {
    name,
    path: at,
    label: name,
    type: "any",
    widget: "json",
    required: false,
    nullable: false,
    raw: { code: "anything_allowed", reason: t("The schema does not describe this entry.") },
  };
  const rename = () => {
    const wrong = typed === name ? "" : check(typed);
    setProblem(wrong);
    if (wrong === "") store.rename(pointer, name, typed);
  };
  return (
    <div className="flex flex-wrap items-start gap-2 rounded-lg border border-line p-2.5 sm:flex-nowrap">
      <div className="w-full sm:w-44 sm:shrink-0">
        <input
          aria-label={t(`Name of entry ${name}`)}
          aria-invalid={problem !== "" || undefined}
          value={typed}
          readOnly={fixed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={rename}
          className="field-control font-mono"
        />
        {problem === "" ? null : <p className="mt-1 text-sm text-bad">{t(problem)}</p>}
      </div>
      <div className="min-w-0 flex-1">
        <FieldView
          field={{ ...shown, name, label: shown.label === "" ? name : shown.label, required: true }}
          pointer={at}
          depth={depth + 1}
          bare
        />
      </div>
      {fixed ? null : (
        <IconButton
          label={t(`Remove entry ${name}`)}
          onClick={() => {
            store.set(at, undefined);
            store.onAnnounce(`Entry ${name} removed`);
          }}
        >
          <Trash2 />
        </IconButton>
      )}
    </div>
  );
}

function entryField(rule: MapRule, key: string): Field | null {
  return rule.patterns.find(({ pattern }) => matchesPattern(pattern, key) === true)?.field ?? rule.additional;
}

function keyProblem(key: string, rule: MapRule, taken: readonly string[]): string {
  if (taken.includes(key)) return `“${key}” is there already`;
  if (entryField(rule, key) === null)
    return `The name must match ${rule.patterns.map(({ pattern }) => pattern).join(" or ")}`;
  const wants = rule.key;
  if (wants?.options !== undefined && !wants.options.includes(key))
    return `The name must be one of ${wants.options.join(", ")}`;
  if (wants?.pattern !== undefined && matchesPattern(wants.pattern, key) === false)
    return `The name must match ${wants.pattern}`;
  if (wants?.minLength !== undefined && key.length < wants.minLength)
    return `The name needs at least ${wants.minLength} characters`;
  if (wants?.maxLength !== undefined && key.length > wants.maxLength)
    return `The name may have at most ${wants.maxLength} characters`;
  return "";
}
