import { useNavigate, useSearch } from "@tanstack/react-router";
import { ExternalLink, KeyRound, Radio } from "lucide-react";
import { recentEvents, streamState } from "../../api/events.ts";
import { useOperation } from "../../api/operations.ts";
import { askForKey, session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { ago, words } from "../../lib/format.ts";
import { at } from "../../lib/read.ts";
import { Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock, JsonBlock } from "../../ui/code-block.tsx";
import { DataView } from "../../ui/data-view.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { clientConfigs } from "./client-configs.ts";
import { Toolsets } from "./toolsets.tsx";

/** Everything a program needs: endpoints, client configurations, events, discovery, status and policy. */
export function DevelopersPage() {
  const { tab = "endpoints" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { person } = useExternal(session);
  const items = [
    { id: "endpoints", label: "Endpoints", content: <Endpoints /> },
    { id: "clients", label: "Clients", content: <Clients /> },
    // Which rights a key has is not known here; the service says so when it lacks one.
    ...(person === null || person.scopes.includes("admin")
      ? [{ id: "toolsets", label: "Toolsets", content: <Toolsets /> }]
      : []),
    { id: "events", label: "Events", content: <Events /> },
    { id: "discovery", label: "Discovery", content: <Discovery /> },
    { id: "status", label: "Status", content: <Status /> },
    { id: "policy", label: "Policy", content: <Policy /> },
  ];
  return (
    <Page
      title="Developers"
      lead="This page is one client among many. Whatever it does, any program can do through the same gateway."
      actions={
        person === null ? (
          <Button onClick={() => void askForKey("Enter the key to use from now on.")}>
            <KeyRound /> Enter an API key
          </Button>
        ) : null
      }
    >
      <Tabs
        label="For developers"
        value={items.some(({ id }) => id === tab) ? tab : "endpoints"}
        onChange={(id) => void navigate({ to: "/developers", search: { tab: id }, replace: true })}
        items={items}
      />
    </Page>
  );
}

function Endpoints() {
  const info = useOperation("get_gateway_info", {});
  const origin = location.origin;
  const rows = [
    ["POST", "/mcp", "MCP for agents: twelve tools that reach everything"],
    ["POST", "/api/mcp", "JSON-RPC 2.0 and MCP: initialize, tools, resources, prompts"],
    ["GET", "/api/mcp", "The info document: every tool, resource and prompt"],
    ["GET", "/api/svc/events", "Events as they happen (server-sent events, resumable)"],
    ["POST", "/api/svc/receive-handoff", "Receives suite.handoff.v1 packets"],
    ["GET", "/api/svc/demo-suite", "The demo flow; mode=live probes it"],
    ["GET", "/livez, /readyz, /metrics", "For operators"],
  ] as const;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1.4fr)_minmax(0,1fr)]">
      <Panel title={`Base address ${origin}`} flush>
        <ul className="divide-y divide-line">
          {rows.map(([method, path, about]) => (
            <li key={method + path} className="grid gap-x-3 px-4 py-2 sm:grid-cols-[3.5rem_14rem_1fr]">
              <span className="font-mono text-sm text-ink-3">{method}</span>
              <span className="font-mono text-sm break-all">{path}</span>
              <span className="text-sm text-ink-2">{about}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Access">
        <Load query={info}>
          {(data) => (
            <div className="space-y-3">
              <DataView value={at(data, "data", "counts")} />
              <p className="text-sm text-ink-2">{data.auth.protected}</p>
              <p className="text-sm text-ink-2">{data.boundary}</p>
              <p className="text-sm text-ink-2">
                Keys are created, listed, rotated and revoked with{" "}
                <code className="font-mono">suitectl keys</code>. Sent as{" "}
                <code className="font-mono">Authorization: Bearer …</code> or{" "}
                <code className="font-mono">X-Suite-API-Key</code>.
              </p>
            </div>
          )}
        </Load>
      </Panel>
    </div>
  );
}

function Clients() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {clientConfigs(location.origin).map((config) => (
        <Panel key={config.title} title={config.title}>
          <p className="mb-2 text-sm text-ink-2">{config.about}</p>
          <CodeBlock text={config.text} label={config.title} />
        </Panel>
      ))}
    </div>
  );
}

