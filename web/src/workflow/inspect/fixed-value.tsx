import type { JsonObject, Json } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { deref, type SchemaOrNull } from "#workflows/schema-types.ts";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { words } from "../../lib/format.ts";
import { textAt, textsAt, objectAt } from "../../lib/read.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { ValueField } from "./value-field.tsx";
import { choicesOf, kindOfSchema, kindOfValue, startOf, type ValueKind } from "./value-kinds.ts";
import { Select } from "../../ui/fields.tsx";

interface Props {
  readonly control: {
    readonly id: string;
    readonly "aria-describedby"?: string | undefined;
    readonly "aria-invalid"?: true | undefined;
    readonly "aria-required"?: true | undefined;
  };
  readonly label: string;
  readonly value: Json | undefined;
  readonly schema: SchemaOrNull;
  readonly root: SchemaOrNull;
  readonly required: boolean;
  readonly pointer: string;
  readonly autoFocus: boolean;
  readonly depth: number;
  readonly onChange: (value: Json | undefined) => void;
}

/** The control for a fixed value, by what the schema asks for or by what the value is. */
export function FixedValue(props: Props) {
  const { schema, value } = props;
  const asked = kindOfSchema(schema);
  if (asked === "any") return <AnyValue {...props} />;
  const has = kindOfValue(value);
  const fits = has === "none" || has === asked || asked === "choice";
  return fits ? <Kind kind={asked} {...props} /> : <AnyValue {...props} />;
}

const KINDS: readonly {
  readonly kind: ValueKind;
  readonly label: string;
  readonly start: Json | undefined;
}[] = [
  { kind: "none", label: "Not set", start: undefined },
  { kind: "text", label: "Text", start: "" },
  { kind: "number", label: "Number", start: 0 },
  { kind: "flag", label: "Yes or no", start: true },
  { kind: "fields", label: "Fields", start: {} },
  { kind: "list", label: "List", start: [] },
];

/** A value whose schema leaves its type open: the person chooses it. */
function AnyValue(props: Props) {
  const { label, value, required, onChange } = props;
  const kind = kindOfValue(value);
  const offered = KINDS.filter((item) => item.kind !== "none" || !required || kind === "none");
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <Select
        aria-label={`Type of ${label}`}
        look="min-h-7! w-32! py-0! text-sm"
        value={kind}
        options={offered.map((item) => ({ value: item.kind, label: item.label }))}
        onChoose={(next) => onChange(KINDS.find((item) => item.kind === next)?.start)}
      />
      {kind === "none" ? null : <Kind kind={kind} {...props} />}
    </div>
  );
}

function Kind({ kind, ...props }: Props & { readonly kind: ValueKind }) {
  const { control, label, value, schema, required, autoFocus, onChange } = props;
  if (kind === "fields") return <Fields {...props} />;
  if (kind === "list") return <Items {...props} />;
  if (kind === "number") return <NumberInput {...props} />;
  if (kind === "flag" || kind === "choice") {
    const choices = kind === "flag" ? FLAGS : choicesOf(schema);
    const at = choices.findIndex((choice) => choice.value === value);
    return (
      <Select
        {...control}
        value={at < 0 ? "" : String(at)}
        options={[
          ...(at < 0 || !required ? [{ value: "", label: required ? "Choose…" : "Not set" }] : []),
          ...choices.map((choice, index) => ({ value: String(index), label: choice.label })),
        ]}
        onChoose={(index) => onChange(index === "" ? undefined : choices[Number(index)]?.value)}
      />
    );
  }
  return (
    <textarea
      {...control}
      dir="auto"
      rows={1}
      aria-label={kindOfSchema(schema) === "any" ? label : undefined}
      data-autofocus={autoFocus || undefined}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => onChange(event.target.value === "" && !required ? undefined : event.target.value)}
      className="field-control field-sizing-content max-h-60 min-h-[34px] resize-none"
    />
  );
}

const FLAGS = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

