import { useId } from "react";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ApproversPicker } from "./approvers-picker.tsx";
import { DurationField, Labelled } from "./field.tsx";
import { FieldsBuilder } from "./fields-builder.tsx";
import type { StepProps } from "./inspector.tsx";
import { ValueField } from "./value-field.tsx";
import { changed, type Change } from "../document/model.ts";
import { CheckField, Select } from "../../ui/fields.tsx";

const TEXT = { type: "string" };

/** What happens by itself while nobody has decided, in this order. */
const TIMES = [
  { member: "dueInMs", label: "Due after", help: "It is then shown as overdue, and a notice is sent." },
  { member: "reminderMs", label: "Remind after", help: "Those who may decide get another notice." },
  {
    member: "expiresInMs",
    label: "Expires after",
    help: "An approval that expires is never counted as approved.",
  },
  { member: "escalateMs", label: "Escalate after", help: "Others may decide as well from then on." },
] as const;

/** A question to a person: what is asked, what is shown, who decides, what they fill in, and until when. */
export function ApprovalFields({ node, pointer, onChange }: StepProps) {
  const { approval = {} } = node;
  const set = (change: Change<typeof approval>) => onChange({ ...node, approval: changed(approval, change) });
  const { form } = approval;
  const place = `${pointer}/approval`;
  return (
    <>
      <ValueField
        label="Question"
        help="What the person reads first, for example “Publish this article?”"
        schema={TEXT}
        value={approval.title}
        required
        autoFocus
        pointer={`${place}/title`}
        onChange={(title) => set({ title: title ?? "" })}
      />
      <ApproversPicker
        value={approval.approvers ?? []}
        pointer={`${place}/approvers`}
        onChange={(approvers) => set({ approvers })}
      />
      <RequiredField
        value={approval.required ?? 1}
        pointer={`${place}/required`}
        onChange={(required) => set({ required: required === 1 ? undefined : required })}
      />
      <FourEyesField value={approval.fourEyes} onChange={(fourEyes) => set({ fourEyes })} />
      <StepUpField
        isOn={approval.stepUp === true}
        onChange={(isOn) => set({ stepUp: isOn ? true : undefined })}
      />
      <ValueField
        label="What to show"
        help="Exactly what the decision is about. The decision is bound to it."
        schema={null}
        value={approval.show}
        pointer={`${place}/show`}
        onChange={(show) => set({ show })}
      />
      {form !== undefined ? (
        <div className="space-y-2">
          <FieldsBuilder
            label="What the person fills in"
            empty="No fields: the person only approves or rejects."
            schema={form}
            onChange={(next) => set({ form: next })}
          />
          <Button size="sm" look="ghost" onClick={() => set({ form: undefined })}>
            Ask for nothing
          </Button>
        </div>
      ) : (
        <Button
          size="sm"
          onClick={() => set({ form: { type: "object", properties: {}, additionalProperties: false } })}
        >
          Ask the person to fill in fields
        </Button>
      )}
      {TIMES.map(({ member, label, help }) => (
        <DurationField
          key={member}
          label={label}
          help={help}
          ms={approval[member]}
          pointer={`${place}/${member}`}
          onChange={(ms) => set({ [member]: ms ?? undefined })}
        />
      ))}
      {approval.escalateMs === undefined ? null : (
        <ApproversPicker
          label="Escalate to"
          empty="No one yet: name who may decide as well then."
          value={approval.escalateTo ?? []}
          pointer={`${place}/escalateTo`}
          onChange={(escalateTo) => set({ escalateTo })}
        />
      )}
    </>
  );
}

const FOUR_EYES = [
  { value: "", label: "Automatic" },
  { value: "true", label: "Always" },
  { value: "false", label: "Never" },
] as const;

function FourEyesField({
  value,
  onChange,
}: {
  readonly value: boolean | undefined;
  readonly onChange: (isOn: boolean | undefined) => void;
}) {
  return (
    <Labelled
      label="Four eyes"
      help="Who started the run or worked on this version may not decide. Automatic: where people are named and something can be deleted."
    >
      {(control) => (
        <Select
          {...control}
          value={String(value ?? "")}
          options={FOUR_EYES}
          onChoose={(chosen) => onChange(chosen === "" ? undefined : chosen === "true")}
        />
      )}
    </Labelled>
  );
}

function StepUpField({
  isOn,
  onChange,
}: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  const help = useId();
  return (
    <div>
      <CheckField
        label="Decide with a passkey"
        className="text-sm font-medium"
        checked={isOn}
        aria-describedby={help}
        onCheck={onChange}
      />
      <p id={help} className="mt-1 text-xs text-ink-2">
        The person signs what is shown with fingerprint, face or PIN of the device. The signature is kept with
        the decision and can be checked by anybody who has its record. Keys cannot decide it.
      </p>
    </div>
  );
}

function RequiredField({
  value,
  pointer,
  onChange,
}: {
  readonly value: number;
  readonly pointer: string;
  readonly onChange: (required: number) => void;
}) {
  return (
    <Labelled label="How many must approve" help="One rejection rejects." pointer={pointer}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={1}
          max={20}
          value={value}
          onChange={(event) =>
            onChange(Math.min(20, Math.max(1, Math.trunc(Number(event.target.value)) || 1)))
          }
          className="field-control w-24"
        />
      )}
    </Labelled>
  );
}
