import { useMutation } from "@tanstack/react-query";
import { OperationError } from "@workflow-ui/client";
import type { SubmitEvent } from "react";
import { errorText } from "./error-text.ts";

/** What a plain form shows while it is sent, and after. */
export interface Submission {
  readonly busy: boolean;
  /** What went wrong with the whole; empty when nothing did. */
  readonly error: string;
  /** The field of a member, and what is wrong with it or with what is in it. */
  field(member: string): { readonly name: string; readonly problem: string | undefined };
  readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/** Sends a form's texts and keeps what the service found wrong with them. */
export function useSubmit(
  send: (values: Readonly<Record<string, string>>, form: HTMLFormElement) => Promise<void>,
): Submission {
  const sending = useMutation({ mutationFn: (form: HTMLFormElement) => send(textsOf(form), form) });
  const problems = sending.error instanceof OperationError ? sending.error.problems : [];
  return {
    busy: sending.isPending,
    error: sending.error === null ? "" : errorText(sending.error),
    field(name) {
      const found = problems.filter(({ pointer }) => `${pointer}/`.startsWith(`/${name}/`));
      return { name, problem: found.map(({ message }) => message).join(" ") || undefined };
    },
    onSubmit(event) {
      event.preventDefault();
      sending.mutate(event.currentTarget);
    },
  };
}

function textsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value;
  return values;
}
