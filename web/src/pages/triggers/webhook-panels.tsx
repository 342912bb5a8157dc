import type { JsonObject, OutputOf, Trigger } from "@workflow-ui/client";
import { FormStore, wireText } from "@workflow-ui/forms";
import { Form } from "@workflow-ui/forms-react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call, useOperation } from "../../api/operations.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { useAction } from "../../lib/use-action.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Panel } from "../../ui/page.tsx";
import { useWhyNot } from "../../api/rights.ts";
import { ShownSecret } from "./trigger-form.tsx";

type Sample = OutputOf<"get_trigger_sample">;

const FROM = {
  given: "The payload has to fit the schema that was given.",
  received: "The form follows the payloads that were received.",
  inputs: "The form follows the inputs of the workflow until a payload is received.",
} as const;

/** Where a webhook is reached, a command that sends to it, and a form to test it. */
export function WebhookPanels({ trigger }: { readonly trigger: Trigger }) {
  const sample = useOperation("get_trigger_sample", { id: trigger.id });
  const refusal = useWhyNot()("create_trigger");
  const [secret, setSecret] = useState("");
  const renew = useAction({
    title: "New secret",
    failed: "The secret stays as it is",
    run: (_, signal) => call("change_trigger", { id: trigger.id, newSecret: true }, { signal }),
    done: (answer) => setSecret(answer.secret ?? ""),
  });
  return (
    <>
      {secret === "" ? null : <ShownSecret secret={secret} onClose={() => setSecret("")} />}
      <Panel
        title="Address"
        actions={
          refusal === "" ? (
            <Button size="sm" busy={renew.isPending} onClick={() => renew.mutate()}>
              New secret
            </Button>
          ) : undefined
        }
      >
        <CodeBlock text={trigger.address ?? ""} label="address of the webhook" />
        <h3 className="mt-4 mb-1 font-medium">Sample request</h3>
        <p className="mb-2 text-sm text-ink-2">
          The variable SECRET holds the secret of the webhook. A new secret ends the one before; from then on
          the runs act for you.
        </p>
        <Load query={sample}>{({ curl }) => <CodeBlock text={curl} label="sample request" />}</Load>
      </Panel>
      {refusal === "" ? (
        <Panel title="Test">
          <Load query={sample}>{(data) => <Trial trigger={trigger} sample={data} />}</Load>
        </Panel>
      ) : null}
    </>
  );
}

function Trial({ trigger, sample }: { readonly trigger: Trigger; readonly sample: Sample }) {
  const navigate = useNavigate();
  const { schemaFrom } = sample;
  // Received payloads change the sample every time; what is being typed must not go.
  const known = JSON.stringify(sample.schema);
  const given = useMemo(() => ({ schema: JSON.parse(known), formId: "payload", title: "Payload" }), [known]);
  const { form, problem } = useFormOf(given);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the payload is what the form begins with
  const store = useMemo(() => (form === null ? null : new FormStore(form, sample.payload)), [form]);
  const start = useAction({
    title: "Start a run",
    failed: "No run was started",
    run: (payload: JsonObject[string], signal) =>
      call("fire_trigger", { id: trigger.id, payload }, { signal }),
    done: ({ firing }) => {
      if (firing.runId !== null) void navigate({ to: "/runs/$id", params: { id: firing.runId } });
    },
  });
  const pin = useAction({
    title: "Require the schema",
    failed: "The schema was not set",
    run: (_, signal) =>
      schemaFrom === "given"
        ? call("change_trigger", { id: trigger.id, unset: ["payloadSchema"] }, { signal })
        : call("change_trigger", { id: trigger.id, payloadSchema: sample.schema }, { signal }),
    done: () =>
      schemaFrom === "given" ? "Every payload is taken" : "Payloads have to fit the schema from now on",
  });
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="flex-1 basis-60 text-sm text-ink-2">{FROM[schemaFrom]} Nothing is signed here.</p>
        {schemaFrom === "inputs" ? null : (
          <Button size="sm" busy={pin.isPending} onClick={() => pin.mutate()}>
            {schemaFrom === "given" ? "Take every payload" : "Require this schema"}
          </Button>
        )}
      </div>
      {store === null ? (
        <p className="text-ink-2">{problem === "" ? "Loading…" : problem}</p>
      ) : (
        <Form
          store={store}
          busy={start.isPending}
          submitLabel="Start a run with it"
          onSubmit={(value) => start.mutate(JSON.parse(wireText(value)))}
        />
      )}
    </div>
  );
}
