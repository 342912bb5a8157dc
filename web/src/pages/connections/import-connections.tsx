import type { ImportReport, ProposedConnection, CredentialNeed } from "@workflow-ui/client";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { withRequests } from "#workflows/extending.ts";
import { changeConnection, useConnections, writtenRequests } from "../../api/connections.ts";
import { count } from "../../lib/format.ts";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CredentialDialog } from "./credential-dialog.tsx";
import { call } from "../../api/operations.ts";
import { textAt } from "../../lib/read.ts";
import { CheckField, InputField } from "../../ui/fields.tsx";

/** What a person decided about one proposed connection. */
export interface ConnectionChoice {
  readonly url: string;
  readonly allowPrivate: boolean;
  readonly credential: string;
}

/** Choices by the name of the connection. */
export type ConnectionChoices = Readonly<Record<string, ConnectionChoice>>;

/** The connections that an import calls and that are not there yet, or not with all their requests. */
export function missingConnections(report: ImportReport): readonly ProposedConnection[] {
  return report.connections.filter((connection) => connection.state !== "ready");
}

/** The choice about a connection, or what the file says. */
export function choiceOf(connection: ProposedConnection, choices: ConnectionChoices): ConnectionChoice {
  const made = choices[connection.name];
  return made ?? { url: connection.url ?? "", allowPrivate: false, credential: "" };
}

/** What saving adds first, in words; empty when everything is there. */
export function missingWords(report: ImportReport): string {
  const missing = missingConnections(report);
  const added = missing.filter((connection) => connection.state === "new").length;
  const requests = missing.reduce((sum, connection) => sum + (connection.adds?.length ?? 0), 0);
  return [
    ...(added > 0 ? [count(added, "connection")] : []),
    ...(requests > 0 ? [count(requests, "request")] : []),
  ].join(" and ");
}

/** Adds what is missing, one connection after the other. Throws at the first that is refused. */
export async function addMissing(report: ImportReport, choices: ConnectionChoices): Promise<void> {
  for (const connection of report.connections) {
    const state = connection.state;
    const chosen = choiceOf(connection, choices).credential;
    if (state !== "new" && chosen !== "")
      await changeConnection("update_connection", {
        name: connection.name,
        credential: chosen,
      });
    if (state === "ready") continue;
    if (state === "extend") {
      await extend(connection);
      continue;
    }
    const { url, allowPrivate, credential } = choiceOf(connection, choices);
    await changeConnection("create_connection", {
      name: connection.name,
      kind: "http",
      title: connection.title,
      url,
      document: JSON.stringify(connection.document),
      ...(allowPrivate && { allowPrivateOrigin: true }),
      ...(credential !== "" && { credential }),
    });
  }
}

/** Gives a connection the requests that it lacks, and accepts them for the person who imports. */
async function extend({ name, adds = [], document }: ProposedConnection): Promise<void> {
  const given = document.requests.filter((request) => adds.some((added) => added === request["name"]));
  const requests = withRequests(await writtenRequests(name), given);
  await call("update_connection", { name, document: { requests } });
  for (const definition of adds) await call("accept_definition", { connection: name, definition });
}

/** The connections that an import calls: where they lead, what they offer, and the credential that each needs. */
export function ImportConnections({
  report,
  choices,
  onChange,
}: {
  readonly report: ImportReport;
  readonly choices: ConnectionChoices;
  readonly onChange: (choices: ConnectionChoices) => void;
}) {
  const connections = report.connections;
  if (connections.length === 0) return null;
  return (
    <section aria-label="Connections that it calls">
      <p className="font-medium">{count(connections.length, "connection")} it calls</p>
      <ul className="mt-1 divide-y divide-line rounded-lg border border-line text-sm">
        {connections.map((connection) => (
          <OneConnection
            key={connection.name}
            connection={connection}
            choice={choiceOf(connection, choices)}
            onChange={(choice) => onChange({ ...choices, [connection.name]: choice })}
          />
        ))}
      </ul>
    </section>
  );
}

function OneConnection({
  connection,
  choice,
  onChange,
}: {
  readonly connection: ProposedConnection;
  readonly choice: ConnectionChoice;
  readonly onChange: (choice: ConnectionChoice) => void;
}) {
  const [making, setMaking] = useState(false);
  const { name, adds = [], credential: needs } = connection;
  const isNew = connection.state === "new";
  const { requests } = connection.document;
  const isUnknown = connection.url === null;
  const used =
    useConnections().data?.connections.find((known) => !isNew && known.name === name)?.credential ?? "";
  return (
    <li className="space-y-1.5 px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{connection.title}</span>
        <span className="font-mono text-ink-3">{name}</span>
        <Badge tone={adds.length > 0 || isNew ? "info" : "good"}>
          {isNew
            ? "will be added"
            : adds.length > 0
              ? `is there, ${count(adds.length, "request")} will be added`
              : "is there"}
        </Badge>
      </div>
      <p className="break-words text-ink-2">
        {requests
          .slice(0, 6)
          .map((request) => `${textAt(request, "method")} ${textAt(request, "path")}`)
          .join(", ")}
        {requests.length > 6 ? ` and ${requests.length - 6} more` : ""}
      </p>
      {isNew && isUnknown ? (
        <InputField
          label="Its address, which is not in the file"
          look="font-mono"
          value={choice.url}
          inputMode="url"
          spellCheck={false}
          placeholder="https://api.example.com"
          onText={(text) => onChange({ ...choice, url: text })}
        />
      ) : null}
      {isNew && isPrivate(choice.url) ? (
        <CheckField
          label={`Let this connection reach the private address ${choice.url}`}
          checked={choice.allowPrivate}
          onCheck={(allowPrivate) => onChange({ ...choice, allowPrivate })}
        />
      ) : null}
      {needs === null || used !== "" ? null : (
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-words text-warn">
            Needs a credential: {needWords(needs)}. {placeWords(needs)}
          </span>
          {choice.credential === "" ? (
            <Button size="sm" onClick={() => setMaking(true)}>
              <KeyRound /> Enter it
            </Button>
          ) : (
            <Badge tone="good">{choice.credential}</Badge>
          )}
        </p>
      )}
      <CredentialDialog
        open={making}
        connection={name}
        address={choice.url}
        {...(needs !== null && { suggested: needs })}
        onClose={() => setMaking(false)}
        onMade={(made) => {
          setMaking(false);
          onChange({ ...choice, credential: made });
        }}
      />
    </li>
  );
}

/** What kind of credential is needed, in words. */
export function needWords(needs: Partial<CredentialNeed>): string {
  const { kind, called, parameter, in: place = "header" } = needs;
  const words =
    kind === "bearer"
      ? "a bearer token"
      : kind === "basic"
        ? "a user name and a password"
        : kind === "oauth2"
          ? "a sign-in (OAuth)"
          : kind === "apiKey"
            ? `an API key in the ${place}${parameter === undefined ? "" : ` ${parameter}`}`
            : "authentication of another kind";
  return called === undefined ? words : `${words} (${called})`;
}

function placeWords(needs: CredentialNeed): string {
  const { places } = needs;
  const [first = ""] = places;
  if (first === "") return "";
  const more = places.length > 1 ? ` and ${count(places.length - 1, "other place", "other places")}` : "";
  return `Its secret at ${first}${more} is not taken over.`;
}

/** Addresses that the service reaches only when a connection is allowed to. */
function isPrivate(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? "";
  return /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[(?:::1|f[cde]))|\.(?:local|internal|localhost)$/.test(
    host,
  );
}
