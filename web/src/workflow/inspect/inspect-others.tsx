import { isJsonRecord } from "#kernel/json.ts";
import { NODE_SCHEMAS } from "#workflows/schema.ts";
import { useOperation } from "../../api/operations.ts";
import { words } from "../../lib/format.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { DurationField, Labelled, TextField } from "./field.tsx";
import { Arguments } from "./inspect-tool.tsx";
import type { StepProps } from "./inspector.tsx";
import { graphOf } from "../document/read-graph.ts";
import { ValueField } from "./value-field.tsx";
import { changed, type Change } from "../document/model.ts";

/** A value made of others. */
export function TransformFields({ node, pointer, onChange }: StepProps) {
  return (
    <ValueField
      label="Value"
      help="What this step gives to the steps after it."
      schema={null}
      value={node.value}
      required
      pointer={`${pointer}/value`}
      onChange={(value) => onChange({ ...node, value: value ?? null })}
    />
  );
}

/** A pause: for a time, or until a time. */
export function WaitFields({ node, pointer, onChange }: StepProps) {
  const { wait = {} } = node;
  const until = wait.until !== undefined;
  const { ms } = wait;
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
          value={wait.until}
          required
          pointer={`${pointer}/wait/until`}
          onChange={(value) => onChange({ ...node, wait: { until: value ?? "" } })}
        />
      ) : isJsonRecord(ms) ? (
        <ValueField
          label="Milliseconds"
          schema={{ type: "integer" }}
          value={ms}
          required
          pointer={`${pointer}/wait/ms`}
          onChange={(value) => onChange({ ...node, wait: { ms: value ?? 60_000 } })}
        />
      ) : (
        <DurationField
          label="How long"
          ms={typeof ms === "number" ? ms : null}
          optional={false}
          pointer={`${pointer}/wait`}
          onChange={(next) => onChange({ ...node, wait: { ms: next ?? 0 } })}
        />
      )}
    </div>
  );
}

const TARGETS = NODE_SCHEMAS.handoff.properties.handoff.properties.target.enum;

/** Work for another service. */
export function HandoffFields({ node, pointer, onChange }: StepProps) {
  const { handoff = {} } = node;
  const place = `${pointer}/handoff`;
  const set = (change: Change<typeof handoff>) => onChange({ ...node, handoff: changed(handoff, change) });
  return (
    <>
      <Labelled label="Service" required pointer={`${place}/target`}>
        {(control) => (
          <select
            {...control}
            value={handoff.target ?? ""}
            onChange={(event) => set({ target: TARGETS.find((name) => name === event.target.value) })}
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
        value={handoff.capability ?? ""}
        pointer={`${place}/capability`}
        onChange={(capability) => set({ capability })}
      />
      <ValueField
        label="Reason"
        help="For the person who reads it there."
        schema={{ type: "string" }}
        value={handoff.intent}
        pointer={`${place}/intent`}
        onChange={(intent) => set({ intent })}
      />
      <ValueField
        label="Content"
        schema={{ type: "object" }}
        value={handoff.payload}
        pointer={`${place}/payload`}
        onChange={(payload) => set({ payload: isJsonRecord(payload) ? payload : undefined })}
      />
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={handoff.dryRun === true}
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
  const workflows = useOperation("list_workflows", { limit: 100 });
  const id = node.subworkflow?.workflowId ?? "";
  const chosen = useOperation("get_workflow", { id }, { enabled: id !== "" });
  const published = (workflows.data?.workflows ?? []).filter((item) => item.publishedVersion !== null);
  const inputs = graphOf(chosen.data?.workflow).inputs;
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
              <option key={item.id} value={item.id}>
                {item.name}
              </option>
            ))}
            {id !== "" && !published.some((item) => item.id === id) ? <option value={id}>{id}</option> : null}
          </select>
        )}
      </Labelled>
      {id === "" || inputs["properties"] === undefined ? null : (
        <Arguments
          schema={inputs}
          given={node.with ?? {}}
          pointer={`${pointer}/with`}
          onChange={(next) => onChange({ ...node, with: next })}
        />
      )}
    </>
  );
}
