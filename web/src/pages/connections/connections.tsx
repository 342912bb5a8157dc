import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Globe, Plug, Plus, ServerCog, Sparkles } from "lucide-react";
import type { Connection } from "@workflow-ui/client";
import { addressOf, changeConnection, useConnections } from "../../api/connections.ts";
import { session } from "../../api/session.ts";
import { ago, count } from "../../lib/format.ts";
import { useExternal } from "../../lib/external.ts";
import { FIRST_ACCESS, SignInWays } from "../../shell/sign-in-ways.tsx";
import { Load } from "../../shell/states.tsx";
import { toast } from "../../shell/notices.ts";
import { Badge, StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { Row, RowList } from "../../ui/rows.tsx";
import { AddConnection } from "./connection-add.tsx";
import { RecordButton } from "./connection-record.tsx";
import { errorText } from "../../lib/error-text.ts";

/** The words for a kind of connection. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  mcp: "MCP server",
  openapi: "API",
  http: "HTTP requests",
};

/** The connections of this service: what people brought, with its health. */
export function ConnectionsPage() {
  const { keyed } = useExternal(session);
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const adding = search.add === "open";
  const setAdding = (open: boolean) =>
    void navigate({ to: "/connections", search: open ? { add: "open" } : {}, replace: true });
  return (
    <Page
      title="Connections"
      lead="Your own MCP servers and APIs. Each tool or operation becomes a form that you can send, and a step that workflows can use."
      actions={
        adding ? undefined : (
          <>
            {keyed ? <RecordButton /> : null}
            <ButtonFor op="create_connection" look="primary" onClick={() => setAdding(true)}>
              <Plus /> Add a connection
            </ButtonFor>
          </>
        )
      }
    >
      <div className="space-y-5">
        {adding ? <AddConnection onClose={() => setAdding(false)} /> : null}
        {keyed ? <List adding={adding} onAdd={() => setAdding(true)} /> : <WithoutKey />}
      </div>
    </Page>
  );
}

function WithoutKey() {
  return (
    <Panel>
      <Empty
        icon={<Plug />}
        title="Connections need an account or a key"
        action={
          <>
            <SignInWays reason="Connections need an API key." />
            <Link to="/own" search={{ kind: "url" }} className={buttonClass()}>
              <Globe /> Open the sample API
            </Link>
            <Link to="/own" className={buttonClass()}>
              Paste a document
            </Link>
          </>
        }
      >
        {FIRST_ACCESS} Without either you can make forms of any document you paste, and send requests to this
        service's own API as a sample.
      </Empty>
    </Panel>
  );
}

function List({ adding, onAdd }: { readonly adding: boolean; readonly onAdd: () => void }) {
  const connections = useConnections();
  // The way in is open already.
  if (adding && connections.data?.connections.length === 0) return null;
  return (
    <Panel flush>
      <Load query={connections}>
        {({ connections: all }) =>
          all.length === 0 ? (
            <Nothing onAdd={onAdd} />
          ) : (
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
          )
        }
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
          <Badge>{count(active, "tool")}</Badge>
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

function Nothing({ onAdd }: { readonly onAdd: () => void }) {
  const navigate = useNavigate();
  const sample = useMutation({
    mutationFn: () =>
      changeConnection("create_connection", {
        name: "sample",
        kind: "openapi",
        title: "This service's own API",
        url: `${location.origin}/openapi.yaml`,
        allowPrivateOrigin: true,
      }),
    onSuccess: () => navigate({ to: "/connections/$name", params: { name: "sample" } }),
    onError: (error) => toast("bad", "The sample was not added", errorText(error)),
  });
  return (
    <Empty
      icon={<Plug />}
      title="No connections yet"
      action={
        <>
          <ButtonFor op="create_connection" look="primary" onClick={onAdd}>
            <ServerCog /> Connect my API or MCP server
          </ButtonFor>
          <ButtonFor op="create_connection" busy={sample.isPending} onClick={() => sample.mutate()}>
            <Sparkles /> Connect the sample API
          </ButtonFor>
        </>
      }
    >
      Give the address of an API or of an MCP server, paste its description, or paste the configuration file
      of your MCP client.
    </Empty>
  );
}
