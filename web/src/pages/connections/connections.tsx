import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { Connection } from "@workflow-ui/client";
import { addressOf, useConnections } from "../../api/connections.ts";
import { session } from "../../api/session.ts";
import { ago, count } from "../../lib/format.ts";
import { useExternal } from "../../lib/external.ts";
import { readFormDraft } from "../../lib/form-drafts.ts";
import { Load } from "../../shell/states.tsx";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { Bring } from "./bring.tsx";
import { RecordButton } from "./connection-record.tsx";

/** The words for a kind of connection. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  mcp: "MCP server",
  openapi: "API",
  http: "HTTP requests",
};

/** The way in for what people bring, and the connections that were made of it, with their health. */
export function ConnectionsPage() {
  const { keyed } = useExternal(session);
  const { add, kept = "" } = useSearch({ strict: false });
  const navigate = useNavigate();
  const connections = useConnections();
  const all = keyed ? (connections.data?.connections ?? []) : [];
  const isEmpty = all.length === 0 && (!keyed || connections.data !== undefined);
  // What is being added stays open when the first of several is there, or when a guest has signed in for it.
  const [began, setBegan] = useState(false);
  if (isEmpty && !began) setBegan(true);
  const isOpen = add === "open" || began;
  const setOpen = (open: boolean) => {
    setBegan(false);
    void navigate({ to: "/connections", search: open ? { add: "open" } : {}, replace: true });
  };
  const opened = useQuery({
    queryKey: ["kept-form", kept],
    queryFn: () => readFormDraft(kept),
    enabled: kept !== "",
    // A form that is being filled in does not begin again because the window got the focus.
    staleTime: Infinity,
  });
  return (
    <Page
      wide={isOpen}
      title="Connections"
      lead="Bring your API, MCP server, schema or requests. Each operation becomes a form that you can send, and a step that workflows can use."
      actions={
        <>
          {keyed ? <RecordButton /> : null}
          {isEmpty ? null : isOpen ? (
            <Button onClick={() => setOpen(false)}>Close</Button>
          ) : (
            <Button look="primary" onClick={() => setOpen(true)}>
              <Plus /> Add a connection
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-5">
        {!isOpen ? null : kept === "" ? (
          <Bring opened={null} />
        ) : (
          <Load query={opened}>
            {(form) => (
              <>
                {form === null ? (
                  <p role="alert" className="mb-4 text-bad">
                    The form that was kept is not on this device any more. Bring its schema again.
                  </p>
                ) : null}
                <Bring key={kept} opened={form} />
              </>
            )}
          </Load>
        )}
        {isEmpty ? null : <List />}
      </div>
    </Page>
  );
}

function List() {
  const connections = useConnections();
  return (
    <Panel flush>
      <Load query={connections}>
        {({ connections: all }) => (
          <RowList>
            {all.map((connection) => (
              <Row
                key={connection.name}
                link={{ to: "/connections/$name", params: { name: connection.name } }}
                title={
                  <>
                    {connection.title}{" "}
                    <span className="font-mono text-sm font-normal text-ink-3">{connection.name}</span>
                  </>
                }
                sub={
                  <>
                    {KIND_WORDS[connection.kind] ?? connection.kind} · {addressOf(connection)}
                    {connection.checkedAt === null ? null : ` · last contact ${ago(connection.checkedAt)}`}
                    {connection.problem === null ? null : (
                      <span className="block whitespace-normal text-bad">{connection.problem}</span>
                    )}
                  </>
                }
                end={<Health connection={connection} />}
              />
            ))}
          </RowList>
        )}
      </Load>
    </Panel>
  );
}

/** How a connection is doing, in a few badges. */
export function Health({
  connection,
}: {
  readonly connection: Connection & { readonly definitions?: Readonly<Record<string, number>> };
}) {
  const { definitions: counts = {}, credentialState } = connection;
  const waiting = counts["quarantined"] ?? 0;
  const active = counts["active"] ?? 0;
  const removed = counts["removed"] ?? 0;
  return (
    <span className="flex flex-wrap items-center gap-1.5 sm:justify-end">
      {waiting === 0 ? null : <Badge tone="warn">{waiting} to review</Badge>}
      {removed === 0 ? null : <Badge title="The server no longer offers them">{removed} gone</Badge>}
      {active === 0 ? null : (
        <span className="max-sm:hidden">
          <Badge>{count(active, "operation")}</Badge>
        </span>
      )}
      {credentialState === undefined || credentialState === "ready" ? null : (
        <Badge tone="bad">credential {credentialState.replaceAll("_", " ")}</Badge>
      )}
      {connection.state === "unknown" ? (
        <Badge>not called yet</Badge>
      ) : (
        <span title={connection.checkedAt === null ? undefined : `checked ${ago(connection.checkedAt)}`}>
          <StateBadge state={connection.state} />
        </span>
      )}
    </span>
  );
}
