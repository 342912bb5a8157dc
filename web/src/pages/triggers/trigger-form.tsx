import type { InputOf, JsonObject, Trigger } from "@workflow-ui/client";
import { FormStore, wireText } from "@workflow-ui/forms";
import { Form, useFormVersion } from "@workflow-ui/forms-react";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { call, queryClient, useOperation } from "../../api/operations.ts";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { errorText } from "../../lib/error-text.ts";
import { at, objectAt, textAt } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { eventChoiceOf, KINDS, scheduleOf, settingsFrom, type Kind } from "./settings.ts";
import { formValue, settingsSchema, type Choosable } from "./settings-schema.ts";
import { SelectField, optionsOf } from "../../ui/fields.tsx";

const WIDE = "sm:w-[min(44rem,calc(100vw-2rem))]";

/** A secret that a webhook was given. */
export function ShownSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="The secret of the webhook"
      description="It is shown this once. Give it to the sender."
      footer={
        <Button look="primary" onClick={onClose}>
          Go on
        </Button>
      }
    >
      <CodeBlock text={secret} label="secret" />
    </Dialog>
  );
}

/** Asks what is to start a workflow, and how, and creates the trigger. */
export function NewTrigger({
  workflowId: given,
  onClose,
}: {
  /** Set where the workflow is known already. */
  readonly workflowId?: string;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const workflows = useOperation("list_workflows", { limit: 100 }, { enabled: given === undefined });
  const [chosen, setChosen] = useState("");
  const [kind, setKind] = useState<Kind>("schedule");
  const [made, setMade] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  const workflowId = given ?? chosen;
  const open = (id: string) => {
    onClose();
    void navigate({ to: "/triggers/$id", params: { id } });
  };
  const create = async (value: JsonObject) => {
    const input: InputOf<"create_trigger"> = { workflowId, kind, ...settingsFrom(kind, value) };
    const { trigger, secret } = await call("create_trigger", input);
    toast("good", "The trigger is created.");
    await queryClient.invalidateQueries();
    if (secret === null) open(trigger.id);
    else setMade({ id: trigger.id, secret });
  };
  if (made !== null) return <ShownSecret secret={made.secret} onClose={() => open(made.id)} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="New trigger"
      description="Its runs act for you, with the rights that you have at that time."
      className={WIDE}
    >
      <div className="space-y-4">
        {given === undefined ? (
          <SelectField
            label="Workflow"
            data-autofocus
            value={chosen}
            options={[
              { value: "", label: "Choose a workflow" },
              ...optionsOf((workflows.data?.workflows ?? []).filter(({ status }) => status !== "archived")),
            ]}
            onChoose={setChosen}
            hint={
              workflows.data?.nextCursor == null
                ? undefined
                : "These are the newest 100. Of any other workflow, use its own tab Triggers."
            }
          />
        ) : null}
        <div>
          <Segmented label="What starts it" value={kind} onChange={setKind} options={KINDS} />
          <p className="mt-1 text-sm text-ink-2">{KINDS.find(({ value }) => value === kind)?.about}</p>
        </div>
        {workflowId === "" ? null : (
          <TriggerForm
            key={`${workflowId} ${kind}`}
            workflowId={workflowId}
            kind={kind}
            trigger={null}
            submitLabel="Create trigger"
            onSend={create}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Changes the settings of a trigger. */
export function EditTrigger({
  trigger,
  onClose,
}: {
  readonly trigger: Trigger;
  readonly onClose: () => void;
}) {
  const { id, kind, workflowId } = trigger;
  const change = async (value: JsonObject) => {
    const settings = settingsFrom(kind, value);
    const gone = EMPTIED.filter((name) => Object.hasOwn(trigger, name) && !Object.hasOwn(settings, name));
    await call("change_trigger", { id, ...settings, ...(gone.length > 0 && { unset: gone }) });
    toast("good", "The trigger is changed.");
    onClose();
    await queryClient.invalidateQueries();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change the trigger"
      description="From then on its runs act for you."
      className={WIDE}
    >
      <TriggerForm workflowId={workflowId} kind={kind} trigger={trigger} submitLabel="Save" onSend={change} />
    </Dialog>
  );
}

type SettingName = NonNullable<InputOf<"change_trigger">["unset"]>[number];
/** What a form can empty again; the others are required there. */
const EMPTIED: readonly SettingName[] = [
  "name",
  "inputs",
  "perMinute",
  "overlap",
  "catchUpSeconds",
  "jitterSeconds",
  "header",
  "idHeader",
  "toleranceSeconds",
  "maxBytes",
  "waitSeconds",
  "title",
  "text",
  "thanks",
  "closesAt",
  "embedOrigins",
  "logo",
  "showOutputs",
  "filter",
];

function TriggerForm({
  workflowId,
  kind,
  trigger,
  submitLabel,
  onSend,
}: {
  readonly workflowId: string;
  readonly kind: Kind;
  readonly trigger: Trigger | null;
  readonly submitLabel: string;
  readonly onSend: (value: JsonObject) => Promise<void>;
}) {
  const inputs = useInputs(workflowId);
  const workflows = useOperation("list_workflows", { limit: 100 }, { enabled: kind === "event" });
  const given = useMemo(
    () =>
      inputs.data === undefined || workflows.isLoading
        ? null
        : {
            schema: settingsSchema(
              kind,
              inputs.data,
              trigger === null,
              choosable(workflows.data?.workflows ?? [], trigger),
            ),
            formId: `trigger-${kind}`,
            title: "Settings of the trigger",
          },
    [inputs.data, workflows.isLoading, workflows.data, kind, trigger],
  );
  const { form, problem } = useFormOf(given);
  const store = useMemo(
    () => (form === null ? null : new FormStore(form, formValue(kind, trigger))),
    [form, kind, trigger],
  );
  const sending = useMutation({ mutationFn: onSend });
  return (
    <Load query={inputs}>
      {() =>
        store === null ? (
          <p className="text-ink-2">{problem === "" ? "Loading…" : problem}</p>
        ) : (
          <div className="space-y-4">
            {kind === "schedule" ? <NextDates store={store} /> : null}
            <Form
              store={store}
              busy={sending.isPending}
              submitLabel={submitLabel}
              onSubmit={(value) => sending.mutate(objectAt(JSON.parse(wireText(value))))}
            />
            <ErrorText text={sending.error === null ? null : errorText(sending.error)} />
          </div>
        )
      }
    </Load>
  );
}

/** The workflows that can be chosen; the one that a trigger names stays, although it is not among the newest. */
function choosable(newest: readonly Choosable[], trigger: Trigger | null): readonly Choosable[] {
  const choice = trigger?.kind === "event" ? eventChoiceOf(trigger) : null;
  const chosen = choice?.kind === "run" ? choice.workflow : undefined;
  return chosen === undefined || newest.some(({ id }) => id === chosen)
    ? newest
    : [...newest, { id: chosen, name: chosen }];
}

/** The inputs that the next run takes: of the newest version, or of the draft without one. */
function useInputs(id: string): {
  readonly data: JsonObject | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
} {
  const workflow = useOperation("get_workflow", { id });
  const version = workflow.data?.workflow.publishedVersion ?? null;
  const published = useOperation(
    "get_workflow_version",
    { id, version: String(version) },
    { enabled: version !== null, staleTime: Infinity },
  );
  const document = version === null ? workflow.data?.workflow.document : published.data?.version.document;
  const data = useMemo(() => (document === undefined ? undefined : objectAt(document, "inputs")), [document]);
  const asked = version === null ? workflow : published;
  return { data, error: asked.error, refetch: asked.refetch };
}

/** The next ten dates of the schedule in a form, while it is edited. */
function NextDates({ store }: { readonly store: FormStore }) {
  useFormVersion(store);
  const value = useDeferredValue(store.value);
  const when = scheduleOf(at(value, "when"));
  const timeZone = textAt(value, "timeZone", "UTC");
  const asked = useOperation(
    "preview_schedule",
    { ...when, timeZone },
    { enabled: when !== null, retry: false, staleTime: 60_000 },
  );
  return (
    <section aria-label="Next dates" aria-live="polite" className="rounded-lg bg-sunken p-3 text-sm">
      <h3 className="mb-1 font-medium">Next dates</h3>
      {when === null ? (
        <p className="text-ink-2">Choose when, and the dates appear here.</p>
      ) : asked.error !== null ? (
        <p className="text-bad">{errorText(asked.error)}</p>
      ) : (
        <DateList dates={asked.data?.nextDates ?? []} timeZone={timeZone} />
      )}
    </section>
  );
}

/** Dates in a time zone. */
export function DateList({
  dates,
  timeZone,
}: {
  readonly dates: readonly string[];
  readonly timeZone: string;
}) {
  const format = new Intl.DateTimeFormat(undefined, { timeZone, dateStyle: "full", timeStyle: "short" });
  return (
    <ol className="grid gap-x-6 sm:grid-cols-2">
      {dates.map((date) => (
        <li key={date}>
          <time dateTime={date}>{format.format(new Date(date))}</time>
        </li>
      ))}
    </ol>
  );
}
