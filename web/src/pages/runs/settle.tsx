import type { InputOf } from "@workflow-ui/client";
import { useState } from "react";
import { isJsonRecord } from "#kernel/json.ts";
import { call } from "../../api/operations.ts";
import { useWhyNot } from "../../api/rights.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { useAction } from "../../lib/use-action.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { InputField, TextareaField } from "../../ui/fields.tsx";

/** A step that was cut off after its effect may have happened: only a person can say what became of it. */
export function Settle({ runId, stepId }: { readonly runId: string; readonly stepId: string }) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const whyNot = useWhyNot()("settle_step");
  const value = parseJson(text);
  const output = isJsonRecord(value) ? value : undefined;
  const { mutate: say } = useAction({
    title: "Settle step",
    failed: "The step was not settled",
    run: (outcome: InputOf<"settle_step">["outcome"], signal) =>
      call(
        "settle_step",
        {
          id: runId,
          stepId,
          outcome,
          ...(reason.trim() !== "" && { reason: reason.trim() }),
          ...(outcome === "succeeded" && output !== undefined && { output }),
        },
        { signal },
      ),
  });
  if (whyNot !== "")
    return (
      <p className="mb-4 rounded-lg bg-warn-soft px-3 py-2.5 text-warn">
        It is not known whether this happened. {whyNot}
      </p>
    );
  return (
    <div className="mb-4 rounded-lg bg-warn-soft px-3 py-2.5">
      <p className="font-medium text-warn">
        It is not known whether this happened. Check the target, then choose what happened.
      </p>
      <TextareaField
        label="Output as a JSON object, for later steps (optional)"
        className="mt-2"
        look="resize-y font-mono text-sm"
        value={text}
        rows={2}
        spellCheck={false}
        aria-invalid={text !== "" && output === undefined}
        onText={setText}
      />
      {text !== "" && output === undefined ? (
        <p role="alert" className="mt-1 text-sm text-bad">
          This is not a JSON object yet.
        </p>
      ) : null}
      <InputField
        label="Reason (optional)"
        className="mt-2"
        look="text-sm"
        value={reason}
        maxLength={1000}
        onText={setReason}
      />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="sm" disabled={text !== "" && output === undefined} onClick={() => say("succeeded")}>
          It happened
        </Button>
        <Button size="sm" onClick={() => say("failed")}>
          It did not
        </Button>
        <Button size="sm" onClick={() => say("retry")}>
          Run it again
        </Button>
      </div>
    </div>
  );
}
