import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { queryClient } from "../api/operations.ts";
import { toast, track } from "../shell/notices.ts";
import { errorText } from "./error-text.ts";

/** What a person does on a page: how it is called, and the message when it failed. */
interface Action<V, T> {
  readonly title: string;
  /** What did not happen, for the message of a failure. */
  readonly failed: string;
  readonly run: (input: V, signal: AbortSignal) => Promise<T>;
  /** What happened, and what the page does next. */
  readonly done?: (result: T, input: V) => string | undefined | void;
}

/** Something that changes the service: an activity while it lasts, then everything shown is read again. */
export function useAction<T, V = void>({
  title,
  failed,
  run,
  done,
}: Action<V, T>): UseMutationResult<T, Error, V> {
  return useMutation({
    mutationFn: (input: V) => track(title, (signal) => run(input, signal)),
    onSuccess: async (result, input) => {
      const text = done?.(result, input);
      if (typeof text === "string") toast("good", text);
      await queryClient.invalidateQueries();
    },
    onError: (error) => void toast("bad", failed, errorText(error)),
  });
}
