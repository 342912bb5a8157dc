import type { JsonObject } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { subworkflowKey } from "#workflows/catalog-view.ts";
import { inlined } from "#workflows/schema-types.ts";
import { useMemo } from "react";
import { objectAt, textAt } from "../../lib/read.ts";
import { ChosenFields } from "./chosen-fields.tsx";
import { useInspect } from "./inspect-context.ts";
import type { Scope } from "./scope.ts";
import { fieldsOfSource, offeredFields, suggestions, type OfferedField } from "./suggest.ts";
import { startOf } from "./value-kinds.ts";
import { NODE_SCHEMAS } from "#workflows/schema.ts";
import { useWorkflows } from "../../api/names.ts";
import { words } from "../../lib/format.ts";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { DurationField, Labelled, TextField } from "./field.tsx";
import { Arguments } from "./inspect-tool.tsx";
import type { StepProps } from "./inspector.tsx";
import { ValueField } from "./value-field.tsx";
import { changed, titleOf, type Change } from "../document/model.ts";
import { CheckField, Select, optionsOf } from "../../ui/fields.tsx";

/** A value made of others. */
export function TransformFields({ node, pointer, onChange, edges, nodes }: StepProps) {
  const { scope, tools } = useInspect();
  const next = nodes.find(({ id }) => edges.some((edge) => edge.from === node.id && edge.to === id));
  const wanted = tools.find(({ name }) => name === next?.tool)?.inputSchema;
  const offered = useMemo(() => {
    if (wanted !== undefined) return fieldsWanted(wanted, scope);
    const { sources } = scope;
    const nearest = sources.find(({ path }) => path === "item" || path.startsWith("steps."));
    const fields = fieldsOfSource(nearest);
    const inputs = offeredFields(sources.filter(({ path }) => path.startsWith("inputs.")));
    return [...fields, ...inputs.filter(({ name }) => fields.every((field) => field.name !== name))];
  }, [scope, wanted]);
  return (
    <ChosenFields
      label={
        wanted === undefined ? "Fields" : `Fields that “${next === undefined ? "" : titleOf(next)}” takes`
      }
      help="What this step gives to the steps after it. Click the fields it should have."
      offered={offered}
      value={node.value}
      pointer={`${pointer}/value`}
      onChange={(value) => onChange({ ...node, value })}
    />
  );
}

/** The fields that a call takes, each with the data that fits it best. */
function fieldsWanted(schema: JsonObject, scope: Scope): readonly OfferedField[] {
  const whole = inlined(schema);
  const body = objectAt(whole, "properties", "body");
  const properties = objectAt(body["properties"] === undefined ? whole : body, "properties");
  return Object.entries(properties).map(([name, property]) => {
    const wanted = isJsonRecord(property) ? { ...property } : null;
    const label = textAt(property, "title", words(name));
    const [source] = suggestions(scope.sources, wanted, name);
    return {
      name,
      label,
      value: source === undefined ? (startOf(wanted, wanted, true) ?? null) : { $ref: source.path },
    };
  });
}

type Waiting = NonNullable<StepProps["node"]["wait"]>;

const WAIT_STARTS = {
  for: { ms: 60_000 },
  until: { until: "" },
  signal: { signal: "continue" },
  event: { event: "svc.run.succeeded", filter: "false" },
} as const satisfies Record<string, Waiting>;
type WaitKind = keyof typeof WAIT_STARTS;

function waitKind({ until, signal, event }: Waiting): WaitKind {
  if (until !== undefined) return "until";
  if (signal !== undefined) return "signal";
  return event === undefined ? "for" : "event";
}

