import type { JsonObject, Json, DryStep } from "@workflow-ui/client";
import { isJsonRecord } from "#kernel/json.ts";
import { FormStore, wireText } from "@workflow-ui/forms";
import { FlaskConical, Pencil, Pin, PinOff, StepForward } from "lucide-react";
import { useMemo, useState } from "react";
import { Form } from "@workflow-ui/forms-react";
import { useFormOf } from "../../form-maker/use-form-of.ts";
import { objectAt } from "../../lib/read.ts";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useInspect } from "./inspect-context.ts";
import { titleOf, typeOf, type DraftNode } from "../document/model.ts";
import type { Scope } from "./scope.ts";
import type { DryRunner } from "../use-dry-runner.ts";
import { useExpertView } from "../expert-view.ts";
import { ErrorText } from "../../ui/error-text.tsx";
import { CodeEditor } from "../../ui/lazy-code-editor.tsx";

interface Props {
  readonly node: DraftNode;
  /** The step stands in the body of a map: it has no result of its own, but one for each item. */
  readonly inBody: boolean;
  readonly dryRunner: DryRunner;
}

/** Tests a step before anything runs: alone, or with all that leads to it; and keeps a result for later tests. */
export function StepTrial({ node, inBody, dryRunner }: Props) {
  const id = node.id;
  const { busy, pins, shown } = dryRunner;
  const [asking, setAsking] = useState(false);
  const isExpert = useExpertView();
  const [editing, setEditing] = useState(false);
  const isCall = typeOf(node) === "tool" && node.tool !== "";
  const step = inBody ? null : (shown.steps.get(id) ?? null);
  const pinned = !inBody && pins.has(id);
  const gives = ["tool", "handoff", "subworkflow"].includes(typeOf(node));
  const output = step === null ? undefined : step.output;
  return (
    <section aria-label="Test" className="space-y-3 border-t border-line p-4">
      <div className="flex items-center gap-2">
        <h3 className="flex-1 font-medium">Test</h3>
        {pinned ? <Badge tone="accent">pinned sample</Badge> : null}
      </div>
      <div className="flex flex-wrap gap-2">
        {isCall ? (
          <Button size="sm" busy={busy === id && asking} onClick={() => setAsking(true)}>
            <FlaskConical /> Run this step…
          </Button>
        ) : null}
        {inBody ? null : (
          <Button size="sm" busy={busy === id && !asking} onClick={() => void dryRunner.runUntil(id)}>
            <StepForward /> Run up to here
          </Button>
        )}
      </div>
      <p className="text-xs text-ink-3">A dry run: what only reads is called, nothing is written or sent.</p>
      {step === null ? null : <Outcome step={step} blocked={shown.marks.get(id)?.state === "not_sent"} />}
      {inBody || !gives ? null : (
        <div className="flex flex-wrap gap-2">
          {isJsonRecord(output) && !("$truncated" in output) && !pinned ? (
            <Button size="sm" onClick={() => dryRunner.pin(id, output)}>
              <Pin /> Pin this result
            </Button>
          ) : null}
          {isExpert ? (
            <Button size="sm" look={pinned ? "secondary" : "ghost"} onClick={() => setEditing(true)}>
              <Pencil /> {pinned ? "Edit the sample" : "Pin a sample of your own"}
            </Button>
          ) : null}
          {pinned ? (
            <Button size="sm" look="ghost" onClick={() => dryRunner.pin(id, undefined)}>
              <PinOff /> Unpin
            </Button>
          ) : null}
        </div>
      )}
      {asking ? <AskArguments node={node} dryRunner={dryRunner} onClose={() => setAsking(false)} /> : null}
      {editing ? (
        <EditSample
          title={titleOf(node)}
          start={pins.get(id) ?? output ?? { ok: true, data: {} }}
          onKeep={(value) => {
            dryRunner.pin(id, value);
            setEditing(false);
          }}
          onClose={() => setEditing(false)}
        />
      ) : null}
    </section>
  );
}