function Events() {
  const events = useExternal(recentEvents).filter((event) => event.type !== "ready");
  const state = useExternal(streamState);
  return (
    <Panel
      title="Event stream"
      flush
      actions={
        <Badge tone={state === "open" ? "good" : "warn"} dot>
          {state}
        </Badge>
      }
    >
      {events.length === 0 ? (
        <Empty icon={<Radio />} title="No event since this page was opened">
          Save an artifact or run a workflow and watch it arrive. With a key in use, private events are shown
          too.
        </Empty>
      ) : (
        <ul className="divide-y divide-line">
          {events.map((event) => (
            <li key={event.id + event.time}>
              <details className="px-4 py-2">
                <summary className="flex flex-wrap items-center gap-x-3">
                  <span className="font-mono text-sm">{event.type}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-3">
                    {event.subject}
                  </span>
                  <span className="text-sm text-ink-3">{ago(event.time)}</span>
                </summary>
                <div className="mt-2">
                  <JsonBlock value={event.body} label={`Event ${event.type}`} />
                </div>
              </details>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Discovery() {
  const info = useOperation("get_gateway_info", {});
  return (
    <Panel title="Discovery files" flush>
      <Load query={info}>
        {(data) => (
          <ul className="divide-y divide-line">
            {Object.entries(data.discovery).map(([key, address]) => (
              <li key={key}>
                <a
                  href={local(address)}
                  target="_blank"
                  rel="noreferrer"
                  className="flex flex-wrap items-center gap-x-3 px-4 py-2.5 hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <span className="min-w-0 flex-1 basis-40 font-medium sm:flex-none">{words(key)}</span>
                  <span className="min-w-0 flex-1 truncate font-mono text-sm text-ink-2">{address}</span>
                  <ExternalLink aria-hidden className="size-4 text-ink-3" />
                </a>
              </li>
            ))}
          </ul>
        )}
      </Load>
    </Panel>
  );
}

/** The path of an address of this service; anything else is not linked to. */
function local(address: unknown): string {
  return typeof address === "string" && URL.canParse(address) ? new URL(address).pathname : "#";
}

function Status() {
  const storage = useOperation("get_storage_status", {});
  const integrations = useOperation("list_integrations", {});
  const health = useOperation("get_health", {});
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title="Storage">
        <Load query={storage}>{(data) => <DataView value={data} />}</Load>
      </Panel>
      <div className="space-y-4">
        <Panel title="Health">
          <Load query={health}>{(data) => <DataView value={data} />}</Load>
        </Panel>
        <Panel title="Services of the suite" flush>
          <Load query={integrations}>
            {(data) => (
              <ul className="divide-y divide-line">
                {data.integrations.map(({ slug, title, configured, purpose, nextAction, state }) => (
                  <li key={slug} className="flex items-center gap-3 px-4 py-2">
                    <span className="min-w-0 flex-1">
                      <span className="block font-medium">{title}</span>
                      <span className="block text-sm text-ink-2">{configured ? purpose : nextAction}</span>
                    </span>
                    <StateBadge state={state} />
                  </li>
                ))}
              </ul>
            )}
          </Load>
        </Panel>
      </div>
    </div>
  );
}

function Policy() {
  const policy = useOperation("get_agent_policy", {});
  const trust = useOperation("get_trust_policy", {});
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title="Agent policy">
        <Load query={policy}>{(data) => <DataView value={data} />}</Load>
      </Panel>
      <Panel title="Trust policy">
        <Load query={trust}>{(data) => <DataView value={data} />}</Load>
      </Panel>
    </div>
  );
}
