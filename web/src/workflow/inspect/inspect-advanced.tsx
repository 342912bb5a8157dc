import type { Retry } from "#workflows/schema.ts";
import { useState } from "react";
import { ConditionField } from "./condition-field.tsx";
import { DurationField, Labelled, TextField } from "./field.tsx";
import { useExpertView } from "../expert-view.ts";
import { useInspect } from "./inspect-context.ts";
import { Whole } from "./inspect-map.tsx";
import type { StepProps } from "./inspector.tsx";
import { typeOf, changed, type Change, type DraftNode } from "../document/model.ts";
import { ValueField } from "./value-field.tsx";
import { Select } from "../../ui/fields.tsx";

/** What is seldom needed: condition, join, retry, time-out, redaction, idempotency, id. */
export function AdvancedFields({ node, pointer, onChange }: StepProps) {
  const type = typeOf(node);
  const set = (change: Change<DraftNode>) => onChange(changed(node, change));
  const { retry } = node;
  const isExpert = useExpertView();
  const { problems } = useInspect();
  // What a problem is about is shown to everybody, to be put right.
  const isNamed = (member: string) => problems.some((problem) => problem.pointer === `${pointer}/${member}`);
  const setRetry = ({ maxAttempts = retry?.maxAttempts, ...change }: Change<Retry>) =>
    set({ retry: maxAttempts === undefined ? undefined : changed({ ...retry, maxAttempts }, change) });
  return (
    <details className="border-t border-line pt-3">
      <summary className="font-medium text-ink-2">Advanced</summary>
      <div className="mt-3 space-y-4">
        <TextField
          label="Description"
          multiline
          value={node.description ?? ""}
          onChange={(text) => set({ description: text === "" ? undefined : text })}
        />
        <ConditionField
          label="Run only when"
          help="When this does not hold, the step is skipped."
          value={node.if ?? ""}
          pointer={`${pointer}/if`}
          onChange={(cel) => set({ if: cel === "" ? undefined : cel })}
        />
        <Labelled label="Start" pointer={`${pointer}/join`}>
          {(control) => (
            <Select
              {...control}
              value={node.join ?? "all"}
              options={[
                { value: "all", label: "when all paths that lead here have arrived" },
                { value: "any", label: "when the first path arrives" },
              ]}
              onChoose={(join) => set({ join: join === "any" ? join : undefined })}
            />
          )}
        </Labelled>
        {type === "tool" || type === "handoff" || type === "map" || type === "subworkflow" ? (
          <>
            <Whole
              label="Attempts"
              help="The first included."
              value={retry?.maxAttempts}
              pointer={`${pointer}/retry/maxAttempts`}
              onChange={(value) =>
                value === null ? set({ retry: undefined }) : setRetry({ maxAttempts: value })
              }
            />
            {retry === undefined ? null : (
              <DurationField
                label="Wait before the next attempt"
                ms={retry?.backoffMs}
                pointer={`${pointer}/retry/backoffMs`}
                onChange={(ms) => setRetry({ backoffMs: ms ?? undefined })}
              />
            )}
            <DurationField
              label="Time limit"
              help="For one attempt."
              ms={node.timeoutMs}
              pointer={`${pointer}/timeoutMs`}
              onChange={(ms) => set({ timeoutMs: ms ?? undefined })}
            />
          </>
        ) : null}
        {isExpert || isNamed("redact") ? (
          <TextField
            label="Hidden fields"
            help="Fields that public views never show, such as /input/email, separated by commas."
            mono
            value={node.redact?.join(", ") ?? ""}
            pointer={`${pointer}/redact`}
            onChange={(text) =>
              set({ redact: text.trim() === "" ? undefined : text.split(",").map((part) => part.trim()) })
            }
          />
        ) : null}
        {(type === "tool" || type === "handoff") && (isExpert || isNamed("idempotencyKey")) ? (
          <ValueField
            label="Idempotency key"
            help="A repeated call with the same key has one effect. Default: run and step."
            schema={{ type: "string" }}
            value={node.idempotencyKey}
            pointer={`${pointer}/idempotencyKey`}
            onChange={(value) => set({ idempotencyKey: value })}
          />
        ) : null}
        {isExpert || isNamed("id") ? <StepId node={node} pointer={pointer} onChange={onChange} /> : null}
      </div>
    </details>
  );
}

function StepId({ node, pointer, onChange }: Pick<StepProps, "node" | "pointer" | "onChange">) {
  const id = node.id;
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Labelled label="Id" pointer={`${pointer}/id`} help="References follow when it changes.">
      {(control) => (
        <input
          {...control}
          value={typed ?? id}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={() => {
            const next = (typed ?? "").trim();
            if (/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(next) && next !== id) onChange({ ...node, id: next });
            setTyped(null);
          }}
          className="field-control font-mono text-sm"
        />
      )}
    </Labelled>
  );
}
