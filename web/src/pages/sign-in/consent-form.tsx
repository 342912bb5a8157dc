import { OperationError, type ClientRequest, type Scope } from "@workflow-ui/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { LogIn, Plug } from "lucide-react";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { errorText } from "../../lib/error-text.ts";
import { ToolsetNote } from "./toolset-note.tsx";
import { CheckField } from "../../ui/fields.tsx";

/** What a person decided about a program: these scopes, or no. */
export type Decision = { readonly scopes: readonly Scope[] } | { readonly denied: true };

/** Who asks, from where, and for what; the person chooses. */
export function ConsentForm({
  asked,
  decide,
}: {
  readonly asked: ClientRequest;
  readonly decide: (decision: Decision) => Promise<void>;
}) {
  const { scopes, client } = asked;
  const { name, host } = client;
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(
    () => new Set(scopes.filter((scope) => scope.preset).map((scope) => scope.name)),
  );
  const { mutate: send, isPending, isSuccess, error } = useMutation({ mutationFn: decide });
  const busy = isPending || isSuccess;
  return (
    <Panel title={`What may ${name} do?`} className="max-w-2xl">
      <p className="break-words">
        <strong dir="auto">{name}</strong>{" "}
        {host === "this computer" ? (
          <>runs on this computer and wants to act here in your name.</>
        ) : host === "signed in with a code" ? (
          <>wants to act here in your name, wherever it runs.</>
        ) : (
          <>
            wants to act here in your name. You will be sent back to <strong>{host}</strong>.
          </>
        )}{" "}
        Anybody can choose a name: go on only if you started this yourself just now.
      </p>
      <ToolsetNote resource={asked.resource} />
      <fieldset className="mt-4 space-y-3">
        <legend className="mb-2 font-medium">It may</legend>
        {scopes.map((scope) => (
          <ScopeChoice
            key={scope.name}
            scope={scope}
            on={chosen.has(scope.name)}
            onChange={(on) => {
              const next = new Set(chosen);
              if (on) next.add(scope.name);
              else next.delete(scope.name);
              setChosen(next);
            }}
          />
        ))}
      </fieldset>
      <p className="mt-4 text-sm text-ink-2">
        It never gets more than your own role allows. You can disconnect it at any time in the menu under your
        name: Connected clients.
      </p>
      <ErrorText text={error && errorText(error)} className="mt-3 text-sm text-bad" />
      <div className="mt-4 flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={busy}
          disabled={chosen.size === 0}
          onClick={() => send({ scopes: [...chosen] })}
        >
          <Plug /> Connect
        </Button>
        <Button disabled={busy} onClick={() => send({ denied: true })}>
          Do not connect
        </Button>
      </div>
    </Panel>
  );
}

function ScopeChoice({
  scope,
  on,
  onChange,
}: {
  readonly scope: ClientRequest["scopes"][number];
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  const { allowed } = scope;
  return (
    <CheckField
      label={<span className="font-medium">{scope.name}</span>}
      checked={on}
      disabled={!allowed}
      onCheck={onChange}
      hint={allowed ? scope.about : `${scope.about} Your role does not allow this.`}
    />
  );
}

/** Why a request to connect cannot be shown: signing in helps, or starting again. */
export function CannotConnect({ error, to }: { readonly error: Error; readonly to: string }) {
  const signedOut = error instanceof OperationError && error.status === 401;
  return (
    <Panel className="max-w-2xl">
      {signedOut ? (
        <Empty
          icon={<LogIn />}
          title="Sign in to go on"
          action={
            <Link to="/sign-in" search={{ to }} className={buttonClass("primary")}>
              Sign in
            </Link>
          }
        >
          A program wants to act in your name. First this service must know who you are.
        </Empty>
      ) : (
        <Empty icon={<Plug />} title="This program cannot be connected">
          {errorText(error)}
        </Empty>
      )}
    </Panel>
  );
}
