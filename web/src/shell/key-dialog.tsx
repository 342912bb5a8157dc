import { CircleUser, KeyRound, LockOpen, LogOut, Plug, ShieldCheck } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState, type SubmitEvent } from "react";
import { signOut } from "../api/account.ts";
import { askForKey, dismissKey, forgetKey, giveKey, session, type SessionPerson } from "../api/session.ts";
import { queryClient, useOperation } from "../api/operations.ts";
import { useExternal } from "../lib/external.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { fullTime } from "../lib/format.ts";
import { SCOPE_WORDS } from "#model/scopes.ts";
import { FIRST_ACCESS, SignInLink } from "./sign-in-link.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";
import { InputField } from "../ui/fields.tsx";

/** Asks people to sign in; a program's key is one level aside, unless it is a key that was asked for. */
export function KeyDialog() {
  const { asking, refused } = useExternal(session);
  const isForKey = asking?.for === "key";
  return (
    <Dialog
      open={asking !== null}
      onClose={dismissKey}
      title={isForKey ? "API key" : "Sign in"}
      description={asking?.reason ?? ""}
      footer={
        <>
          {isForKey ? null : <SignInLink onClick={dismissKey} data-autofocus />}
          <Button onClick={dismissKey}>Not now</Button>
        </>
      }
    >
      {asking === null ? null : isForKey ? (
        <KeyForm refused={refused} />
      ) : (
        <details className="text-sm text-ink-2">
          <summary>Use an API key</summary>
          <KeyForm refused={refused} />
        </details>
      )}
    </Dialog>
  );
}

/** The only place where a key is typed. A password manager may fill it; the page keeps it in memory only. */
function KeyForm({ refused }: { readonly refused: boolean }) {
  const id = useId();
  const [empty, setEmpty] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget).get("api-key");
    const key = typeof given === "string" ? given.trim() : "";
    setEmpty(key === "");
    if (key === "") return;
    giveKey(key);
    void queryClient.invalidateQueries();
  };
  return (
    <form onSubmit={submit} className="mt-2 space-y-3" autoComplete="on">
      <input
        type="text"
        name="username"
        autoComplete="username"
        value="workflow-ui"
        readOnly
        hidden
        aria-hidden
        tabIndex={-1}
      />
      <InputField
        label="Key"
        look="font-mono"
        name="api-key"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        data-autofocus
        placeholder="suite_live_…"
        aria-invalid={refused || empty}
        aria-describedby={`${id}-note`}
      />
      {refused || empty ? (
        <p role="alert" className="text-sm text-bad">
          {empty
            ? "Enter a key, or choose Not now."
            : "The service did not accept the last key. Check it, or create one with suitectl keys create."}
        </p>
      ) : null}
      <Button type="submit">Use this key</Button>
      <p className="text-sm text-ink-2">No key? {FIRST_ACCESS}</p>
      <p id={`${id}-note`} className="flex gap-2 text-sm text-ink-2">
        <ShieldCheck className="mt-0.5 size-4 shrink-0 text-good" />
        Held in this tab's memory and sent as a header to this service only. Never written to browser storage;
        closing or reloading the tab forgets it.
      </p>
    </form>
  );
}

/** Says whether calls go out with a key, and lets the person change that. */
export function KeyButton() {
  const { keyed, refused, person } = useExternal(session);
  // A key that is wrong is said to be wrong at once, not when a page happens to look empty.
  const { data } = useOperation("get_me", {}, { enabled: keyed && person === null });
  const { name: owner = null, scopes = [], expiresAt: expires = null } = data?.me ?? {};
  if (person !== null) return <PersonButton person={person} />;
  if (!keyed) return <SignInLink size="sm" />;
  return (
    <Menu
      trigger={
        <Button
          size="sm"
          className={
            refused ? "border-bad/40! bg-bad-soft! text-bad!" : "border-good/40! bg-good-soft! text-good!"
          }
        >
          <KeyRound /> <span className="max-sm:sr-only">{refused ? "Key refused" : "Key in use"}</span>
        </Button>
      }
      note={
        refused ? (
          <p className="text-bad">
            The service does not accept this key. It may be mistyped, revoked or expired.
          </p>
        ) : owner === null ? undefined : (
          <dl className="space-y-1">
            <div>
              <dt className="text-xs text-ink-3">Key</dt>
              <dd className="break-words">{owner}</dd>
            </div>
            <div>
              <dt className="text-xs text-ink-3">May</dt>
              <dd>{scopes.map((scope) => SCOPE_WORDS[scope]).join(", ")}</dd>
            </div>
            {expires === null ? null : (
              <div>
                <dt className="text-xs text-ink-3">Valid until</dt>
                <dd>{fullTime(expires)}</dd>
              </div>
            )}
          </dl>
        )
      }
      entries={[
        {
          label: "Use another key",
          icon: <KeyRound />,
          onSelect: () => void askForKey("Enter the key to use from now on."),
        },
        {
          label: "Forget the key",
          icon: <LockOpen />,
          onSelect: () => {
            forgetKey();
            void queryClient.invalidateQueries();
          },
        },
      ]}
    />
  );
}

/** Says who is signed in, and lets the person leave. */
function PersonButton({ person }: { readonly person: SessionPerson }) {
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <Button size="sm" className="max-w-44" aria-label={`Signed in as ${person.name}`}>
          <CircleUser /> <span className="truncate max-sm:sr-only">{person.name}</span>
        </Button>
      }
      entries={[
        { label: "Account", icon: <CircleUser />, onSelect: () => void navigate({ to: "/account" }) },
        { label: "Tokens", icon: <KeyRound />, onSelect: () => void navigate({ to: "/tokens" }) },
        { label: "Connected clients", icon: <Plug />, onSelect: () => void navigate({ to: "/clients" }) },
        { label: "Sign out", icon: <LogOut />, onSelect: () => void signOut() },
      ]}
    />
  );
}