/** A pause: for a time, until a time, or until a signal or an event comes. */
export function WaitFields({ node, pointer, onChange }: StepProps) {
  const { wait = {} } = node;
  const kind = waitKind(wait);
  const { ms, signal = "", event = "", filter = "", timeoutMs } = wait;
  const set = (change: Change<Waiting>) => onChange({ ...node, wait: changed(wait, change) });
  const isAwaiting = kind === "signal" || kind === "event";
  return (
    <div className="space-y-4">
      <Segmented
        label="Wait"
        value={kind}
        onChange={(next) => onChange({ ...node, wait: WAIT_STARTS[next] })}
        options={[
          { value: "for", label: "For a time" },
          { value: "until", label: "Until a time" },
          { value: "signal", label: "For a signal" },
          { value: "event", label: "For an event" },
        ]}
      />
      {kind === "until" && (
        <ValueField
          label="Until"
          help="A date and time such as 2027-01-31T09:00:00Z, or a reference to one."
          schema={{ type: "string", format: "date-time" }}
          value={wait.until}
          required
          pointer={`${pointer}/wait/until`}
          onChange={(value) => onChange({ ...node, wait: { until: value ?? "" } })}
        />
      )}
      {kind === "for" && isJsonRecord(ms) && (
        <ValueField
          label="Milliseconds"
          schema={{ type: "integer" }}
          value={ms}
          required
          pointer={`${pointer}/wait/ms`}
          onChange={(value) => onChange({ ...node, wait: { ms: value ?? 60_000 } })}
        />
      )}
      {kind === "for" && !isJsonRecord(ms) && (
        <DurationField
          label="How long"
          ms={typeof ms === "number" ? ms : null}
          optional={false}
          pointer={`${pointer}/wait`}
          onChange={(next) => onChange({ ...node, wait: { ms: next ?? 0 } })}
        />
      )}
      {kind === "signal" && (
        <TextField
          label="Signal"
          help="The name of the signal that the run waits for. A program sends it to the run."
          value={signal}
          required
          mono
          pointer={`${pointer}/wait/signal`}
          onChange={(next) => set({ signal: next })}
        />
      )}
      {kind === "event" && (
        <>
          <TextField
            label="Event"
            value={event}
            required
            mono
            pointer={`${pointer}/wait/event`}
            onChange={(next) => set({ event: next })}
          />
          <TextField
            label="Filter"
            help="Which event it has to be, such as event.data.id == inputs.id."
            value={filter}
            required
            multiline
            mono
            pointer={`${pointer}/wait/filter`}
            onChange={(next) => set({ filter: next })}
          />
        </>
      )}
      {isAwaiting && (
        <DurationField
          label="Time-out"
          ms={timeoutMs ?? null}
          pointer={`${pointer}/wait/timeoutMs`}
          onChange={(next) => set({ timeoutMs: next ?? undefined })}
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
          <Select
            {...control}
            value={handoff.target ?? ""}
            options={TARGETS.map((value) => ({ value, label: words(value) }))}
            onChoose={(target) => set({ target })}
          />
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
      <CheckField
        label="Prepare it only, send nothing"
        className="text-sm"
        checked={handoff.dryRun === true}
        onCheck={(checked) => set({ dryRun: checked ? true : undefined })}
      />
    </>
  );
}

/** Another workflow, and its inputs. */
export function SubworkflowFields({ node, pointer, onChange }: StepProps) {
  const workflows = useWorkflows();
  const id = node.subworkflow?.workflowId ?? "";
  const published = (workflows.data?.items ?? []).filter((item) => item.publishedVersion !== null);
  const { workflows: read } = useInspect();
  const inputs = read.get(subworkflowKey(id, node.subworkflow?.version))?.inputs;
  return (
    <>
      <Labelled
        label="Workflow"
        required
        pointer={`${pointer}/subworkflow`}
        help="Published workflows can be run by others."
      >
        {(control) => (
          <Select
            {...control}
            value={id}
            options={[
              { value: "", label: "Choose…" },
              ...optionsOf(published),
              ...(id === "" || published.some((item) => item.id === id) ? [] : [id]),
            ]}
            onChoose={(workflowId) => onChange({ ...node, subworkflow: { workflowId } })}
          />
        )}
      </Labelled>
      {inputs?.["properties"] === undefined ? null : (
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
