import { OperationError } from "@workflow-ui/client";
import { useState, type SubmitEvent } from "react";
import { errorText } from "./error-text.ts";

/** What a plain form shows while it is sent, and after. */
export interface Submission {
  readonly busy: boolean;
  /** What went wrong with the whole; empty when nothing did. */
  readonly error: string;
  /** What is wrong with one member, or with what is in it. */
  problem(member: string): string | undefined;
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/** Sends a form's texts and keeps what the service found wrong with them. */
export function useSubmit(
  send: (values: Readonly<Record<string, string>>, form: HTMLFormElement) => Promise<void>,
): Submission {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const problems = failure instanceof OperationError ? failure.problems : [];
  return {
    busy,
    error: failure === null ? "" : errorText(failure),
    problem: (member) =>
      problems
        .filter(({ pointer }) => `${pointer}/`.startsWith(`/${member}/`))
        .map(({ message }) => message)
        .join(" ") || undefined,
    onSubmit(event) {
      event.preventDefault();
      const form = event.currentTarget;
      const values: Record<string, string> = {};
      for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value;
      setBusy(true);
      setFailure(null);
      send(values, form)
        .catch((error: unknown) =>
          setFailure(error instanceof Error ? error : new Error("The request failed.")),
        )
        .finally(() => setBusy(false));
    },
  };
}
