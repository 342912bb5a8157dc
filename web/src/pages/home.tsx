import { Link } from "@tanstack/react-router";
import {
  Activity,
  Archive,
  ArrowRight,
  Braces,
  Compass,
  KeyRound,
  Play,
  Stamp,
  Waypoints,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { streamState } from "../api/events.ts";
import { useOperation } from "../api/operations.ts";
import { askForKey, session } from "../api/session.ts";
import { RunRow } from "../runs/run-row.tsx";
import { listDrafts } from "../lib/drafts.ts";
import { useExternal } from "../lib/external.ts";
import { ago, words } from "../lib/format.ts";
import { Load } from "../shell/states.tsx";
import { Badge, StateBadge } from "../ui/badge.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { Row, RowList } from "../ui/rows.tsx";
import { isAlias } from "./tools/tool-groups.ts";
import { toolsQuery } from "../api/tools.ts";
import { plainText } from "../ui/data-view.tsx";

/** What needs a person, and the shortest way to everything else. */
export function HomePage() {
  const tools = useQuery(toolsQuery);
  const approvals = useOperation("list_approvals", { limit: 50 });
  const workflows = useOperation("list_workflows", { limit: 6 });
  const runs = useOperation("list_runs", {});
  const drafts = useQuery({ queryKey: ["drafts"], queryFn: listDrafts });
  const waiting = (approvals.data?.approvals ?? []).filter(({ status }) => status === "pending");
  const recent = (runs.data?.runs ?? []).slice(0, 6);
  const stuck = (runs.data?.runs ?? []).filter(
    (run) => run.status === "failed" || run.status === "timed_out",
  ).length;
  const isEmpty =
    workflows.data?.workflows.length === 0 &&
    runs.data !== undefined &&
    recent.length === 0 &&
    (drafts.data ?? []).length === 0;
  return (
    <Page
      title="Home"
      lead="What needs a person, and the shortest way to everything else."
      actions={
        <>
          <Link to="/welcome" className={buttonClass("ghost")}>
            <Compass /> Getting started
          </Link>
          <Link to="/own" className={buttonClass("primary")}>
            <Braces /> Bring your own
          </Link>
        </>
      }
    >
      <Refused />
      {isEmpty ? <FirstSteps /> : null}
      <div className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure
          to="/approvals"
          icon={Stamp}
          value={approvals.data === undefined ? null : waiting.length}
          label="waiting for a decision"
          strong={waiting.length > 0}
        />
        <Figure
          to="/runs"
          icon={Activity}
          value={runs.data === undefined ? null : stuck}
          label="runs that failed"
          strong={stuck > 0}
        />
        <Figure
          to="/tools"
          icon={Wrench}
          value={tools.data?.filter((tool) => !isAlias(tool)).length ?? null}
          label="tools to operate"
        />
        <Figure
          to="/artifacts"
          icon={Archive}
          value={drafts.data?.length ?? null}
          label="drafts on this device"
        />
      </div>
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel title="Needs you" flush actions={<Stream />}>
          {approvals.data === undefined ? (
            <Load query={approvals}>{() => null}</Load>
          ) : waiting.length === 0 ? (
            <Empty icon={<Stamp />} title="Nothing waits for you">
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
        <Panel title="Workflows" flush actions={<More to="/workflows" />}>
          {workflows.data === undefined ? (
            <Load query={workflows}>{() => null}</Load>
          ) : workflows.data.workflows.length === 0 ? (
            <Empty
              icon={<Waypoints />}
              title="No workflows yet"
              action={
                <>
                  <Link to="/templates" className={buttonClass()}>
                    Start from a template
                  </Link>
                  <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
                    Start empty
                  </Link>
                </>
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
      </div>
    </Page>
  );
}

/** A key that the service does not accept is said to be that, not shown as if there were nothing. */
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
    to: "/own",
    search: { kind: "url" },
    title: "My API",
    text: "Give the address of an OpenAPI document; every operation becomes a form.",
  },
  {
    to: "/connections",
    search: { add: "open" },
    title: "My MCP server",
    text: "Connect it once; its tools become forms and steps.",
  },
  {
    to: "/workflows",
    search: { import: "open" },
    title: "My workflow",
    text: "Import n8n, Postman, HAR, curl, Arazzo, Serverless Workflow or YAML.",
  },
] as const;

/** An installation in which nothing has been done yet: what this is, something to press, and three ways in. */
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
          <Play /> Send a first form, no key needed
        </Link>
        <Link to="/workflows/$id" params={{ id: "new" }} className={buttonClass()}>
          <Waypoints /> Build a workflow
        </Link>
        <Link to="/templates" className={buttonClass()}>
          Start from a template
        </Link>
      </div>
      <ul className="mt-4 grid gap-3 sm:grid-cols-3">
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

interface FigureProps {
  readonly to: "/approvals" | "/runs" | "/tools" | "/artifacts";
  readonly icon: LucideIcon;
  readonly value: number | null;
  readonly label: string;
  readonly strong?: boolean;
}

function Figure({ to, icon: Icon, value, label, strong = false }: FigureProps) {
  return (
    <Link
      to={to}
      className="panel flex items-center gap-3 px-3 py-3 hover:border-line-strong sm:px-4 sm:py-3.5"
    >
      <span
        className={`grid size-9 shrink-0 place-items-center rounded-lg max-sm:self-start ${strong ? "bg-warn-soft text-warn" : "bg-accent-soft text-accent-ink"}`}
      >
        <Icon aria-hidden className="size-[18px]" />
      </span>
      <span className="min-w-0">
        <span className="block text-xl font-semibold tabular-nums">
          {value === null ? "–" : value.toLocaleString("en")}
        </span>
        <span className="block text-sm text-balance text-ink-2">{label}</span>
      </span>
    </Link>
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
