import type { JsonObject, Json } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { PRIVACY_CLASSES } from "#model/states.ts";
import { HIDDEN_OPERATION } from "#workflows/not-shown.ts";
import { deref, inlined, type SchemaOrNull } from "#workflows/schema-types.ts";
import { Link } from "@tanstack/react-router";
import { Replace } from "lucide-react";
import { useState } from "react";
import { words } from "../../lib/format.ts";
import { objectAt, textsAt, textAt } from "../../lib/read.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Labelled } from "./field.tsx";
import { useInspect } from "./inspect-context.ts";
import type { StepProps } from "./inspector.tsx";
import { EffectBadge, effectWord } from "../../ui/effect-badge.tsx";
import { StepPicker } from "../step-picker.tsx";
import { ValueField } from "./value-field.tsx";
import type { ToolInfo } from "../../api/tools.ts";
import { calleeOf, type DraftNode, type DraftBody } from "../document/model.ts";

/** A call of a tool: which one, and its arguments. */
export function ToolFields({ node, pointer, onChange }: StepProps) {
  return <ToolCall call={node} pointer={pointer} onChange={onChange} />;
}

/** A tool with its arguments, in a step or in the body of a map. */
export function ToolCall<T extends DraftBody | DraftNode>({
  call,
  pointer,
  onChange,
}: {
  readonly call: T;
  readonly pointer: string;
  readonly onChange: (call: Omit<T, "toolDigest"> & Pick<DraftBody, "tool" | "with">) => void;
}) {
  const { tools } = useInspect();
  const [picking, setPicking] = useState(false);
  const { tool: name = "", with: given = {} } = call;
  const tool = tools.find((item) => item.name === name);
  const choose = (next: ToolInfo) => {
    const { toolDigest: _, ...rest } = call;
    onChange({ ...rest, tool: next.name, with: given });
    setPicking(false);
  };
  return (
    <div className="space-y-4">
      <Labelled label="Tool" required pointer={`${pointer}/tool`}>
        {(control) => (
          <div className="flex items-center gap-2">
            <button
              type="button"
              {...control}
              aria-invalid={undefined}
              aria-required={undefined}
              aria-label={`Tool: ${tool === undefined ? calleeOf(name) || "Choose a tool…" : `${tool.title} ${effectWord(tool)}`}`}
              onClick={() => setPicking(true)}
              className="field-control flex min-w-0 flex-1 items-center gap-2 text-left"
            >
              <span className="min-w-0 flex-1 truncate">
                {tool?.title ?? (calleeOf(name) || "Choose a tool…")}
              </span>
              {/* With a space between them, the words are the same as in the name. */}{" "}
              {tool === undefined ? null : <EffectBadge tool={tool} />}
              <Replace aria-hidden className="size-3.5 shrink-0 text-ink-3" />
            </button>
          </div>
        )}
      </Labelled>
      {tool === undefined ? (
        name === "" ? null : (
          <p className="rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
            {name === HIDDEN_OPERATION ? (
              "Sign in to see what this step calls."
            ) : name.includes(":") ? (
              <>
                This tool is not available here. Add the{" "}
                <Link to="/connections" className="underline">
                  connection
                </Link>{" "}
                “{name.split(":", 1)[0]}”, or choose another tool.
              </>
            ) : (
              "This tool does not exist here. Choose another one."
            )}
          </p>
        )
      ) : (
        <>
          <p className="line-clamp-3 text-sm text-ink-2" title={tool.description}>
            {tool.description}
          </p>
          <Arguments
            key={tool.name}
            schema={offeredSchema(tool)}
            given={given}
            pointer={`${pointer}/with`}
            onChange={(next) => onChange({ ...call, with: next })}
          />
        </>
      )}
      {picking ? (
        <StepPicker
          title="Choose a tool"
          toolsOnly
          onClose={() => setPicking(false)}
          onPick={(picked) => {
            if ("tool" in picked) choose(picked.tool);
          }}
        />
      ) : null}
    </div>
  );
}

const ARTIFACT = {
  type: "object",
  properties: {
    title: { type: "string" },
    content: { description: "What is kept: a result of an earlier step, or fields of your own." },
    type: { type: "string", description: "What kind of thing it is, for example report." },
    description: { type: "string" },
    privacy: { type: "string", enum: PRIVACY_CLASSES },
  },
  required: ["title"],
};

