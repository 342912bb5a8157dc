import type { JsonObject, Integration, OutputOf, InputOf } from "@workflow-ui/client";
import { isObject } from "#kernel/json.ts";
import type { FormStore } from "@workflow-ui/forms";
import { useMutation } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { ArrowLeftRight, Eye, Send } from "lucide-react";
import { useMemo, useState } from "react";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { askToSignIn, session } from "../../api/session.ts";
import { Form } from "@workflow-ui/forms-react";
import { storeOf } from "../../form-maker/schema-form.tsx";
import { fromFragment } from "../../lib/fragment.ts";
import { toast, track } from "../../shell/notices.ts";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { HandoffOutcome } from "./handoff-outcome.tsx";
import { errorText } from "../../lib/error-text.ts";
import { callToolText } from "../../api/rpc.ts";
import { SelectField } from "../../ui/fields.tsx";

/** A handoff from a form: first the packet as it would be sent, then the real thing and its result. */
export function HandoffCompose() {
  const integrations = useOperation("list_integrations", {});
  const hash = useRouterState({ select: (state) => state.location.hash });
  const store = useMemo(
    () => composer(integrations.data?.integrations ?? [], fromFragment(hash, "artifact")),
    [integrations.data, hash],
  );
  const [answer, setAnswer] = useState<Made | null>(null);
  const make = useMutation({
    mutationFn: async (dryRun: boolean) => {
      const value: InputOf<"delegate_artifact"> = JSON.parse(JSON.stringify(store.value ?? {}));
      if (!dryRun && !session.get().keyed && !(await askToSignIn("Sign in to hand work over."))) return;
      const { refusal, data } = await track(
        dryRun ? "Preview handoff" : "Send handoff",
        (signal) => callToolText<Made>("delegate_artifact", JSON.stringify({ ...value, dryRun }), { signal }),
        (got) => ({ ok: got.ok, note: got.refusal?.message ?? got.data.status ?? "Done" }),
      );
      setAnswer({ ...data, dryRun });
      if (refusal !== null && dryRun) toast("bad", "No packet was made", refusal.message);
      if (!dryRun) await refreshOperation("list_handoffs");
    },
    onError: (error) => toast("bad", "No packet was made", errorText(error)),
  });
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        <SavedArtifacts store={store} />
        <Form
          key={store.document.formId}
          store={store}
          busy={make.isPending}
          onSubmit={() => make.mutate(true)}
          submitLabel={
            <>
              <Eye /> Preview packet
            </>
          }
        />
      </div>
      <Panel
        title={answer === null || answer.dryRun ? "Packet" : "Result"}
        actions={
          answer === null ? null : (
            <>
              <StateBadge state={answer.status ?? "unknown"} />
              <ButtonFor
                op="run_demo_flow"
                size="sm"
                look="primary"
                busy={make.isPending && !make.variables}
                disabled={make.isPending}
                onClick={() => make.mutate(false)}
              >
                <Send /> {answer.dryRun ? "Send now" : "Send again"}
              </ButtonFor>
            </>
          )
        }
      >
        {answer === null ? (
          <Empty icon={<ArrowLeftRight />} title="Nothing prepared">
            The preview shows exactly what would be sent. Previewing sends nothing.
          </Empty>
        ) : (
          <MadePacket answer={answer} />
        )}
      </Panel>
    </div>
  );
}

/** The result of a packet: a service that could not do it says why instead. */
type Made = Partial<OutputOf<"delegate_artifact">> & {
  readonly reason?: string;
  readonly evidence?: JsonObject;
  readonly dryRun?: boolean;
};

function MadePacket({ answer }: { readonly answer: Made }) {
  const { packet, handoff: record = answer, reason = "", dryRun = false } = answer;
  return (
    <div className="space-y-3">
      <HandoffOutcome record={{ ...record, dryRun }} reason={reason} />
      {dryRun || answer.status === "completed" ? null : <p className="text-ink-2">{answer.nextAction}</p>}
      <JsonBlock value={packet ?? record} label={packet === undefined ? "Record" : "Packet"} />
    </div>
  );
}

/** Fills the form from an artifact that is saved on the server; its id then names the packet's input. */
function SavedArtifacts({ store }: { readonly store: FormStore }) {
  const saved = useOperation("list_artifacts", {});
  const items = (saved.data?.artifacts ?? []).filter(({ title = "" }) => title !== "");
  const [chosen, setChosen] = useState("");
  if (items.length === 0) return null;
  const take = async (id: string) => {
    setChosen(id);
    if (id === "") return;
    try {
      const { title, type, content } = (await call("get_artifact", { id })).artifact;
      store.set("/artifact", JSON.parse(JSON.stringify({ id, title, type, content })));
    } catch (error) {
      toast("bad", "It could not be read", errorText(error));
    }
  };
  return (
    <SelectField
      label="Start from a saved artifact"
      value={chosen}
      options={[
        { value: "", label: "None: write it below" },
        ...items.map(({ id, title = "" }) => ({ value: id, label: title.slice(0, 120) })),
      ]}
      onChoose={(id) => void take(id)}
    />
  );
}

/** The form of a handoff: its targets are the services that are known. */
function composer(integrations: readonly Integration[], artifact: unknown): FormStore {
  const targets = integrations.map((item) => ({
    const: item.slug,
    title: `${item.title}${item.configured ? "" : " (not configured)"}`,
    description: item.purpose,
  }));
  const capabilities = new Set(integrations.flatMap((item) => item.capabilities));
  const schema = {
    type: "object",
    required: ["targetService"],
    properties: {
      targetService:
        targets.length === 0
          ? { type: "string", title: "Target" }
          : { title: "Target", description: "The service that should do the work.", oneOf: targets },
      action: {
        title: "Capability",
        description: "What is asked of it (optional).",
        ...(capabilities.size === 0
          ? { type: "string" }
          : { anyOf: [{ enum: [...capabilities].toSorted() }, { type: "string" }] }),
      },
      artifact: {
        type: "object",
        title: "Artifact",
        description: "What is handed over. Additional fields are allowed: the target says what it reads.",
        properties: {
          title: { type: "string", title: "Title" },
          content: { type: "object", title: "Content" },
        },
      },
    },
  };
  const given = isObject(artifact)
    ? JSON.parse(JSON.stringify(artifact))
    : { title: "Release check", content: { note: "What should be looked at" } };
  return storeOf("Handoff", schema, {
    targetService: targets.find((target) => target.const === "evals")?.const ?? targets[0]?.const ?? "evals",
    artifact: given,
  });
}
