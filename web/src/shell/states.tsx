import { OperationError, type OperationName } from "@workflow-ui/client";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { CircleAlert, CloudOff, KeyRound, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { useWhyNot } from "../api/rights.ts";
import { session } from "../api/session.ts";
import { useExternal } from "../lib/external.ts";
import { Button, buttonClass, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { FIRST_ACCESS, SignInLink } from "./sign-in-link.tsx";
import { Empty, Page, Panel, Skeleton } from "../ui/page.tsx";

/** A page is being fetched. */
export function Loading() {
  return (
    <div className="flex items-center gap-2 p-8 text-ink-2" role="status" aria-label="Loading">
      <Spinner /> <h1>Loading…</h1>
    </div>
  );
}

/** No page has this address. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon={<SearchX />}
        title="There is no page at this address"
        action={
          <Link to="/" className={buttonClass("primary")}>
            Go home
          </Link>
        }
      >
        The link may be old, or a letter may be missing.
      </Empty>
    </Page>
  );
}

/** A page broke while it was drawn. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Something broke">
      <Empty
        icon={<CircleAlert />}
        title="This page could not be shown"
        action={<Button onClick={reset}>Try again</Button>}
      >
        {error instanceof Error ? error.message : "An unexpected error."}
      </Empty>
    </Page>
  );
}

interface LoadProps<T> {
  readonly query: {
    readonly data: T | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly children: (data: T) => ReactNode;
}

/**
 * Shows data when it is there, a skeleton before, and what went wrong with the way out of it. While the service cannot
 * be reached or refuses, the last answer stays and is marked as old.
 */
export function Load<T>({ query, children }: LoadProps<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error === null ? null : <Old error={query.error} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error !== null) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="p-4">
      <Skeleton lines={4} />
    </div>
  );
}

/** Says that what is shown is the last answer. */
function Old({ error }: { readonly error: Error }) {
  const isAway = error instanceof OperationError && error.code === "unreachable";
  return (
    <p
      role="status"
      className="mb-4 flex items-center gap-2 rounded-lg bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      <CloudOff aria-hidden className="size-4 shrink-0" />{" "}
      {isAway
        ? "The service cannot be reached. What you see may be old; this page goes on by itself when the service is back."
        : `What you see may be old: ${error.message}`}
    </p>
  );
}

/** A page for those who may call an operation; the others read why they see nothing, and nothing is asked for them. */
export function OnlyFor({ op, children }: { readonly op: OperationName; readonly children: ReactNode }) {
  const whyNot = useWhyNot()(op);
  if (whyNot === "") return children;
  return (
    <Panel>
      <Empty icon={<KeyRound />} title={whyNot} action={<SignInLink />} />
    </Panel>
  );
}

/** One failure. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const code = error instanceof OperationError ? error.code : "error";
  const offline = code === "unreachable";
  const { keyed, person } = useExternal(session);
  const refused = code === "unauthorized" || code === "forbidden";
  // What a caller may not see is answered like what does not exist; without a key that is worth saying.
  const hidden = code === "not_found" && !keyed;
  // A person who may not see it asks an admin; a key is for programs.
  const locked = (refused && !(code === "forbidden" && person !== null)) || hidden;
  const icon = offline ? (
    <CloudOff />
  ) : refused ? (
    <KeyRound />
  ) : code === "not_found" ? (
    <SearchX />
  ) : (
    <CircleAlert />
  );
  return (
    <Empty
      icon={icon}
      title={error.message}
      action={
        <>
          {locked ? <SignInLink /> : null}
          {retry === undefined || refused || locked ? null : <Button onClick={retry}>Try again</Button>}
        </>
      }
    >
      {hidden
        ? `If it is private, your account shows it. ${FIRST_ACCESS}`
        : code === "unauthorized"
          ? FIRST_ACCESS
          : error instanceof OperationError
            ? error.nextAction
            : null}
    </Empty>
  );
}
