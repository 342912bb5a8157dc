import { useEffect, useMemo, useState } from "react";
import type { Json } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { Boxes } from "lucide-react";
import { count } from "../../lib/format.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { ChosenFields } from "./chosen-fields.tsx";
import { Labelled } from "./field.tsx";
import { InspectContext, useInspect } from "./inspect-context.ts";
import { ToolCall } from "./inspect-tool.tsx";
import type { StepProps } from "./inspector.tsx";
import { fieldsStep, hasGraphBody } from "./map-body.ts";
import { resultPointer } from "./scope.ts";
import { fieldsOfSource } from "./suggest.ts";
import { ValueField } from "./value-field.tsx";
import {
  changed,
  DEFAULT_MAP_ITEMS,
  fieldsBody,
  type Change,
  type DraftBody,
  type DraftNode,
} from "../document/model.ts";
import { Select } from "../../ui/fields.tsx";

const LIST = { type: "array" };

type Way = "fields" | "tool" | "steps";

/** The same for each item of a list: which list, and what is done with an item. */
export function MapFields({ node, pointer, onChange, onOpenBody }: StepProps) {
  const { scope } = useInspect();
  const { map = {} } = node;
  const { body = {} } = map;
  const place = `${pointer}/map`;
  const set = (change: Change<typeof map>) => onChange({ ...node, map: changed(map, change) });
  const fields = fieldsStep(node);
  const way: Way = fields !== null ? "fields" : hasGraphBody(node) ? "steps" : "tool";
  const { maxItems = DEFAULT_MAP_ITEMS } = map;
  const sample = scope.preview(map.items);
  const known = Array.isArray(sample) ? sample.length : 0;
  return (
    <>
      <ValueField
        label="List"
        help="Each item of this list is worked on."
        schema={LIST}
        value={map.items}
        required
        autoFocus
        pointer={`${place}/items`}
        onChange={(items) => set({ items: items ?? [] })}
      />
      {known > maxItems ? (
        <p className="flex flex-wrap items-center gap-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn">
          The latest sample has {known} items; a run fails with more than {maxItems}.
          <Button size="sm" onClick={() => set({ maxItems: known })}>
            Allow {known} items
          </Button>
        </p>
      ) : null}
      <div className="space-y-3 rounded-lg border border-dashed border-line-strong p-3">
        <h3 className="font-medium">For each item</h3>
        <Segmented
          label="For each item"
          value={way}
          onChange={(next) => {
            if (next === "steps") onOpenBody(node.id);
            else set({ body: next === "fields" ? fieldsBody() : { tool: "", with: {} } });
          }}
          options={[
            { value: "fields", label: "Choose fields" },
            { value: "tool", label: "Call a tool" },
            { value: "steps", label: "Several steps" },
          ]}
        />
        <ItemScope map={node.id} node={fields?.id ?? null}>
          {fields !== null ? (
            <ItemFields
              value={fields.value}
              pointer={`${place}/body/nodes/0/value`}
              onChange={(value) => set({ body: { ...body, nodes: [{ ...fields, value }] } })}
            />
          ) : way === "steps" ? (
            <>
              <div className="flex items-center gap-2">
                <p className="flex-1 text-sm text-ink-2">
                  {count(body.nodes?.length ?? 0, "step")} for each item.
                </p>
                <Button size="sm" onClick={() => onOpenBody(node.id)}>
                  <Boxes /> Open its steps
                </Button>
              </div>
              <ItemResult
                steps={body.nodes ?? []}
                value={body.outputs}
                pointer={`${place}/body/outputs`}
                onChange={(outputs) => set({ body: changed(body, { outputs }) })}
              />
            </>
          ) : (
            <ItemCall body={body} pointer={`${place}/body`} onChange={(next) => set({ body: next })} />
          )}
        </ItemScope>
      </div>
      <details open={known > maxItems}>
        <summary className="text-sm font-medium text-ink-2">
          Limits: {maxItems} items, {map.concurrency ?? 1} at the same time
        </summary>
        <div className="mt-3 space-y-4">
          <Whole
            label="At most this many items"
            help="A run with more stops at this step before any item is worked on."
            value={map.maxItems}
            pointer={`${place}/maxItems`}
            onChange={(value) => set({ maxItems: value ?? DEFAULT_MAP_ITEMS })}
          />
          <Whole
            label="Items at the same time"
            value={map.concurrency}
            pointer={`${place}/concurrency`}
            onChange={(value) => set({ concurrency: value ?? undefined })}
          />
          <Labelled label="When an item fails" pointer={`${place}/onItemError`}>
            {(control) => (
              <Select
                {...control}
                value={map.onItemError ?? "fail"}
                options={[
                  { value: "fail", label: "stop the step" },
                  { value: "continue", label: "note the error and go on" },
                ]}
                onChoose={(onItemError) =>
                  set({ onItemError: onItemError === "fail" ? undefined : onItemError })
                }
              />
            )}
          </Labelled>
        </div>
      </details>
    </>
  );
}

