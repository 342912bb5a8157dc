import { useMutation } from "@tanstack/react-query";
import { isSameSource } from "#kernel/same-source.ts";
import { withRequests } from "#workflows/extending.ts";
import { Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { type Connection, OperationError } from "@workflow-ui/client";
import {
  addressOf,
  changeConnection,
  useConnections,
  useCredentials,
  writtenRequests,
  type ConnectionBody,
} from "../../api/connections.ts";
import { textAt, objectAt, listAt } from "../../lib/read.ts";
import { toast } from "../../shell/notices.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Problems } from "../../ui/problems.tsx";
import type { ConnectionCandidate } from "../../form-maker/connection-source.ts";
import { needWords } from "./import-connections.tsx";
import { useRefusal } from "../../api/rights.ts";
import { errorText } from "../../lib/error-text.ts";
import { InputField, SelectField } from "../../ui/fields.tsx";

/** A name that no connection has yet: the wished one, or with a number behind it. */
function freeName(wished: string, taken: readonly Pick<Connection, "name">[]): string {
  const names = new Set(taken.map(({ name }) => name));
  if (!names.has(wished)) return wished;
  let n = 2;
  while (names.has(`${wished.slice(0, 28)}-${n}`)) n += 1;
  return `${wished.slice(0, 28)}-${n}`;
}

/** True for a connection to what was found: the same address, the same program, or a pasted document of this title. */
function leadsTo(connection: Connection, { body, existing = [], title }: ConnectionCandidate): boolean {
  if (existing.includes(connection.name)) return true;
  const { kind, url = "", command, args = [] } = body;
  return command === undefined || command === null
    ? isSameSource(connection, { kind, url, title })
    : connection.kind === kind && addressOf(connection) === [command, ...args].join(" ");
}

/** Names what was found and adds it, or leads to the connection that is there already. */
export function NameAndAdd({
  found,
  stay = false,
}: {
  readonly found: ConnectionCandidate;
  /** Remain here after adding, because there is more to add. */
  readonly stay?: boolean;
}) {
  const navigate = useNavigate();
  const credentials = useCredentials();
  const all = useConnections().data?.connections ?? [];
  const known = all.filter((connection) => leadsTo(connection, found));
  const [typed, setName] = useState<string | null>(null);
  const name = typed ?? freeName(found.name, all);
  const [baseUrl, setBaseUrl] = useState("");
  const [credential, setCredential] = useState("");
  const [making, setMaking] = useState(false);
  const [done, setDone] = useState(false);
  const isHttp = found.body.command === undefined;
  const refusal = useRefusal()("create_connection");
  const add = useMutation({
    mutationFn: (allowPrivateOrigin: boolean) =>
      changeConnection("create_connection", {
        ...found.body,
        name,
        ...(baseUrl.trim() !== "" && { baseUrl: baseUrl.trim() }),
        ...(credential !== "" && { credential }),
        ...(allowPrivateOrigin && { allowPrivateOrigin }),
      }),
    onSuccess: async ({ connection }) => {
      toast("good", `Connected: ${connection.title}`);
      if (!stay) await navigate({ to: "/connections/$name", params: { name } });
      setName(name);
      setDone(stay);
    },
  });
  return (
    <>
      <form
        aria-label={`Add ${found.title}`}
        className="space-y-3 rounded-lg border border-line p-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(false);
        }}
      >
        <p>
          <span className="font-semibold">{found.title}</span>{" "}
          <span className="wrap-anywhere text-ink-2">{found.about}</span>
        </p>
        {found.problem === undefined ? null : <p className="text-sm text-ink-2">{found.problem}</p>}
        {found.suggested?.kind === undefined || credential !== "" ? null : (
          <p className="text-sm text-ink-2">It asks for {needWords(found.suggested)}.</p>
        )}
        {done
          ? null
          : known.map((connection) => (
              <ExistingConnection key={connection.name} connection={connection} found={found} />
            ))}
        <div className="flex flex-wrap items-end gap-3">
          <InputField
            label="Short name"
            className="min-w-0 basis-48"
            look="font-mono"
            value={name}
            required
            pattern="[a-z][a-z0-9\-]{0,30}"
            title="A lower-case letter, then up to 30 lower-case letters, digits or hyphens"
            spellCheck={false}
            onText={setName}
          />
          {found.body.kind === "openapi" && found.body.url === undefined ? (
            <InputField
              label="Base address (if not the document's own)"
              className="min-w-0 flex-1 basis-64"
              look="font-mono"
              value={baseUrl}
              inputMode="url"
              spellCheck={false}
              placeholder="https://api.example.com/v1"
              onText={setBaseUrl}
            />
          ) : null}
          {isHttp ? (
            <SelectField
              label="Credential"
              className="min-w-0 basis-48"
              value={credential}
              options={[
                { value: "", label: "none" },
                // Those of programs, and the secrets of webhooks among them, are sent to no address.
                ...(credentials.data?.credentials ?? [])
                  .filter(({ kind }) => kind !== "environment")
                  .map((item) => item.name),
              ]}
              onChoose={setCredential}
            />
          ) : null}
          {isHttp ? (
            <ButtonFor op="create_credential" onClick={() => setMaking(true)}>
              <KeyRound /> New credential
            </ButtonFor>
          ) : null}
          <ButtonFor op="create_connection" type="submit" look="primary" busy={add.isPending} disabled={done}>
            <Plus /> {done ? "Added" : known.length > 0 ? "Add another" : "Add"}
          </ButtonFor>
        </div>
        {refusal === "" ? null : <p className="text-sm text-ink-2">{refusal}</p>}
        <Problems of={add.error} />
        {add.error instanceof OperationError && add.error.code === "blocked" ? (
          <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
            Only this connection may reach the private address, and only that host and port.
            <Button size="sm" onClick={() => add.mutate(true)}>
              Allow this address and add
            </Button>
          </p>
        ) : null}
      </form>
      <CredentialDialog
        open={making}
        connection={name}
        address={textAt(found.body, "url", baseUrl)}
        suggested={found.suggested ?? {}}
        onClose={() => setMaking(false)}
        onMade={(made) => {
          // The dialog has read the list again before.
          setCredential(made);
          setMaking(false);
        }}
      />
    </>
  );
}

