import { Link } from "@tanstack/react-router";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";

/** Where a first key and the first account come from. */
export const FIRST_ACCESS =
  "An admin invites people. The service prints the owner's link and a key at its first start.";

/** The way in for people, and back to this page. Keys are for programs and are entered under Developers. */
export function SignInLink({
  size,
  ...rest
}: {
  readonly size?: "sm";
  readonly onClick?: () => void;
  readonly "data-autofocus"?: boolean;
}) {
  const { person } = useExternal(session);
  if (person !== null) return null;
  return (
    <Link
      to="/sign-in"
      search={{ to: window.location.pathname + window.location.search }}
      className={buttonClass("primary", size)}
      {...rest}
    >
      Sign in
    </Link>
  );
}
