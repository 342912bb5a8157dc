import { AppError } from "../kernel/errors.ts";
import type { RunRecord } from "../ports/records.ts";

/** There is nothing under this id. */
export function noRun(): AppError {
  return new AppError("not_found", "There is no run with this id.");
}

/** What has ended is not changed any more. */
export function ended(run: RunRecord): AppError {
  return new AppError("conflict", `The run has ended already: it ${run.state.replace("_", " ")}.`, {
    details: { state: run.state },
  });
}

/** What retention removed cannot go on. */
export function removed(at: string): AppError {
  return new AppError(
    "conflict",
    `The steps of this run were removed on ${at}, as the retention rules say.`,
    {
      nextAction: "Start the workflow again.",
    },
  );
}

/** Another change came first. */
export function busy(): AppError {
  return new AppError("conflict", "The run changed at the same time.", { nextAction: "Ask again." });
}