/** A connection to the same source: it can be opened, or brought up to date, instead of adding a second one. */
function ExistingConnection({
  connection,
  found,
}: {
  readonly connection: Connection;
  readonly found: ConnectionCandidate;
}) {
  const navigate = useNavigate();
  const { name, title } = connection;
  const update = useMutation({
    mutationFn: async () => {
      const document = await documentFor(name, found);
      if (document === null) await changeConnection("sync_connection", { name });
      else await changeConnection("update_connection", { name, document });
    },
    onSuccess: () => {
      toast("good", `Updated: ${title}`, "What is new or changed waits for review.");
      return navigate({ to: "/connections/$name", params: { name } });
    },
    onError: (error) => toast("bad", "It was not updated", errorText(error)),
  });
  return (
    <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
      <span className="min-w-0 break-words">
        {title} is connected already as <span className="font-mono">{name}</span>.
      </span>
      <Link to="/connections/$name" params={{ name }} className={buttonClass("secondary", "sm")}>
        Open it
      </Link>
      <ButtonFor op="update_connection" size="sm" busy={update.isPending} onClick={() => update.mutate()}>
        <RefreshCw /> Update it
      </ButtonFor>
    </p>
  );
}

/** The document that replaces the one of a connection; null when it is read from its source again. */
async function documentFor(
  name: string,
  { body: { kind, document = null } }: ConnectionCandidate,
): Promise<NonNullable<ConnectionBody["document"]> | null> {
  if (document === null || kind !== "http") return document;
  return JSON.stringify({
    requests: withRequests(
      await writtenRequests(name),
      listAt(document, "requests").map((request) => objectAt(request)),
    ),
  });
}
