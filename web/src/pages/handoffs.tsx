import { compileForm } from "#forms/index.ts";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { ArrowLeftRight, Eye, Inbox, Send } from "lucide-react";
import { useMemo, useState } from "react";
import { queryClient, useToolData } from "../api/queries.ts";
import { callTool, envelopeError, getJson, rest } from "../api/rpc.ts";
import { askForKey, session } from "../api/session.ts";
import { Form } from "../forms/form.tsx";
import { FormStore } from "../forms/form-store.ts";
import { useExternal } from "../lib/external.ts";
import { ago, shortId } from "../lib/format.ts";
import { fromFragment } from "../lib/fragment.ts";
import { at, bagAt, bagsAt, flagAt, isBag, textAt, type Bag } from "../lib/read.ts";
import { toast, track } from "../shell/notices.ts";
import { Failure, Load } from "../shell/states.tsx";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { JsonBlock } from "../ui/code-block.tsx";
import { DataView } from "../ui/data-view.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

/** Work handed over and received, with what was confirmed and nothing more. */
export function HandoffsPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <Page
      title="Handoffs"
      lead="A packet is a preview until it is sent, accepted only when its target says so, and completed only with a result reference."
    >
      <Tabs
        label="Handoffs"
        value={search.view ?? "compose"}
        onChange={(view) => void navigate({ to: "/handoffs", search: { view }, replace: true, hash: true })}
        items={[
          { id: "compose", label: "Compose", content: <Compose /> },
          { id: "out", label: "Outbox", content: <Box direction="out" /> },
          { id: "in", label: "Inbox", content: <Box direction="in" /> },
          { id: "receiver", label: "Receiver", content: <Receiver /> },
        ]}
      />
    </Page>
  );
}

