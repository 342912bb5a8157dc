import { compileForm, FormStore } from "@workflow-ui/forms";
import { useRouterState } from "@tanstack/react-router";
import { ArrowLeftRight, Eye, Send } from "lucide-react";
import { useMemo, useState } from "react";
import { queryClient, useToolData } from "../api/queries.ts";
import { callTool, envelopeError, toolData } from "../api/rpc.ts";
import { askForKey, session } from "../api/session.ts";
import { Form } from "@workflow-ui/forms-react";
import { fromFragment } from "../lib/fragment.ts";
import { at, bagAt, bagsAt, flagAt, isBag, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { StateBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { JsonBlock } from "../ui/code-block.tsx";
import { Empty, Panel } from "../ui/page.tsx";
import { HandoffOutcome } from "./handoff-outcome.tsx";

/** A handoff from a form: first the packet as it would be sent, then the real thing and what came of it. */
export function HandoffCompose() {
  const integrations = useToolData("list_integrations", {});
  const hash = useRouterState({ select: (state) => state.location.hash });
  const store = useMemo(
    () => composer(bagsAt(integrations.data, "integrations"), fromFragment(hash, "artifact")),
    [integrations.data, hash],
  );
  const [answer, setAnswer] = useState<Bag | null>(null);
  const [busy, setBusy] = useState<"" | "preview" | "send">("");
  const make = async (dryRun: boolean) => {
    setBusy(dryRun ? "preview" : "send");
    const value: unknown = JSON.parse(JSON.stringify(store.value ?? {}));
    try {
      if (!dryRun && !session.get().keyed && !(await askForKey("Sending a handoff needs an API key.")))
        return;
      const got = await track(
        dryRun ? "Preview handoff" : "Send handoff",
        (signal) => callTool("delegate_artifact", { ...bagAt({ value }, "value"), dryRun }, { signal }),
        ({ ok, data, status }) => ({
          ok,
          note: ok ? textAt(data, "status", "Done") : envelopeError(data, status).message,
        }),
      );
      setAnswer({ ...got.data, dryRun });
      if (!got.ok && dryRun) toast("bad", "No packet was made", envelopeError(got.data, got.status).message);
      if (!dryRun) await queryClient.invalidateQueries({ queryKey: ["handoffs"] });
    } catch (error) {
      toast("bad", "No packet was made", error instanceof Error ? error.message : "");
    } finally {
      setBusy("");
    }
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        <SavedArtifacts store={store} />
        <Form
          key={store.document.formId}
          store={store}
          busy={busy !== ""}
          onSubmit={() => void make(true)}
          submitLabel={
            <>
              <Eye /> Preview packet
            </>
          }
        />
      </div>
      <Panel
        title={answer === null || flagAt(answer, "dryRun") ? "Packet" : "What came of it"}
        actions={
          answer === null ? null : (
            <>
              <StateBadge state={textAt(answer, "status", "unknown")} />
              <Button
                size="sm"
                look="primary"
                busy={busy === "send"}
                disabled={busy !== ""}
                onClick={() => void make(false)}
              >
                <Send /> {flagAt(answer, "dryRun") ? "Send for real" : "Send again"}
              </Button>
            </>
          )
        }
      >
        {answer === null ? (
          <Empty icon={<ArrowLeftRight />} title="Nothing prepared">
            The preview shows exactly what would be sent. Previewing sends nothing.
          </Empty>
        ) : (
          <Answer answer={answer} />
        )}
      </Panel>
    </div>
  );
}

function Answer({ answer }: { readonly answer: Bag }) {
  const sent = bagAt(answer, "handoff");
  const record = Object.keys(sent).length > 0 ? sent : answer;
  const packet = at(answer, "packet");
  return (
    <div className="space-y-3">
      <HandoffOutcome
        record={record}
        reason={textAt(answer, "reason", textAt(answer, ["error", "message"]))}
      />
      {flagAt(answer, "dryRun") || textAt(answer, "status") === "completed" ? null : (
        <p className="text-ink-2">{textAt(answer, "nextAction")}</p>
      )}
      <JsonBlock value={isBag(packet) ? packet : record} label={isBag(packet) ? "Packet" : "Record"} />
    </div>
  );
}

/** Fills the form from an artifact that is saved on the server; its id then names the packet's input. */
function SavedArtifacts({ store }: { readonly store: FormStore }) {
  const saved = useToolData("list_artifacts", {});
  const items = (saved.data?.artifacts ?? []).filter(({ title = "" }) => title !== "");
  const [chosen, setChosen] = useState("");
  if (items.length === 0) return null;
  const take = async (id: string) => {
    setChosen(id);
    if (id === "") return;
    try {
      const { title, type, content } = (await toolData("get_artifact", { id })).artifact;
      store.set("/artifact", JSON.parse(JSON.stringify({ id, title, type, content })));
    } catch (error) {
      toast("bad", "It could not be read", error instanceof Error ? error.message : "");
    }
  };
  return (
    <label className="block">
      <span className="mb-1 block font-medium">Start from a saved artifact</span>
      <select value={chosen} onChange={(event) => void take(event.target.value)} className="field-control">
        <option value="">None: write it below</option>
        {items.map((item) => (
          <option key={textAt(item, "id")} value={textAt(item, "id")}>
            {textAt(item, "title").slice(0, 120)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The form of a handoff: its targets are the siblings that exist. */
function composer(integrations: readonly Bag[], artifact: unknown): FormStore {
  const targets = integrations.map((item) => ({
    const: textAt(item, "slug"),
    title: `${textAt(item, "title", textAt(item, "slug"))}${flagAt(item, "configured") ? "" : " (not configured)"}`,
    description: textAt(item, "purpose"),
  }));
  const capabilities = new Set(integrations.flatMap((item) => textsAt(item, "capabilities")));
  const schema = {
    type: "object",
    required: ["targetService"],
    properties: {
      targetService:
        targets.length === 0
          ? { type: "string", title: "Target" }
          : { title: "Target", description: "The sibling that should do the work.", oneOf: targets },
      action: {
        title: "Capability",
        description: "What is asked of it. Left empty, its usual one.",
        ...(capabilities.size === 0
          ? { type: "string" }
          : { anyOf: [{ enum: [...capabilities].toSorted() }, { type: "string" }] }),
      },
      artifact: {
        type: "object",
        title: "Artifact",
        description: "What is handed over. Members beside these are allowed: the target says what it reads.",
        properties: {
          title: { type: "string", title: "Title" },
          content: { type: "object", title: "Content" },
        },
      },
    },
  };
  const { form } = compileForm(schema, { formId: `handoff-${targets.length}`, title: "Handoff" });
  if (form === undefined) throw new Error("The handoff form could not be made.");
  const given = isBag(artifact)
    ? JSON.parse(JSON.stringify(artifact))
    : { title: "Release check", content: { note: "What should be looked at" } };
  return new FormStore(form, {
    targetService: targets.find((target) => target.const === "evals")?.const ?? targets[0]?.const ?? "evals",
    artifact: given,
  });
}
