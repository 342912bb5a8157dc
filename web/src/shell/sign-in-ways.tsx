import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { askForKey, session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";

/** Where a first key and the first account come from. */
export const FIRST_ACCESS =
  "At its first start the service prints a key and a link that makes you its owner. An admin invites others.";

/** Both ways to be known here: an account or a key. A person who is signed in has one. */
export function SignInWays({
  reason,
  onKey,
}: {
  /** What the key is for. */
  readonly reason: string;
  /** Called once a key is given. */
  readonly onKey?: (() => void) | undefined;
}) {
  const { person } = useExternal(session);
  return (
    <>
      {person === null ? (
        <Link
          to="/sign-in"
          search={{ to: window.location.pathname + window.location.search }}
          className={buttonClass("primary")}
        >
          Sign in
        </Link>
      ) : null}
      {person === null ? (
        <Button onClick={() => void askForKey(reason).then((given) => given && onKey?.())}>
          <KeyRound /> Enter a key
        </Button>
      ) : null}
    </>
  );
}
