import type { JsonObject } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { listAt, textAt, textsAt, objectAt } from "../../lib/read.ts";
import { words } from "../../lib/format.ts";
import { Button, IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { useExpertView } from "../expert-view.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { CheckField, Select } from "../../ui/fields.tsx";
import { CodeEditor } from "../../ui/lazy-code-editor.tsx";

const TYPES: readonly { readonly id: string; readonly label: string; readonly schema: JsonObject }[] = [
  { id: "text", label: "Text", schema: { type: "string" } },
  { id: "long", label: "Long text", schema: { type: "string", format: "multiline" } },
  { id: "number", label: "Number", schema: { type: "number" } },
  { id: "whole", label: "Whole number", schema: { type: "integer" } },
  { id: "flag", label: "Yes or no", schema: { type: "boolean" } },
  { id: "choice", label: "Choice", schema: { type: "string", enum: ["first", "second"] } },
  { id: "date", label: "Date", schema: { type: "string", format: "date" } },
  { id: "email", label: "Email", schema: { type: "string", format: "email" } },
  { id: "url", label: "Web address", schema: { type: "string", format: "uri" } },
  { id: "file", label: "File", schema: { type: "string", format: "artifact" } },
  { id: "texts", label: "List of texts", schema: { type: "array", items: { type: "string" } } },
  { id: "records", label: "List of records", schema: { type: "array", items: { type: "object" } } },
  { id: "object", label: "Record", schema: { type: "object" } },
  { id: "any", label: "Anything", schema: {} },
];

/** Which of the types a field's schema is. */
function typeIn(schema: JsonObject): string {
  if (Array.isArray(schema["enum"])) return "choice";
  const format = textAt(schema, "format");
  const type = textAt(schema, "type");
  if (type === "array") return textAt(schema, ["items", "type"]) === "object" ? "records" : "texts";
  const found = TYPES.find(
    (item) =>
      textAt(item.schema, "type") === type &&
      textAt(item.schema, "format") === format &&
      item.id !== "choice",
  );
  return found?.id ?? TYPES.find((item) => textAt(item.schema, "type") === type)?.id ?? "any";
}

interface Props {
  readonly label: string;
  readonly schema: JsonObject;
  readonly onChange: (schema: JsonObject) => void;
  readonly empty: string;
  /** True where a file can be given: form pages save one as an artifact. */
  readonly takesFiles?: boolean;
}

/** A JSON Schema of an object as a list of fields; the JSON itself is the other way to write it. */
export function FieldsBuilder({ label, schema, onChange, empty, takesFiles = false }: Props) {
  const isExpert = useExpertView();
  const [view, setView] = useState<"fields" | "json">("fields");
  const fields = Object.entries(objectAt(schema, "properties"));
  const required = textsAt(schema, "required");
  const write = (properties: JsonObject, needed: readonly string[]) => {
    const { required: _, ...rest } = schema;
    onChange({
      ...rest,
      type: "object",
      properties,
      ...(needed.length > 0 && { required: needed }),
      additionalProperties: schema["additionalProperties"] ?? false,
    });
  };
  const add = () => {
    let name = "field";
    for (let n = 2; fields.some(([known]) => known === name); n++) name = `field${n}`;
    write({ ...Object.fromEntries(fields), [name]: { type: "string" } }, required);
  };
  const replace = (index: number, name: string, next: JsonObject, needed: boolean) => {
    const old = fields[index]?.[0] ?? "";
    const entries = fields.map(([known, value], at) => (at === index ? [name, next] : [known, value]));
    const others = required.filter((item) => item !== old);
    write(Object.fromEntries(entries), needed ? [...others, name] : others);
  };
  return (
    <div role="group" aria-label={label}>
      <div className="mb-2 flex items-center gap-2">
        <h3 className="flex-1 font-medium">{label}</h3>
        {isExpert ? (
          <Segmented
            label={`Show ${label.toLowerCase()} as`}
            value={view}
            onChange={setView}
            options={[
              { value: "fields", label: "Fields" },
              { value: "json", label: "JSON" },
            ]}
          />
        ) : null}
      </div>
      {isExpert && view === "json" ? (
        <SchemaText label={label} schema={schema} onChange={onChange} />
      ) : (
        <>
          {fields.length === 0 ? <p className="mb-2 text-sm text-ink-2">{empty}</p> : null}
          <ul className="space-y-2">
            {fields.map(([name, field], index) => (
              <FieldRow
                key={index}
                name={name}
                taken={(text) => fields.some(([known], at) => at !== index && known === text)}
                field={objectAt(field)}
                takesFiles={takesFiles}
                required={required.includes(name)}
                onChange={(nextName, next, needed) => replace(index, nextName, next, needed)}
                onRemove={() =>
                  write(
                    Object.fromEntries(fields.filter((_, at) => at !== index)),
                    required.filter((item) => item !== name),
                  )
                }
              />
            ))}
          </ul>
          <Button size="sm" className="mt-2" onClick={add}>
            <Plus /> Add a field
          </Button>
        </>
      )}
    </div>
  );
}

function FieldRow({
  name,
  taken,
  field,
  takesFiles,
  required,
  onChange,
  onRemove,
}: {
  readonly name: string;
  readonly taken: (name: string) => boolean;
  readonly field: JsonObject;
  readonly takesFiles: boolean;
  readonly required: boolean;
  readonly onChange: (name: string, field: JsonObject, required: boolean) => void;
  readonly onRemove: () => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const type = typeIn(field);
  const clean = (text: string) => text.trim().replaceAll(/[^A-Za-z0-9_-]+/g, "_");
  const commit = () => {
    const next = clean(typed ?? name);
    if (typed !== null && next !== "" && next !== name && !taken(next)) onChange(next, field, required);
    setTyped(null);
  };
  return (
    <li className="rounded-lg border border-line p-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <input
          aria-label={`Name of field ${name}`}
          value={typed ?? name}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
          className="field-control min-h-7! w-24! flex-1 py-0! font-mono text-sm"
        />
        <Select
          aria-label={`Type of field ${name}`}
          look="min-h-7! w-30! py-0! text-sm"
          value={type}
          options={TYPES.filter(({ id }) => takesFiles || id !== "file" || type === id).map(
            ({ id, label }) => ({
              value: id,
              label,
            }),
          )}
          onChoose={(chosen) => {
            const { title, description } = field;
            onChange(
              name,
              {
                ...TYPES.find((item) => item.id === chosen)?.schema,
                ...(title !== undefined && { title }),
                ...(description !== undefined && { description }),
              },
              required,
            );
          }}
        />
        <CheckField
          label="required"
          className="text-sm"
          checked={required}
          onCheck={(checked) => onChange(name, field, checked)}
        />
        <IconButton label={`Remove field ${name}`} onClick={onRemove}>
          <Trash2 />
        </IconButton>
      </div>
      <details className="mt-1.5 text-sm">
        <summary className="text-ink-2">
          {words(name)}: label, help, default{type === "choice" ? ", choices" : ""}
        </summary>
        <div className="mt-2 grid gap-2">
          <Detail
            id={`${id}-title`}
            label="Label"
            value={textAt(field, "title")}
            onChange={(text) => onChange(name, put(field, "title", text), required)}
          />
          <Detail
            id={`${id}-help`}
            label="Help"
            value={textAt(field, "description")}
            onChange={(text) => onChange(name, put(field, "description", text), required)}
          />
          {["text", "long", "email", "url", "choice"].includes(type) ? (
            <Detail
              id={`${id}-default`}
              label="Default"
              value={textAt(field, "default")}
              onChange={(text) => onChange(name, put(field, "default", text), required)}
            />
          ) : null}
          {type === "number" || type === "whole" ? (
            <Detail
              id={`${id}-default`}
              label="Default"
              value={typeof field["default"] === "number" ? String(field["default"]) : ""}
              onChange={(text) =>
                onChange(
                  name,
                  put(field, "default", /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : ""),
                  required,
                )
              }
            />
          ) : null}
          {type === "choice" ? (
            <Detail
              id={`${id}-choices`}
              label="Choices, separated by commas"
              value={listAt(field, "enum").map(String).join(", ")}
              onChange={(text) =>
                onChange(
                  name,
                  {
                    ...field,
                    enum: [
                      ...new Set(
                        text
                          .split(",")
                          .map((part) => part.trim())
                          .filter((part) => part !== ""),
                      ),
                    ],
                  },
                  required,
                )
              }
            />
          ) : null}
        </div>
      </details>
    </li>
  );
}

function put(field: JsonObject, key: string, value: string | number): JsonObject {
  if (value !== "") return { ...field, [key]: value };
  return Object.fromEntries(Object.entries(field).filter(([name]) => name !== key));
}

/** A small text that is written when it is left, so that half a list is never read. */
function Detail({
  id,
  label,
  value,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <div>
      <label htmlFor={id} className="text-xs text-ink-2">
        {label}
      </label>
      <input
        id={id}
        dir="auto"
        value={typed ?? value}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => {
          if (typed !== null && typed !== value) onChange(typed);
          setTyped(null);
        }}
        className="field-control min-h-7! py-0! text-sm"
      />
    </div>
  );
}

function SchemaText({
  label,
  schema,
  onChange,
}: {
  readonly label: string;
  readonly schema: JsonObject;
  readonly onChange: (schema: JsonObject) => void;
}) {
  const [bad, setBad] = useState(false);
  const text = JSON.stringify(schema, null, 2);
  return (
    <>
      <CodeEditor
        value={text}
        label={`${label} as JSON Schema`}
        same={(typed) => JSON.stringify(parseJson(typed)) === JSON.stringify(schema)}
        onChange={(typed) => {
          const next = parseJson(typed);
          setBad(!isJsonRecord(next));
          if (isJsonRecord(next)) onChange(next);
        }}
      />
      {bad ? (
        <p role="alert" className="mt-1 text-sm text-bad">
          This is not a JSON object yet. The fields stay as they were.
        </p>
      ) : null}
    </>
  );
}
