import { Link } from "@tanstack/react-router";
import { Activity, Archive, ArrowRight, Compass, KeyRound, Play, Plug, Stamp, Waypoints } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { streamState } from "../api/events.ts";
import { useOperation } from "../api/operations.ts";
import { askForKey, session } from "../api/session.ts";
import { RunRow } from "../runs/run-row.tsx";
import { listDrafts } from "../lib/drafts.ts";
import { useExternal } from "../lib/external.ts";
import { ago, words } from "../lib/format.ts";
import { Load } from "../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { For } from "../ui/button-for.tsx";
import { Empty, Page, Panel, Skeleton } from "../ui/page.tsx";
import { Row, RowList } from "../ui/rows.tsx";
import { plainText } from "../ui/data-view.tsx";

/** The panels of the page. */
type PanelName = "approvals" | "runs" | "workflows" | "drafts";

/** What each role came for, first. Guests and keys see the last row. */
const PANELS: Readonly<Record<string, readonly PanelName[]>> = {
  approver: ["approvals", "runs"],
  operator: ["runs", "workflows", "approvals"],
  viewer: ["runs", "workflows"],
  editor: ["workflows", "drafts", "runs", "approvals"],
};
const EVERY_PANEL: readonly PanelName[] = ["approvals", "runs", "workflows", "drafts"];

/** What this person came for, first: approvals for approvers, runs for operators, workflows for editors. */
export function HomePage() {
  const { person } = useExternal(session);
  const approvals = useOperation("list_approvals", { limit: 50 });
  const workflows = useOperation("list_workflows", { limit: 6 });
  const runs = useOperation("list_runs", {});
  const drafts = useQuery({ queryKey: ["drafts"], queryFn: listDrafts });
  const waiting = (approvals.data?.approvals ?? []).filter(({ status }) => status === "pending");
  const recent = (runs.data?.runs ?? []).slice(0, 6);
  const isEmpty =
    workflows.data?.workflows.length === 0 &&
    runs.data !== undefined &&
    recent.length === 0 &&
    (drafts.data ?? []).length === 0;
  const panels: Readonly<Record<PanelName, ReactNode>> = {
    approvals: (
      <Panel title="Your approvals" flush actions={<Stream />}>
        {approvals.data === undefined ? (
          <Load query={approvals}>{() => null}</Load>
        ) : waiting.length === 0 ? (
          <Empty icon={<Stamp />} title="No approval is waiting">
            When a run reaches an approval it appears here at once.
          </Empty>
        ) : (
          <RowList>
            {waiting.slice(0, 6).map((item) => (
              <Row
                key={item.id}
                link={{ to: "/approvals", search: { id: item.id } }}
                title={plainText(item.title, "Approval")}
                sub={`Asked ${ago(item.createdAt)}`}
                end={<StateBadge state="pending" />}
              />
            ))}
          </RowList>
        )}
      </Panel>
    ),
    runs: (
      <Panel title="Recent runs" flush actions={<More to="/runs" />}>
        {runs.data === undefined ? (
          <Load query={runs}>{() => null}</Load>
        ) : recent.length === 0 ? (
          <Empty icon={<Activity />} title="No runs yet">
            Run a workflow and follow it here, step by step.
          </Empty>
        ) : (
          <RowList>
            {recent.map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </RowList>
        )}
      </Panel>
    ),
    workflows: (
      <Panel title="Workflows" flush actions={<More to="/workflows" />}>
        {workflows.data === undefined ? (
          <Load query={workflows}>{() => null}</Load>
        ) : workflows.data.workflows.length === 0 ? (
          <Empty
            icon={<Waypoints />}
            title="No workflows yet"
            action={
              <For op="create_workflow">
                <Link to="/templates" className={buttonClass()}>
                  Start from a template
                </Link>
                <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
                  New workflow
                </Link>
              </For>
            }
          >
            Chain tools, put a person where it matters, run it durably.
          </Empty>
        ) : (
          <RowList>
            {workflows.data.workflows.map(({ id, name, description, status }) => (
              <Row
                key={id}
                link={{ to: "/workflows/$id", params: { id } }}
                title={name}
                sub={description || "No description"}
                end={<StateBadge state={status} />}
              />
            ))}
          </RowList>
        )}
      </Panel>
    ),
    drafts: (
      <Panel title="Drafts on this device" flush actions={<More to="/artifacts" />}>
        {(drafts.data ?? []).length === 0 ? (
          <Empty icon={<Archive />} title="No drafts">
            Keep a call or a result as a draft; it stays in this browser until you save or share it.
          </Empty>
        ) : (
          <RowList>
            {(drafts.data ?? []).slice(0, 6).map((draft) => (
              <Row
                key={draft.id}
                link={
                  draft.type === "workflow"
                    ? { to: "/workflows/$id", params: { id: draft.id } }
                    : { to: "/artifacts/$id", params: { id: draft.id } }
                }
                title={draft.title}
                sub={`Changed ${ago(draft.updatedAt)}`}
                end={<Badge>{words(draft.type).toLowerCase()}</Badge>}
              />
            ))}
          </RowList>
        )}
      </Panel>
    ),
  };
  const shown = PANELS[person?.role ?? ""] ?? EVERY_PANEL;
  return (
    <Page
      title="Home"
      actions={
        <>
          <Link to="/welcome" className={buttonClass("ghost")}>
            <Compass /> Getting started
          </Link>
          <For op="create_workflow">
            <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
              <Waypoints /> New workflow
            </Link>
          </For>
          <For op="create_connection">
            <Link to="/connections" search={{ add: "open" }} className={buttonClass("primary")}>
              <Plug /> Connect my API
            </Link>
          </For>
        </>
      }
    >
      <Refused />
      {workflows.isPending || runs.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <>
          {isEmpty ? (
            <For op="create_workflow">
              <FirstSteps />
            </For>
          ) : null}
          <div className="grid gap-4 lg:grid-cols-2">
            {shown.map((name) => (
              <Fragment key={name}>{panels[name]}</Fragment>
            ))}
          </div>
        </>
      )}
    </Page>
  );
}