/** What the last dry run showed of one step: its input and output. */
function Outcome({ step, blocked }: { readonly step: DryStep; readonly blocked: boolean }) {
  const { note, output } = step;
  const result = (isJsonRecord(output) ? output["data"] : undefined) ?? output ?? step.error ?? {};
  return (
    <section aria-label="Last dry run">
      <div className="mb-2 flex items-center gap-2">
        <h4 className="flex-1 font-medium">Last dry run</h4>
        <StateBadge state={blocked ? "not_sent" : step.state} />
      </div>
      {note === undefined ? null : <p className="mb-2 text-sm text-ink-2">{note}</p>}
      <details className="mb-2" open={blocked}>
        <summary className="text-sm text-ink-2">
          {blocked ? "Not sent. A run would send this" : "Input"}
        </summary>
        <DataView value={step.input ?? {}} />
      </details>
      <details open={!blocked}>
        <summary className="text-sm text-ink-2">
          {blocked ? "What later steps were given instead of an answer" : "Output"}
        </summary>
        <DataView value={result} />
      </details>
    </section>
  );
}

/** The tool's form with the arguments as they stand, to be changed for this one dry run. */
function AskArguments({
  node,
  dryRunner,
  onClose,
}: {
  readonly node: DraftNode;
  readonly dryRunner: DryRunner;
  readonly onClose: () => void;
}) {
  const { scope, tools } = useInspect();
  const tool = tools.find((item) => item.name === node.tool);
  const given = useMemo(() => {
    if (tool === undefined) return null;
    return { schema: tool.inputSchema, formId: "test", title: tool.title };
  }, [tool]);
  const { form, problem, busy: isMaking } = useFormOf(given);
  const store = useMemo(
    () => (form === null ? null : new FormStore(form, JSON.parse(JSON.stringify(argumentsOf(node, scope))))),
    // What was typed into the form must not be lost because a sample arrived.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [form],
  );
  const run = async (args: JsonObject) => {
    if (await dryRunner.runStep(node, args)) onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Test ${titleOf(node)}`}
      description="The values are for this dry run only. Nothing is written or sent."
      className="sm:w-[min(44rem,calc(100vw-2rem))]"
    >
      {store === null ? (
        <p>
          {tool === undefined
            ? "Choose a tool for this step first."
            : isMaking
              ? "Making the form…"
              : `This tool has no form. ${problem}`}
        </p>
      ) : (
        <Form
          store={store}
          busy={dryRunner.busy !== ""}
          submitLabel="Run this step"
          onSubmit={(value) => {
            void run(objectAt(JSON.parse(wireText(value))));
          }}
        />
      )}
    </Dialog>
  );
}

/** The arguments of a step with what the samples give for its references; what they do not tell is left out. */
function argumentsOf(node: DraftNode, scope: Scope): JsonObject {
  return Object.fromEntries(
    Object.entries(node.with ?? {}).flatMap(([name, value]) => {
      const known = scope.preview(value);
      return known === undefined ? [] : [[name, known]];
    }),
  );
}

/** A result to use in later dry runs, as JSON. */
function EditSample({
  title,
  start,
  onKeep,
  onClose,
}: {
  readonly title: string;
  readonly start: Json;
  readonly onKeep: (value: Json) => void;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(start, null, 2));
  const [fault, setFault] = useState("");
  const keep = () => {
    try {
      onKeep(JSON.parse(text));
    } catch {
      setFault("This is not JSON yet. Check quotes, commas and brackets.");
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Sample for ${title}`}
      description="Dry runs and the data picker use it instead of a result. It stays on this device."
      footer={
        <Button look="primary" onClick={keep}>
          Pin this sample
        </Button>
      }
    >
      <CodeEditor value={text} label="Sample as JSON" onChange={setText} tall />
      <ErrorText text={fault} className="mt-2 text-sm text-bad" />
    </Dialog>
  );
}