function ItemFields({
  value,
  pointer,
  onChange,
}: {
  readonly value: Json | undefined;
  readonly pointer: string;
  readonly onChange: (value: Json) => void;
}) {
  const { scope } = useInspect();
  const offered = useMemo(() => fieldsOfSource(scope.sources.find(({ path }) => path === "item")), [scope]);
  return (
    <ChosenFields
      label="Fields of each result"
      help="Click the fields of the item that the result should have."
      offered={offered}
      value={value}
      pointer={pointer}
      onChange={onChange}
    />
  );
}

/** A tool for each item, and which part of its answer counts. */
function ItemCall({
  body,
  pointer,
  onChange,
}: {
  readonly body: DraftBody;
  readonly pointer: string;
  readonly onChange: (body: DraftBody) => void;
}) {
  const { tools } = useInspect();
  // The schema that tells where the value is comes a moment after the tool was chosen.
  const [chosen, setChosen] = useState("");
  const tool = tools.find(({ name }) => name === body.tool);
  const value = tool === undefined ? "/data" : resultPointer(tool);
  useEffect(() => {
    if (chosen === "" || tool?.name !== chosen) return;
    setChosen("");
    if (body.result !== value) onChange({ ...body, result: value });
  }, [chosen, tool, value, body, onChange]);
  return (
    <>
      <ToolCall
        call={body}
        pointer={pointer}
        onChange={(next) => {
          if (next.tool !== body.tool) setChosen(next.tool ?? "");
          onChange(next);
        }}
      />
      {body.tool === "" || body.tool === undefined ? null : (
        <Labelled label="Result of each item" pointer={`${pointer}/result`}>
          {(control) => (
            <Select
              {...control}
              value={body.result ?? ""}
              options={[
                { value, label: "what the tool gives" },
                ...(value === "/data" ? [] : [{ value: "/data", label: "the whole response" }]),
                { value: "", label: "everything, with success or failure" },
                ...(["", "/data", value].includes(body.result ?? "")
                  ? []
                  : [{ value: body.result ?? "", label: "a part of it" }]),
              ]}
              onChoose={(result) => onChange(changed(body, { result: result || undefined }))}
            />
          )}
        </Labelled>
      )}
    </>
  );
}

/** Which of several steps gives the result of an item. */
function ItemResult({
  steps,
  value,
  pointer,
  onChange,
}: {
  readonly steps: readonly DraftNode[];
  readonly value: Json | undefined;
  readonly pointer: string;
  readonly onChange: (value: Json | undefined) => void;
}) {
  const { scope } = useInspect();
  const ref = isJsonRecord(value) && typeof value["$ref"] === "string" ? value["$ref"] : "";
  const sources = scope.sources.filter(({ name }) => steps.some(({ id }) => id === name));
  const isListed = value === undefined || sources.some(({ path }) => path === scope.sourceOf(ref)?.path);
  return (
    <Labelled label="Result of each item" pointer={pointer}>
      {(control) => (
        <Select
          {...control}
          value={value === undefined ? "" : isListed ? scope.sourceOf(ref)?.path : "other"}
          options={[
            ...sources.map(({ path, label }) => ({ value: path, label })),
            { value: "", label: "all last steps, by name" },
          ]}
          onChoose={(path) => onChange(path === "" ? undefined : { $ref: path })}
        >
          {isListed ? null : <option value="other">{scope.describe(ref) || "another value"}</option>}
        </Select>
      )}
    </Labelled>
  );
}

/** Inside the body, the item and its position are known too. */
function ItemScope({
  map,
  node,
  children,
}: {
  readonly map: string;
  /** The step that is filled in, where it is one of several that can be named. */
  readonly node: string | null;
  readonly children: React.ReactNode;
}) {
  const outer = useInspect();
  const value = useMemo(() => ({ ...outer, scope: outer.scopeInside(map, node) }), [outer, map, node]);
  return <InspectContext value={value}>{children}</InspectContext>;
}

/** A whole number. */
export function Whole({
  label,
  value,
  onChange,
  pointer,
  help,
}: {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | null) => void;
  readonly pointer: string;
  readonly help?: string;
}) {
  return (
    <Labelled label={label} pointer={pointer} help={help}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={1}
          value={value ?? ""}
          placeholder="not set"
          onChange={(event) =>
            onChange(event.target.value === "" ? null : Math.round(Number(event.target.value)))
          }
          className="field-control w-32!"
        />
      )}
    </Labelled>
  );
}
