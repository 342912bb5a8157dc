import { CircleUser, KeyRound, LockOpen, LogOut, Plug } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { signOut } from "../api/account.ts";
import { askForKey, forgetKey, session, type SessionPerson } from "../api/session.ts";
import { queryClient, useOperation } from "../api/operations.ts";
import { useExternal } from "../lib/external.ts";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { fullTime } from "../lib/format.ts";
import { SCOPE_WORDS } from "#model/scopes.ts";
import { SignInLink } from "./sign-in-link.tsx";
import { Menu } from "@workflow-ui/forms-react/ui/menu.tsx";

/** Says whether calls go out with a key, and lets the person change that. */
export function KeyButton() {
  const { keyed, refused, person } = useExternal(session);
  // A key that is wrong is reported at once, not when a page happens to look empty.
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
