import { useMutation } from "@tanstack/react-query";
import type { InputOf, PersonToken } from "@workflow-ui/client";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { call, useOperation, refreshOperation } from "../../api/operations.ts";
import { session, type SessionPerson } from "../../api/session.ts";
import { SchemaForm } from "../../form-maker/schema-form.tsx";
import { useExternal } from "../../lib/external.ts";
import { ago, fullTime } from "../../lib/format.ts";
import { SCOPE_WORDS } from "#model/scopes.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { SignedOut } from "../sign-in/signed-out.tsx";

/** The signed-in person's personal tokens and service keys. */
export function TokensPage() {
  const { person } = useExternal(session);
  const [made, setMade] = useState<{ readonly name: string; readonly token: string } | null>(null);
  if (person === null) {
    return (
      <Page title="Tokens">
        <SignedOut to="/tokens">A token belongs to the person who makes it.</SignedOut>
      </Page>
    );
  }
  return (
    <Page
      title="Tokens"
      lead="For programs that call the service for you. A token never holds more than your role, and stops when you are disabled."
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-4">
          {made === null ? null : (
            <Panel title={`Token “${made.name}”`}>
              <CodeBlock text={made.token} label="token" />
              <p className="mt-2 text-sm text-ink-2">
                It is shown this once. Send it as <code>Authorization: Bearer</code> or{" "}
                <code>X-Suite-API-Key</code>.
              </p>
            </Panel>
          )}
          <Tokens />
        </div>
        <NewToken person={person} onMade={setMade} />
      </div>
    </Page>
  );
}

function Tokens() {
  const tokens = useOperation("list_tokens", {});
  return (
    <Panel title="Your tokens" flush>
      <Load query={tokens}>
        {({ tokens: list }) =>
          list.length === 0 ? (
            <p className="p-4 text-ink-2">You have no tokens.</p>
          ) : (
            <ul className="divide-y divide-line">
              {list.map((token) => (
                <TokenRow key={token.id} token={token} />
              ))}
            </ul>
          )
        }
      </Load>
    </Panel>
  );
}

function TokenRow({ token }: { readonly token: PersonToken }) {
  const { id, name, lastUsedAt, expiresAt, revokedAt, effectiveScopes: effective } = token;
  const isOver = revokedAt !== null || Date.parse(expiresAt) <= Date.now();
  const lost = token.scopes.filter((scope) => !effective.includes(scope));
  const revoke = useMutation({
    mutationFn: () => call("revoke_token", { id }),
    onSuccess: () => {
      toast("good", `${name} is revoked.`);
      return refreshOperation("list_tokens");
    },
    onError: (error) => toast("bad", `${name} was not revoked`, error.message),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="truncate">{name}</span>
          {token.kind === "service" ? <Badge>service key</Badge> : null}
          {revokedAt !== null ? (
            <Badge tone="bad">revoked</Badge>
          ) : isOver ? (
            <Badge tone="warn">expired</Badge>
          ) : null}
        </p>
        <p className="text-sm text-ink-2">
          May {effective.map((scope) => SCOPE_WORDS[scope] ?? scope).join(", ") || "do nothing"}.
          {lost.length === 0
            ? ""
            : ` Your role does not let you ${lost.map((scope) => SCOPE_WORDS[scope] ?? scope).join(", ")} any more.`}
        </p>
        <p className="text-sm text-ink-2">
          Created {ago(token.createdAt)},{" "}
          {lastUsedAt === null ? "never used" : `last used ${ago(lastUsedAt)}`}, ends {fullTime(expiresAt)}.
        </p>
      </div>
      {isOver ? null : (
        <Button size="sm" look="danger" aria-label={`Revoke ${name}`} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      )}
    </li>
  );
}

/** `approve` comes last and is never chosen for the person: with it a program decides in their name. */
const OFFERED = ["read-private", "run", "write", "handoff", "admin", "approve"] as const;

function NewToken({
  person,
  onMade,
}: {
  readonly person: SessionPerson;
  readonly onMade: (made: { readonly name: string; readonly token: string }) => void;
}) {
  const mayAll = person.scopes.includes("admin");
  const offered = OFFERED.filter((scope) => mayAll || person.scopes.includes(scope));
  const make = async (input: InputOf<"create_token">) => {
    const { token } = await call("create_token", input);
    onMade({ name: input.name, token });
    await refreshOperation("list_tokens");
  };
  const schema = {
    type: "object",
    required: ["name", "kind", "scopes", "days"],
    properties: {
      name: {
        type: "string",
        minLength: 1,
        title: "Name",
        description: "What it is for, such as the program or the machine.",
      },
      kind: {
        title: "Acts as",
        oneOf: [
          { const: "personal", title: "You, with the rights below" },
          { const: "service", title: "Itself, as a service key" },
        ],
      },
      scopes: {
        type: "array",
        title: "May",
        minItems: 1,
        uniqueItems: true,
        items: {
          oneOf: offered.map((scope) => ({
            const: scope,
            title: SCOPE_WORDS[scope],
            ...(scope === "approve" && {
              description: "Lets programs decide approvals in your name.",
            }),
          })),
        },
      },
      days: { type: "integer", title: "Expires in (days)", minimum: 1, maximum: 366 },
    },
  };
  return (
    <Panel title="New token">
      <SchemaForm
        title="New token"
        schema={schema}
        value={{ kind: "personal", scopes: ["read-private"], days: 90 }}
        send={make}
        submitLabel={
          <>
            <KeyRound /> Create token
          </>
        }
      />
    </Panel>
  );
}