/** A number; what is typed on the way to one stays as it is. */
function NumberInput({ control, label, value, schema, autoFocus, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (typeof value === "number" ? String(value) : "");
  return (
    <input
      {...control}
      inputMode="decimal"
      aria-label={kindOfSchema(schema) === "any" ? label : undefined}
      data-autofocus={autoFocus || undefined}
      value={shown}
      onChange={(event) => {
        const text = event.target.value;
        setTyped(text);
        if (text.trim() === "") onChange(undefined);
        else if (/^[-+.\de]+$/i.test(text.trim()) && Number.isFinite(Number(text))) onChange(Number(text));
      }}
      onBlur={() => setTyped(null)}
      className="field-control w-40!"
    />
  );
}

/** An object: the fields of its schema, then those that were added. */
function Fields({ label, value, schema, root, pointer, depth, autoFocus, onChange }: Props) {
  const bag = isJsonRecord(value) ? value : {};
  const properties = Object.entries(objectAt(schema, "properties"));
  const required = new Set(textsAt(schema, "required"));
  const known = new Set(properties.map(([name]) => name));
  const closed = schema !== null && schema["additionalProperties"] === false;
  const extra = Object.keys(bag).filter((name) => !known.has(name));
  const more: SchemaOrNull =
    schema !== null && isJsonRecord(schema["additionalProperties"])
      ? { ...schema["additionalProperties"] }
      : null;
  const set = (name: string, next: Json | undefined) => onChange(withMember(bag, name, next));
  // The name of a field that was just added is typed next.
  const [fresh, setFresh] = useState("");
  const shown = properties.filter(
    ([name]) => required.has(name) || Object.hasOwn(bag, name) || properties.length <= 5,
  );
  const hidden = properties.filter((entry) => !shown.includes(entry));
  return (
    <div className="space-y-3 border-l-2 border-line pl-3">
      {shown.map(([name, property], index) => (
        <ValueField
          key={name}
          autoFocus={autoFocus && index === 0}
          label={textAt(property, "title", words(name))}
          help={textAt(property, "description")}
          schema={isJsonRecord(property) ? { ...property } : null}
          root={root}
          required={required.has(name)}
          value={bag[name]}
          pointer={`${pointer}/${name}`}
          depth={depth + 1}
          onChange={(next) => set(name, next)}
        />
      ))}
      {extra.map((name, index) => (
        <div key={index} className="space-y-1">
          {closed ? (
            <p className="text-sm text-warn">“{words(name)}” is not a field of this.</p>
          ) : (
            <input
              aria-label={`Name of field ${index + 1} of ${label}`}
              ref={(input) => {
                if (input !== null && fresh === name) {
                  setFresh("");
                  input.select();
                }
              }}
              value={name}
              onChange={(event) => onChange(renamed(bag, name, event.target.value))}
              className="field-control min-h-7! py-0! text-sm"
            />
          )}
          <ValueField
            label={name === "" ? "New field" : words(name)}
            schema={more}
            root={root}
            required
            value={bag[name]}
            pointer={`${pointer}/${name}`}
            depth={depth + 1}
            onChange={(next) => set(name, next ?? null)}
            onRemove={() => set(name, undefined)}
          />
        </div>
      ))}
      {hidden.length === 0 ? null : (
        <Select
          aria-label={`Add a field to ${label}`}
          look="min-h-7! w-48! py-0! text-sm"
          value=""
          options={hidden.map(([value, about]) => ({ value, label: textAt(about, "title", words(value)) }))}
          onChoose={(chosen) => {
            const property = hidden.find(([name]) => name === chosen)?.[1];
            const target = deref(isJsonRecord(property) ? { ...property } : null, root);
            set(chosen, startOf(target, root, true) ?? "");
          }}
        >
          <option value="">Add a field…</option>
        </Select>
      )}
      {closed ? null : (
        <Button
          size="sm"
          look="ghost"
          onClick={() => {
            setFresh(freeName(bag));
            set(freeName(bag), "");
          }}
        >
          <Plus /> Field
        </Button>
      )}
    </div>
  );
}

function freeName(bag: JsonObject): string {
  for (let n = 1; ; n++) if (!Object.hasOwn(bag, `field${n}`)) return `field${n}`;
}

function withMember(bag: JsonObject, name: string, next: Json | undefined): JsonObject {
  if (next !== undefined) return { ...bag, [name]: next };
  return Object.fromEntries(Object.entries(bag).filter(([key]) => key !== name));
}

function renamed(bag: JsonObject, from: string, to: string): JsonObject {
  if (to === "" || Object.hasOwn(bag, to)) return bag;
  return Object.fromEntries(Object.entries(bag).map(([key, item]) => [key === from ? to : key, item]));
}

/** A list: its items, each a value of its own. */
function Items({ label, value, schema, root, pointer, depth, onChange }: Props) {
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  const given = schema?.["items"];
  const item = deref(isJsonRecord(given) ? { ...given } : null, root);
  const move = (from: number, to: number) => {
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  return (
    <div className="space-y-3 border-l-2 border-line pl-3">
      {items.map((entry, index) => (
        <div key={index} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <ValueField
              label={`${index + 1}`}
              schema={item}
              root={root}
              required
              value={entry}
              pointer={`${pointer}/${index}`}
              depth={depth + 1}
              onChange={(next) => onChange(items.map((old, at) => (at === index ? (next ?? null) : old)))}
            />
          </div>
          <IconButton
            label={`Move ${label} ${index + 1} up`}
            disabled={index === 0}
            onClick={() => move(index, index - 1)}
          >
            <ArrowUp />
          </IconButton>
          <IconButton
            label={`Move ${label} ${index + 1} down`}
            disabled={index === items.length - 1}
            onClick={() => move(index, index + 1)}
          >
            <ArrowDown />
          </IconButton>
          <IconButton
            label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            <Trash2 />
          </IconButton>
        </div>
      ))}
      <Button size="sm" look="ghost" onClick={() => onChange([...items, startOf(item, root, true) ?? ""])}>
        <Plus /> Item
      </Button>
    </div>
  );
}
