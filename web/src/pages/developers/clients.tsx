import { useMutation } from "@tanstack/react-query";
import type { ConnectedClient } from "@workflow-ui/client";
import { Plug } from "lucide-react";
import { SCOPE_WORDS, SCOPES } from "#model/scopes.ts";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { ago } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { SignedOut } from "../sign-in/signed-out.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { ErrorText } from "../../ui/error-text.tsx";

/** The programs that act in the person's name: what each may do, when it last did, and how to stop it. */
export function ClientsPage() {
  const { person } = useExternal(session);
  return (
    <Page
      title="Connected clients"
      lead="Programs such as Claude, ChatGPT and VS Code that you let act here in your name."
    >
      {person === null ? (
        <SignedOut to="/clients">Clients belong to a person. A key has none.</SignedOut>
      ) : (
        <Clients />
      )}
    </Page>
  );
}

function Clients() {
  const clients = useOperation("list_connected_clients", {});
  return (
    <div className="space-y-4">
      <Load query={clients}>
        {({ clients: list }) => (
          <Panel title={`${list.length} connected`} flush>
            {list.length === 0 ? (
              <Empty icon={<Plug />} title="No client is connected">
                Add this address as an MCP server in your client, without a key. It opens this service in the
                browser when it first needs you.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((client) => (
                  <Client key={client.id} client={client} />
                ))}
              </ul>
            )}
          </Panel>
        )}
      </Load>
      <Panel title="Connect another one">
        <p className="mb-2 text-ink-2">The address for Claude, ChatGPT, VS Code and other MCP clients:</p>
        <CodeBlock text={`${window.location.origin}/api/mcp`} label="MCP address" />
      </Panel>
    </div>
  );
}

function Client({ client }: { readonly client: ConnectedClient }) {
  const { id, name, lastUsedAt } = client;
  const disconnect = useMutation({
    mutationFn: () => call("disconnect_client", { id }, { interactive: false }),
    onSuccess: () => {
      toast("good", `${name} is disconnected.`);
      return refreshOperation("list_connected_clients");
    },
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium break-words" dir="auto">
          {name}
        </p>
        <p className="text-sm break-words text-ink-2">
          {client.host} · may{" "}
          {SCOPES.filter((scope) => client.scopes.includes(scope))
            .map((scope) => SCOPE_WORDS[scope])
            .join(", ")}{" "}
          · connected {ago(client.createdAt)},{" "}
          {lastUsedAt === null ? "not used yet" : `last used ${ago(lastUsedAt)}`}
        </p>
        <ErrorText text={disconnect.error?.message} />
      </div>
      <Button
        size="sm"
        look="danger"
        busy={disconnect.isPending}
        aria-label={`Disconnect ${name}`}
        onClick={() => disconnect.mutate()}
      >
        Disconnect
      </Button>
    </li>
  );
}
