import { useNavigate, useSearch } from "@tanstack/react-router";
import { Inbox } from "lucide-react";
import { useState } from "react";
import { call, useOperation } from "../../api/operations.ts";
import { ago } from "../../lib/format.ts";
import { Failure, Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { HandoffCompose } from "./handoff-compose.tsx";
import { HandoffOutcome } from "./handoff-outcome.tsx";
import { useAction } from "../../lib/use-action.ts";
import { Select, optionsOf } from "../../ui/fields.tsx";

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
          { id: "compose", label: "Compose", content: <HandoffCompose /> },
          { id: "out", label: "Outbox", content: <Box direction="out" /> },
          { id: "in", label: "Inbox", content: <Box direction="in" /> },
          { id: "receiver", label: "Receiver", content: <Receiver /> },
        ]}
      />
    </Page>
  );
}

function Box({ direction }: { readonly direction: "in" | "out" }) {
  const [chosen, setChosen] = useState("");
  const list = useOperation("list_handoffs", { direction, limit: 100 });
  if (list.error !== null) return <Failure error={list.error} retry={() => void list.refetch()} />;
  return (
    <Panel flush>
      <Load query={list}>
        {({ handoffs }) => {
          if (handoffs.length === 0) {
            return (
              <Empty
                icon={<Inbox />}
                title={direction === "in" ? "Nothing was received" : "Nothing was sent"}
              >
                Packets appear here with their state and the evidence for it.
              </Empty>
            );
          }
          return (
            <ul className="divide-y divide-line">
              {handoffs.map((item) => (
                <li key={item.id}>
                  <button
                    type="button"
                    onClick={() => setChosen(item.id)}
                    className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left hover:bg-hover focus-visible:-outline-offset-2"
                  >
                    <span className="min-w-0 flex-1 basis-60">
                      <span className="block truncate font-medium">
                        {typeof item.intent === "string" ? item.intent : item.capability}
                      </span>
                      <span className="block text-sm text-ink-2">
                        {direction === "in" ? "from" : "to"} {item.peer} · {ago(item.createdAt)}
                      </span>
                    </span>
                    {item.resultRef === null ? (
                      <Badge>no result yet</Badge>
                    ) : (
                      <Badge tone="good">has a result</Badge>
                    )}
                    <StateBadge state={item.status} />
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
  const item = useOperation("get_handoff", { id, direction }, { enabled: id !== "" });
  const workflows = useOperation(
    "list_workflows",
    { limit: 100 },
    { enabled: direction === "in" && id !== "" },
  );
  const [workflowId, setWorkflowId] = useState("");
  const start = useAction({
    title: "Start a run from a handoff",
    failed: "No run was started",
    run: (_, signal) => call("run_handoff", { id, workflowId }, { signal }),
    done: () => "The run was started; its outcome becomes the packet's",
  });
  const startable = direction === "in" && item.data?.status === "accepted" && item.data.runId === null;
  return (
    <Dialog
      open={id !== ""}
      onClose={onClose}
      title="Handoff"
      shape="sheet"
      className="sm:w-[min(38rem,100vw)]"
    >
      <Load query={item}>
        {({ packet, evidence, ...facts }) => (
          <div className="space-y-4">
            {startable ? (
              <div className="flex flex-wrap gap-2">
                <Select
                  aria-label="Workflow"
                  look="w-64"
                  value={workflowId}
                  options={[
                    { value: "", label: "Choose a workflow" },
                    ...optionsOf(workflows.data?.workflows ?? []),
                  ]}
                  onChoose={setWorkflowId}
                />
                <ButtonFor
                  op="run_handoff"
                  look="primary"
                  disabled={workflowId === ""}
                  onClick={() => start.mutate()}
                >
                  Start a run
                </ButtonFor>
              </div>
            ) : null}
            <HandoffOutcome record={{ ...facts, evidence }} />
            <details>
              <summary className="text-sm text-ink-2">The whole record</summary>
              <div className="mt-2">
                <DataView value={facts} />
              </div>
            </details>
            <h3 className="text-sm font-semibold text-ink-2">Packet</h3>
            <JsonBlock value={packet} label="Packet" />
          </div>
        )}
      </Load>
    </Dialog>
  );
}

function Receiver() {
  const probe = useOperation("get_receiver_readiness", {});
  return (
    <Panel title="This service as a receiver">
      <p className="mb-3">
        A packet that is a dry run is answered with a preview and not stored. A packet with a key is stored
        and answered as accepted. None is called completed without a reference to its result.
      </p>
      <Load query={probe}>
        {(data) => {
          const { confirmationPolicy: _, ...facts } = data;
          return <DataView value={facts} />;
        }}
      </Load>
    </Panel>
  );
}