function Compose() {
  const integrations = useToolData("list_integrations");
  const hash = useRouterState({ select: (state) => state.location.hash });
  const store = useMemo(
    () => composer(bagsAt(integrations.data, "integrations"), fromFragment(hash, "artifact")),
    [integrations.data, hash],
  );
  const [packet, setPacket] = useState<Bag | null>(null);
  const [busy, setBusy] = useState(false);
  const make = async (dryRun: boolean) => {
    setBusy(true);
    const value: unknown = JSON.parse(JSON.stringify(store.value ?? {}));
    try {
      if (!dryRun && !session.get().keyed && !(await askForKey("Sending a handoff needs an API key.")))
        return;
      const answer = await track(
        dryRun ? "Preview handoff" : "Send handoff",
        (signal) => callTool("delegate_artifact", { ...bagAt({ value }, "value"), dryRun }, { signal }),
        (got) => ({
          ok: got.ok,
          note: got.ok ? textAt(got.data, "status", "Done") : envelopeError(got.data, got.status).message,
        }),
      );
      setPacket(answer.data);
      if (!answer.ok) toast("bad", "Not sent", envelopeError(answer.data, answer.status).message);
      else if (!dryRun) await queryClient.invalidateQueries();
    } catch (error) {
      toast("bad", "No packet was made", error instanceof Error ? error.message : "");
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Form
        key={store.document.formId + String(integrations.data !== undefined)}
        store={store}
        busy={busy}
        onSubmit={() => void make(true)}
        submitLabel={
          <>
            <Eye /> Preview packet
          </>
        }
      />
      <Panel
        title="Packet"
        actions={
          packet === null ? null : (
            <>
              <StateBadge state={textAt(packet, "status", "unknown")} />
              <Button size="sm" look="primary" disabled={busy} onClick={() => void make(false)}>
                <Send /> Send for real
              </Button>
            </>
          )
        }
      >
        {packet === null ? (
          <Empty icon={<ArrowLeftRight />} title="Nothing prepared">
            The preview shows exactly what would be sent. Previewing sends nothing.
          </Empty>
        ) : (
          <div className="space-y-3">
            {textAt(packet, "nextAction") === "" ? null : (
              <p className="text-ink-2">{textAt(packet, "nextAction")}</p>
            )}
            {textAt(packet, "reason") === "" ? null : <p className="text-warn">{textAt(packet, "reason")}</p>}
            <JsonBlock value={at(packet, "packet") ?? packet} label="Packet" />
          </div>
        )}
      </Panel>
    </div>
  );
}

/** The form of a handoff: its targets are the siblings that exist. */
function composer(integrations: readonly Bag[], artifact: unknown): FormStore {
  const targets = integrations.map((item) => ({
    const: textAt(item, "slug"),
    title: `${textAt(item, "title", textAt(item, "slug"))}${flagAt(item, "configured") ? "" : " (not configured)"}`,
  }));
  const schema = {
    type: "object",
    required: ["targetService"],
    properties: {
      targetService:
        targets.length === 0
          ? { type: "string", title: "Target" }
          : { title: "Target", description: "The sibling that should do the work.", oneOf: targets },
      action: {
        type: "string",
        title: "Capability",
        description: "What is asked of it. Left empty, its usual one.",
      },
      artifact: {
        type: "object",
        title: "Artifact",
        description:
          "What is handed over: an object with a title and content, or the id of a saved artifact.",
      },
    },
  };
  const { form } = compileForm(schema, { formId: `handoff-${targets.length}`, title: "Handoff" });
  if (form === undefined) throw new Error("The handoff form could not be made.");
  const given = isBag(artifact)
    ? JSON.parse(JSON.stringify(artifact))
    : { title: "Release check", content: { note: "What should be looked at" } };
  return new FormStore(form, {
    targetService:
      targets.find((target) => target.const === "sandbox")?.const ?? targets[0]?.const ?? "sandbox",
    artifact: given,
  });
}

function Box({ direction }: { readonly direction: "in" | "out" }) {
  const { generation, keyed } = useExternal(session);
  const [chosen, setChosen] = useState("");
  const list = useQuery({
    queryKey: ["handoffs", direction, generation],
    queryFn: ({ signal }) => getJson(`/api/svc/handoffs?direction=${direction}&limit=100`, signal),
  });
  if (list.error !== null) return <Failure error={list.error} retry={() => void list.refetch()} />;
  return (
    <Panel flush>
      <Load query={list}>
        {(data) => {
          const items = bagsAt(data, "data", "handoffs");
          if (items.length === 0) {
            return (
              <Empty
                icon={<Inbox />}
                title={direction === "in" ? "Nothing was received" : "Nothing was sent"}
              >
                {keyed
                  ? "Packets appear here with their state and the evidence for it."
                  : "Packets are listed when a key is in use."}
              </Empty>
            );
          }
          return (
            <ul className="divide-y divide-line">
              {items.map((item) => (
                <li key={textAt(item, "id")}>
                  <button
                    type="button"
                    onClick={() => setChosen(textAt(item, "id"))}
                    className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
                  >
                    <span className="min-w-0 flex-1 basis-60">
                      <span className="block truncate font-medium">
                        {textAt(item, "intent", textAt(item, "capability"))}
                      </span>
                      <span className="block text-sm text-ink-2">
                        {direction === "in" ? "from" : "to"} {textAt(item, "peer")} ·{" "}
                        {ago(textAt(item, "createdAt"))} ·{" "}
                        <span className="font-mono">{shortId(textAt(item, "id"))}</span>
                      </span>
                    </span>
                    {textAt(item, "resultRef") === "" ? (
                      <Badge>no result yet</Badge>
                    ) : (
                      <Badge tone="good">has a result</Badge>
                    )}
                    <StateBadge state={textAt(item, "status")} />
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Load>
      <Details id={chosen} direction={direction} onClose={() => setChosen("")} />
    </Panel>
  );
}

function Details({
  id,
  direction,
  onClose,
}: {
  readonly id: string;
  readonly direction: "in" | "out";
  readonly onClose: () => void;
}) {
  const { generation } = useExternal(session);
  const item = useQuery({
    queryKey: ["handoffs", id, generation],
    queryFn: ({ signal }) =>
      getJson(`/api/svc/handoffs/${encodeURIComponent(id)}?direction=${direction}`, signal),
    enabled: id !== "",
  });
  const workflows = useToolData(
    "list_workflows",
    { limit: 100 },
    { enabled: direction === "in" && id !== "" },
  );
  const [workflowId, setWorkflowId] = useState("");
  const start = async () => {
    try {
      await track("Start a run from a handoff", () =>
        rest(`/api/svc/handoffs/${encodeURIComponent(id)}/run`, { body: { workflowId } }),
      );
      toast("good", "The run was started; its outcome becomes the packet's");
      await queryClient.invalidateQueries();
    } catch (error) {
      toast("bad", "No run was started", error instanceof Error ? error.message : "");
    }
  };
  const startable =
    direction === "in" &&
    textAt(item.data, ["data", "status"]) === "accepted" &&
    textAt(item.data, ["data", "runId"]) === "";
  return (
    <Dialog
      open={id !== ""}
      onClose={onClose}
      title="Handoff"
      description={id}
      shape="side"
      className="sm:w-[min(38rem,100vw)]"
    >
      <Load query={item}>
        {(data) => (
          <div className="space-y-4">
            {startable ? (
              <div className="flex flex-wrap gap-2">
                <select
                  aria-label="Workflow"
                  value={workflowId}
                  onChange={(event) => setWorkflowId(event.target.value)}
                  className="field-control w-64"
                >
                  <option value="">Choose a workflow</option>
                  {bagsAt(workflows.data, "workflows").map((workflow) => (
                    <option key={textAt(workflow, "id")} value={textAt(workflow, "id")}>
                      {textAt(workflow, "name")}
                    </option>
                  ))}
                </select>
                <Button look="primary" disabled={workflowId === ""} onClick={() => void start()}>
                  Start a run
                </Button>
              </div>
            ) : null}
            <DataView
              value={Object.fromEntries(
                Object.entries(bagAt(data, "data")).filter(([key]) => key !== "packet"),
              )}
            />
            <h3 className="text-sm font-semibold text-ink-2">Packet</h3>
            <JsonBlock value={at(data, "data", "packet") ?? {}} label="Packet" />
          </div>
        )}
      </Load>
    </Dialog>
  );
}

function Receiver() {
  const probe = useQuery({
    queryKey: ["receiver"],
    queryFn: ({ signal }) => getJson("/api/svc/receive-handoff", signal),
  });
  return (
    <Panel title="This service as a receiver">
      <Load query={probe}>{(data) => <DataView value={at(data, "data")} />}</Load>
    </Panel>
  );
}