const offeredSchemas = new WeakMap<ToolInfo, JsonObject>();

/** The arguments of a tool with local references written out. An artifact is a free object, whose usual fields are offered. */
export function offeredSchema(tool: ToolInfo): JsonObject {
  const known = offeredSchemas.get(tool);
  if (known !== undefined) return known;
  const schema = inlined(tool.inputSchema);
  const properties = objectAt(schema, "properties");
  const { artifact } = properties;
  const isFree = tool.server === "" && isJsonRecord(artifact) && artifact["properties"] === undefined;
  const made = isFree ? { ...schema, properties: { ...properties, artifact: ARTIFACT } } : schema;
  offeredSchemas.set(tool, made);
  return made;
}

/** Up to this many arguments, the optional ones are not folded away. */
const FEW = 4;

/** The arguments in the order of the form: where there are many, those that are needed or given come first. */
export function argumentNames(schema: JsonObject, given: Iterable<string>): readonly string[] {
  const names = Object.keys(objectAt(schema, "properties"));
  const first = new Set([...textsAt(schema, "required"), ...given]);
  return names.length <= FEW ? names : names.toSorted((a, b) => Number(first.has(b)) - Number(first.has(a)));
}

/** Every argument of a schema; what is given and not part of it is shown, so that nothing is lost unseen. */
export function Arguments({
  schema,
  given,
  pointer,
  onChange,
}: {
  readonly schema: Exclude<SchemaOrNull, null>;
  readonly given: JsonObject;
  readonly pointer: string;
  readonly onChange: (given: JsonObject) => void;
}) {
  // A field that is filled in stays where it is; only at the next opening it stands with the others that are.
  const [begun] = useState(() => new Set(Object.keys(given)));
  const properties = Object.entries(objectAt(schema, "properties"));
  const required = new Set(textsAt(schema, "required"));
  const known = new Set(properties.map(([name]) => name));
  const open = schema["additionalProperties"] !== false && properties.length === 0;
  const left = open ? [] : Object.keys(given).filter((name) => !known.has(name));
  const set = (name: string, value: Json | undefined) =>
    onChange(
      value === undefined
        ? Object.fromEntries(Object.entries(given).filter(([key]) => key !== name))
        : { ...given, [name]: value },
    );
  if (open) {
    return (
      <ValueField
        label="Arguments"
        schema={{ type: "object" }}
        value={given}
        pointer={pointer}
        required
        onChange={(next) => onChange(isJsonRecord(next) ? next : {})}
      />
    );
  }
  const first = properties.filter(([name]) => required.has(name) || begun.has(name));
  const rest = properties.filter((entry) => !first.includes(entry));
  const field = ([name, property]: readonly [string, Json | undefined], index: number) => (
    <ValueField
      key={name}
      label={textAt(property, "title", words(name))}
      help={textAt(property, "description")}
      schema={deref(isJsonRecord(property) ? property : null, schema)}
      root={schema}
      required={required.has(name)}
      value={given[name]}
      pointer={`${pointer}/${name}`}
      autoFocus={index === 0}
      onChange={(value) => set(name, value)}
    />
  );
  const few = properties.length <= FEW;
  return (
    <div className="space-y-4">
      {(few ? properties : first).map(field)}
      {few || rest.length === 0 ? null : (
        <details open={first.length === 0}>
          <summary className="text-sm font-medium text-ink-2">
            {rest.length} optional {rest.length === 1 ? "argument" : "arguments"}
          </summary>
          <div className="mt-3 space-y-4">{rest.map((entry) => field(entry, -1))}</div>
        </details>
      )}
      {properties.length === 0 ? <p className="text-sm text-ink-2">This tool takes no arguments.</p> : null}
      {left.length === 0 ? null : (
        <div className="rounded-lg border border-warn/40 p-2.5">
          <p className="text-sm text-warn">
            {left.length === 1 ? "1 argument is" : `${left.length} arguments are`} not taken by this tool:{" "}
            {left.map(words).join(", ")}.
          </p>
          <Button
            size="sm"
            className="mt-2"
            onClick={() =>
              onChange(Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name))))
            }
          >
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}
