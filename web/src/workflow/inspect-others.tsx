import { NODE_SCHEMAS } from "#workflows/schema.ts";
import { useToolData } from "../api/queries.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { words } from "../lib/format.ts";
import { Segmented } from "../ui/segmented.tsx";
import { DurationField, Labelled, TextField } from "./field.tsx";
import { Arguments } from "./inspect-tool.tsx";
import type { StepProps } from "./inspector.tsx";
import { graphOf } from "./model.ts";
import { ValueField } from "./value-field.tsx";

/** A value made of others. */
export function TransformFields({ node, pointer, onChange }: StepProps) {
  return (
    <ValueField
      label="Value"
      help="What this step gives to the steps after it."
      schema={null}
      value={node["value"]}
      required
      pointer={`${pointer}/value`}
      onChange={(value) => onChange({ ...node, value: value ?? null })}
    />
  );
}

/** A pause: for a time, or until a time. */
export function WaitFields({ node, pointer, onChange }: StepProps) {
  const wait = bagAt(node, "wait");
  const until = Object.hasOwn(wait, "until");
  const ms = numberAt(wait, "ms");
  return (
    <div className="space-y-4">
      <Segmented
        label="Wait"
        value={until ? "until" : "for"}
        onChange={(next) => onChange({ ...node, wait: next === "until" ? { until: "" } : { ms: 60_000 } })}
        options={[
          { value: "for", label: "For a time" },
          { value: "until", label: "Until a time" },
        ]}
      />
      {until ? (
        <ValueField
          label="Until"
          help="A date and time such as 2027-01-31T09:00:00Z, or a reference to one."
          schema={{ type: "string", format: "date-time" }}
          value={wait["until"]}
          required
          pointer={`${pointer}/wait/until`}
          onChange={(value) => onChange({ ...node, wait: { until: value ?? "" } })}
        />
      ) : isBag(wait["ms"]) ? (
        <ValueField
          label="Milliseconds"
          schema={{ type: "integer" }}
          value={wait["ms"]}
          required
          pointer={`${pointer}/wait/ms`}
          onChange={(value) => onChange({ ...node, wait: { ms: value ?? 60_000 } })}
        />
      ) : (
        <DurationField
          label="How long"
          ms={ms}
          optional={false}
          pointer={`${pointer}/wait`}
          onChange={(next) => onChange({ ...node, wait: { ms: next ?? 0 } })}
        />
      )}
    </div>
  );
}

const HANDOFF: unknown = JSON.parse(JSON.stringify(NODE_SCHEMAS.handoff));
const TARGETS = textsAt(HANDOFF, "properties", "handoff", "properties", "target", "enum");

/** Work for another service. */
export function HandoffFields({ node, pointer, onChange }: StepProps) {
  const handoff = bagAt(node, "handoff");
  const place = `${pointer}/handoff`;
  const set = (change: Bag) => {
    const next = Object.entries({ ...handoff, ...change }).filter(([, value]) => value !== undefined);
    onChange({ ...node, handoff: Object.fromEntries(next) });
  };
  return (
    <>
      <Labelled label="Service" required pointer={`${place}/target`}>
        {(control) => (
          <select
            {...control}
            value={textAt(handoff, "target")}
            onChange={(event) => set({ target: event.target.value })}
            className="field-control"
          >
            {TARGETS.map((name) => (
              <option key={name} value={name}>
                {words(name)}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <TextField
        label="What is asked"
        required
        value={textAt(handoff, "capability")}
        pointer={`${place}/capability`}
        onChange={(capability) => set({ capability })}
      />
      <ValueField
        label="Reason"
        help="For the person who reads it there."
        schema={{ type: "string" }}
        value={handoff["intent"]}
        pointer={`${place}/intent`}
        onChange={(intent) => set({ intent })}
      />
      <ValueField
        label="Content"
        schema={{ type: "object" }}
        value={handoff["payload"]}
        pointer={`${place}/payload`}
        onChange={(payload) => set({ payload })}
      />
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={handoff["dryRun"] === true}
          onChange={(event) => set({ dryRun: event.target.checked ? true : undefined })}
          className="size-4 accent-(--accent)"
        />
        Prepare it only, send nothing
      </label>
    </>
  );
}

/** Another workflow, and its inputs. */
export function SubworkflowFields({ node, pointer, onChange }: StepProps) {
  const workflows = useToolData("list_workflows", { limit: 100 });
  const id = textAt(node, ["subworkflow", "workflowId"]);
  const chosen = useToolData("get_workflow", { id }, { enabled: id !== "" });
  const published = bagsAt(workflows.data, "workflows").filter(
    (item) => numberAt(item, "publishedVersion") !== null,
  );
  const inputs = graphOf(bagAt(chosen.data, "workflow")).inputs;
  return (
    <>
      <Labelled
        label="Workflow"
        required
        pointer={`${pointer}/subworkflow`}
        help="Published workflows can be run by others."
      >
        {(control) => (
          <select
            {...control}
            value={id}
            onChange={(event) => onChange({ ...node, subworkflow: { workflowId: event.target.value } })}
            className="field-control"
          >
            <option value="">Choose…</option>
            {published.map((item) => (
              <option key={textAt(item, "id")} value={textAt(item, "id")}>
                {textAt(item, "name")}
              </option>
            ))}
            {id !== "" && !published.some((item) => textAt(item, "id") === id) ? (
              <option value={id}>{id}</option>
            ) : null}
          </select>
        )}
      </Labelled>
      {id === "" || at(inputs, "properties") === undefined ? null : (
        <Arguments
          schema={{ ...inputs }}
          given={bagAt(node, "with")}
          pointer={`${pointer}/with`}
          onChange={(next) => onChange({ ...node, with: next })}
        />
      )}
    </>
  );
}
