import { ShieldCheck } from "lucide-react";
import { useId, useState, type SubmitEvent } from "react";
import { queryClient } from "../api/operations.ts";
import { dismissKey, giveKey, session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { InputField } from "../ui/fields.tsx";
import { FIRST_ACCESS, SignInLink } from "./sign-in-link.tsx";

/** Asks people to sign in; a program's key is one level aside, unless it is a key that was asked for. */
export function SignInDialog() {
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
