import { Link } from "@tanstack/react-router";
import { LogIn } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Empty, Panel } from "../../ui/page.tsx";

/** Stands for a page that belongs to a person; `to` is that page. */
export function SignedOut({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Panel>
      <Empty
        icon={<LogIn />}
        title="You are not signed in"
        action={
          <Link to="/sign-in" search={{ to }} className={buttonClass("primary")}>
            Sign in
          </Link>
        }
      >
        {children}
      </Empty>
    </Panel>
  );
}
