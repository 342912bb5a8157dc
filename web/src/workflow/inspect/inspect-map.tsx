import { Boxes } from "lucide-react";
import { useMemo } from "react";
import { count } from "../../lib/format.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "./field.tsx";
import { InspectContext, useInspect } from "./inspect-context.ts";
import { ToolCall } from "./inspect-tool.tsx";
import type { StepProps } from "./inspector.tsx";
import { hasGraphBody } from "./map-body.ts";
import { ValueField } from "./value-field.tsx";
import { changed, type Change } from "../document/model.ts";

const LIST = { type: "array" };

/** The same for each item of a list: which list, and what is done with an item. */
export function MapFields({ node, pointer, onChange, onOpenBody }: StepProps) {
  const { map = {} } = node;
  const { body = {} } = map;
  const place = `${pointer}/map`;
  const set = (change: Change<typeof map>) => onChange({ ...node, map: changed(map, change) });
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
      <div className="space-y-3 rounded-lg border border-dashed border-line-strong p-3">
        <div className="flex items-center gap-2">
          <h3 className="flex-1 font-medium">For each item</h3>
          <Button size="sm" onClick={() => onOpenBody(node.id)}>
            <Boxes /> {hasGraphBody(node) ? "Open its steps" : "Use several steps"}
          </Button>
        </div>
        {hasGraphBody(node) ? (
          <p className="text-sm text-ink-2">{count(body.nodes?.length ?? 0, "step")} run for each item.</p>
        ) : (
          <ItemScope map={node.id}>
            <ToolCall call={body} pointer={`${place}/body`} onChange={(next) => set({ body: next })} />
          </ItemScope>
        )}
      </div>
      <details>
        <summary className="text-sm font-medium text-ink-2">Limits</summary>
        <div className="mt-3 space-y-4">
          <Whole
            label="At most this many items"
            value={map.maxItems}
            pointer={`${place}/maxItems`}
            onChange={(value) => set({ maxItems: value ?? 100 })}
          />
          <Whole
            label="Items at the same time"
            value={map.concurrency}
            pointer={`${place}/concurrency`}
            onChange={(value) => set({ concurrency: value ?? undefined })}
          />
          <Labelled label="When an item fails" pointer={`${place}/onItemError`}>
            {(control) => (
              <select
                {...control}
                value={map.onItemError ?? "fail"}
                onChange={(event) =>
                  set({ onItemError: event.target.value === "fail" ? undefined : "continue" })
                }
                className="field-control"
              >
                <option value="fail">stop the step</option>
                <option value="continue">note the error and go on</option>
              </select>
            )}
          </Labelled>
        </div>
      </details>
    </>
  );
}

/** Inside the body, the item and its position are known too. */
function ItemScope({ map, children }: { readonly map: string; readonly children: React.ReactNode }) {
  const outer = useInspect();
  const value = useMemo(() => ({ ...outer, scope: outer.scopeInside(map) }), [outer, map]);
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
