import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LogIn, Plug } from "lucide-react";
import { useState } from "react";
import { queryClient } from "../api/operations.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { ago } from "../lib/format.ts";
import { bagsAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { toast } from "../shell/notices.ts";
import { Load } from "../shell/states.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Empty, Page, Panel } from "../ui/page.tsx";
import { rest } from "../api/rest.ts";

/** The programs that act in the person's name: what each may do, when it last did, and how to stop it. */
export function ClientsPage() {
  const { person, generation } = useExternal(session);
  return (
    <Page
      title="Connected clients"
      lead="Programs such as Claude, ChatGPT and VS Code that you let act here in your name."
    >
      {person === null ? (
        <Panel>
          <Empty
            icon={<LogIn />}
            title="You are not signed in"
            action={
              <Link to="/sign-in" search={{ to: "/clients" }} className={buttonClass("primary")}>
                Sign in
              </Link>
            }
          >
            Clients belong to a person. A key has none.
          </Empty>
        </Panel>
      ) : (
        <Clients generation={generation} />
      )}
    </Page>
  );
}

function Clients({ generation }: { readonly generation: number }) {
  const clients = useQuery({
    queryKey: ["oauth-clients", generation],
    queryFn: async ({ signal }) =>
      bagsAt(await rest("/api/svc/oauth/clients", { signal, interactive: false }), "data", "clients"),
  });
  return (
    <div className="space-y-4">
      <Load query={clients}>
        {(list) => (
          <Panel title={`${list.length} connected`} flush>
            {list.length === 0 ? (
              <Empty icon={<Plug />} title="No client is connected">
                Add this address as an MCP server in your client, without a key. It opens this service in the
                browser when it first needs you.
              </Empty>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((client) => (
                  <Client key={textAt(client, "id")} client={client} />
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

function Client({ client }: { readonly client: Bag }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const name = textAt(client, "name");
  const lastUsed = textAt(client, "lastUsedAt");
  const disconnect = () => {
    setBusy(true);
    setProblem("");
    rest(`/api/svc/oauth/clients/${textAt(client, "id")}`, { method: "DELETE", interactive: false })
      .then(() => {
        toast("good", `${name} is disconnected.`);
        return queryClient.invalidateQueries({ queryKey: ["oauth-clients"] });
      })
      .catch((error: unknown) => {
        setBusy(false);
        setProblem(error instanceof Error ? error.message : "It did not work.");
      });
  };
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="font-medium break-words" dir="auto">
          {name}
        </p>
        <p className="text-sm break-words text-ink-2">
          {textAt(client, "host")} · may {textsAt(client, "scopes").join(", ")} · connected{" "}
          {ago(textAt(client, "createdAt"))},{" "}
          {lastUsed === "" ? "not used yet" : `last used ${ago(lastUsed)}`}
        </p>
        {problem === "" ? null : (
          <p role="alert" className="text-sm text-bad">
            {problem}
          </p>
        )}
      </div>
      <Button size="sm" look="danger" busy={busy} aria-label={`Disconnect ${name}`} onClick={disconnect}>
        Disconnect
      </Button>
    </li>
  );
}
