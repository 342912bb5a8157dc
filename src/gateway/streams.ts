import { AppError } from "../kernel/errors.ts";
import type { HttpAnswer } from "../ports/http.ts";

/** How many streaming answers one caller may hold open. */
export interface StreamLimits {
  readonly perCaller: number;
  /** For processes on this machine, which share one address. */
  readonly perLocal: number;
}

const DEFAULTS: StreamLimits = { perCaller: 32, perLocal: 512 };

/** Counts streams while they are open; throws `rate_limited` for one too many. */
export function createStreamLimit(
  given: Partial<StreamLimits> = {},
): (answer: HttpAnswer, caller: string, isLocal: boolean) => HttpAnswer {
  const limits = { ...DEFAULTS, ...given };
  const open = new Map<string, number>();
  return (answer, caller, isLocal) => {
    if (!("stream" in answer)) return answer;
    const most = isLocal ? limits.perLocal : limits.perCaller;
    if ((open.get(caller) ?? 0) >= most) {
      throw new AppError("rate_limited", `A caller may hold ${most} event streams open; close one first.`, {
        retryAfterSeconds: 10,
      });
    }
    return {
      ...answer,
      async stream(sink) {
        open.set(caller, (open.get(caller) ?? 0) + 1);
        try {
          await answer.stream(sink);
        } finally {
          const left = (open.get(caller) ?? 1) - 1;
          if (left > 0) open.set(caller, left);
          else open.delete(caller);
        }
      },
    };
  };
}
