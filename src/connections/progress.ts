import type { CallContext } from "../ports/definitions.ts";
import { sanitized } from "../kernel/sanitize.ts";
import { withoutSecrets } from "./secrets.ts";

/** A server that reports without end is not listened to without end. */
const MOST_UPDATES = 1_000;
const MAX_MESSAGE = 500;

interface Update {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Passes what a server reports of its progress on to the caller, where the caller asked for it. */
export function progressFor(
  { onProgress }: CallContext,
  secrets: () => ReadonlySet<string>,
): {
  update: (update: Update) => void;
  /** For servers that say in words only where they are. */
  status: (message: string) => void;
} {
  let last = Number.NEGATIVE_INFINITY;
  let left = MOST_UPDATES;
  let lastMessage = "";
  const update = ({ progress, total, message }: Update): void => {
    // The protocol wants it to grow; what does not is left out.
    if (onProgress === undefined || progress <= last || --left < 0) return;
    last = progress;
    const text = message === undefined ? null : sanitized(message);
    onProgress({
      progress,
      ...(total !== undefined && { total }),
      ...(typeof text === "string" && { message: withoutSecrets(text, secrets()).slice(0, MAX_MESSAGE) }),
    });
  };
  let count = 0;
  return {
    update,
    status(message) {
      if (message === lastMessage) return;
      lastMessage = message;
      update({ progress: (count += 1), message });
    },
  };
}