/** A key that the service does not accept is reported as that, not shown as if there were nothing. */
function Refused() {
  const { keyed, refused } = useExternal(session);
  if (!keyed || !refused) return null;
  return (
    <div
      role="alert"
      className="mb-6 flex flex-wrap items-center gap-3 rounded-lg bg-bad-soft px-4 py-3 text-bad"
    >
      <p className="min-w-0 flex-1 basis-64">
        <span className="font-semibold">The key was refused.</span> What is private is not shown, and nothing
        can be run until you enter a valid key.
      </p>
      <Button size="sm" onClick={() => void askForKey("Enter the key to use from now on.", true)}>
        <KeyRound /> Enter another key
      </Button>
    </div>
  );
}

const WAYS = [
  {
    to: "/connections",
    search: { add: "open" },
    title: "My API, MCP server or schema",
    text: "Give its address, or paste what you have; every operation becomes a form and a step.",
  },
  {
    to: "/workflows",
    search: { import: "open" },
    title: "My workflow",
    text: "Import n8n, Postman, HAR, curl, Arazzo, Serverless Workflow or YAML.",
  },
] as const;

/** An installation in which nothing has been done yet: what this is, something to press, and two ways in. */
function FirstSteps() {
  return (
    <section aria-label="First steps" className="panel mb-6 p-4 sm:p-6">
      <h2 className="text-lg font-semibold">
        Workflow-UI turns tools and APIs into forms, and forms into workflows with people in them.
      </h2>
      <div className="mt-3 flex flex-wrap gap-2">
        <Link
          to="/tools/$name"
          params={{ name: "create_local_artifact" }}
          hash={`v=${encodeURIComponent(JSON.stringify({ title: "My first note", type: "note" }))}`}
          className={buttonClass("primary")}
        >
          <Play /> Send a first form
        </Link>
        <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
          <Waypoints /> Build a workflow
        </Link>
        <Link to="/templates" className={buttonClass()}>
          Start from a template
        </Link>
      </div>
      <ul className="mt-4 grid gap-3 sm:grid-cols-2">
        {WAYS.map((way) => (
          <li key={way.title}>
            <Link to={way.to} search={way.search} className="panel block h-full p-3 hover:border-line-strong">
              <span className="block font-medium">{way.title}</span>
              <span className="block text-sm text-ink-2">{way.text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Stream() {
  const state = useExternal(streamState);
  return (
    <Badge
      tone={state === "open" ? "good" : "neutral"}
      dot
      title={
        state === "open"
          ? "Changes appear here as they happen"
          : "The event stream is not open; lists refresh when you return"
      }
    >
      {state === "open" ? "live" : "not live"}
    </Badge>
  );
}

function More({ to }: { readonly to: "/runs" | "/workflows" | "/artifacts" }) {
  return (
    <Link to={to} className="flex min-h-6 items-center gap-1 text-sm text-ink-2 hover:text-ink">
      All <ArrowRight aria-hidden className="size-3.5" />
    </Link>
  );
}
