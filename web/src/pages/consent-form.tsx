import { OperationError } from "@workflow-ui/client";
import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { LogIn, Plug } from "lucide-react";
import { bagAt, bagsAt, flagAt, textAt, type Bag } from "../lib/read.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty, Panel } from "../ui/page.tsx";

/** What a person decided about a program: these scopes, or no. */
export type Decision = { readonly scopes: readonly string[] } | { readonly denied: true };

/** Who asks, from where, and for what; the person chooses. */
export function ConsentForm({
  asked,
  decide,
}: {
  readonly asked: Bag;
  readonly decide: (decision: Decision) => Promise<void>;
}) {
  const scopes = bagsAt(asked, "scopes");
  const client = bagAt(asked, "client");
  const name = textAt(client, "name");
  const host = textAt(client, "host");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(scopes.filter((scope) => flagAt(scope, "preset")).map((scope) => textAt(scope, "name"))),
  );
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const send = (decision: Decision) => {
    setBusy(true);
    setProblem("");
    decide(decision).catch((error: unknown) => {
      setBusy(false);
      setProblem(messageOf(error));
    });
  };
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
      <fieldset className="mt-4 space-y-3">
        <legend className="mb-2 font-medium">It may</legend>
        {scopes.map((scope) => (
          <ScopeChoice
            key={textAt(scope, "name")}
            scope={scope}
            on={chosen.has(textAt(scope, "name"))}
            onChange={(on) => {
              const next = new Set(chosen);
              if (on) next.add(textAt(scope, "name"));
              else next.delete(textAt(scope, "name"));
              setChosen(next);
            }}
          />
        ))}
      </fieldset>
      <p className="mt-4 text-sm text-ink-2">
        It never gets more than your own role allows. You can disconnect it at any time in the menu under your
        name: Connected clients.
      </p>
      {problem === "" ? null : (
        <p role="alert" className="mt-3 text-sm text-bad">
          {problem}
        </p>
      )}
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
  readonly scope: Bag;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  const allowed = flagAt(scope, "allowed");
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="checkbox"
        className="mt-1 size-4 shrink-0"
        checked={on}
        disabled={!allowed}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="min-w-0">
        <span className="font-medium">{textAt(scope, "name")}</span>
        <span className="block text-sm text-ink-2">
          {textAt(scope, "about")}
          {allowed ? "" : " Your role does not allow this."}
        </span>
      </span>
    </label>
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
          {messageOf(error)}
        </Empty>
      )}
    </Panel>
  );
}

/** What went wrong, and what helps. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "It did not work.";
}
