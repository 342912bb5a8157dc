import type { JsonObject } from "@workflow-ui/client";
import { Plus } from "lucide-react";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DurationField, Labelled, TextField } from "./field.tsx";
import { FieldsBuilder } from "./fields-builder.tsx";
import type { Draft } from "../document/graph-store.ts";
import { type Graph, changed, type Change } from "../document/model.ts";
import { ValueField } from "./value-field.tsx";
import { Select } from "../../ui/fields.tsx";

interface Props {
  readonly draft: Draft;
  readonly onDraft: (label: string, next: (draft: Draft) => Draft) => void;
}

/** What a workflow takes, what it gives, and the rules of its runs. */
export function WorkflowFields({ draft, onDraft }: Props) {
  const { graph } = draft;
  const set = (label: string, change: Partial<Graph>) =>
    onDraft(label, (now) => ({ ...now, graph: { ...now.graph, ...change } }));
  const outputs = Object.entries(graph.outputs);
  const policy = (change: Change<Graph["policy"]>) => set("rules", { policy: changed(graph.policy, change) });
  return (
    <>
      <TextField
        label="Description"
        multiline
        value={draft.description}
        onChange={(description) => onDraft("description", (now) => ({ ...now, description }))}
      />
      <FieldsBuilder
        label="Inputs"
        empty="No inputs yet. A run asks for what you add here."
        schema={graph.inputs}
        onChange={(inputs) => set("inputs", { inputs })}
        takesFiles
      />
      <div role="group" aria-label="Outputs" className="space-y-3">
        <h3 className="font-medium">Outputs</h3>
        {outputs.length === 0 ? (
          <p className="text-sm text-ink-2">Nothing yet. Outputs are the result of a run.</p>
        ) : null}
        {outputs.map(([name, value], index) => (
          <div key={index} className="space-y-1 rounded-lg border border-line p-2">
            <input
              aria-label={`Name of output ${index + 1}`}
              value={name}
              onChange={(event) => {
                const next = event.target.value.replaceAll(/[^A-Za-z0-9_-]/g, "_");
                if (next === "" || Object.hasOwn(graph.outputs, next)) return;
                set("outputs", {
                  outputs: Object.fromEntries(
                    outputs.map(([key, item]) => [key === name ? next : key, item]),
                  ),
                });
              }}
              className="field-control min-h-7! py-0! font-mono text-sm"
            />
            <ValueField
              label="Value"
              schema={null}
              required
              value={value}
              pointer={`/outputs/${name}`}
              onChange={(next) => set("outputs", { outputs: { ...graph.outputs, [name]: next ?? null } })}
              onRemove={() =>
                set("outputs", { outputs: Object.fromEntries(outputs.filter(([key]) => key !== name)) })
              }
            />
          </div>
        ))}
        <Button
          size="sm"
          onClick={() => set("outputs", { outputs: { ...graph.outputs, [freeName(graph.outputs)]: "" } })}
        >
          <Plus /> Add an output
        </Button>
      </div>
      <details>
        <summary className="font-medium text-ink-2">Rules of a run</summary>
        <div className="mt-3 space-y-4">
          <DurationField
            label="Longest time of a run"
            ms={graph.policy.timeoutMs}
            pointer="/policy/timeoutMs"
            onChange={(ms) => policy({ timeoutMs: ms ?? undefined })}
          />
          <DurationField
            label="Time limit of a step"
            ms={graph.policy.stepTimeoutMs}
            pointer="/policy/stepTimeoutMs"
            onChange={(ms) => policy({ stepTimeoutMs: ms ?? undefined })}
          />
          <Labelled label="Approval is needed before" pointer="/policy/requireApproval">
            {(control) => (
              <Select
                {...control}
                value={graph.policy.requireApproval ?? "destructive"}
                options={[
                  { value: "destructive", label: "steps that delete or overwrite" },
                  { value: "writes", label: "all steps that write" },
                  { value: "none", label: "no step" },
                ]}
                onChoose={(before) =>
                  policy({ requireApproval: before === "destructive" ? undefined : before })
                }
              />
            )}
          </Labelled>
        </div>
      </details>
    </>
  );
}

function freeName(outputs: JsonObject): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? "result" : `result${n}`;
    if (!Object.hasOwn(outputs, name)) return name;
  }
}
