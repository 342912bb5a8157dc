import { agree } from "../asking.ts";
import { yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { list, record } from "../from-operation.ts";
import { example, group, option } from "../spec.ts";

/** What becomes of the runs of a restored database. */
export const hold = group("hold", {
  show: list({
    summary: "The runs that were under way in a backup that was restored, while it waits for a decision.",
    examples: [example("What was under way")],
    operation: "get_hold",
    input: () => ({}),
    rows: "runs",
    columns: { ID: "id", STATUS: "status", WORKFLOW: "workflowId", STARTED: "createdAt" },
  }),
  end: record({
    summary: "Let the runs that were under way in the backup go on, or cancel them. Needs the scope admin.",
    options: [option("--runs <WHAT>", "continue or cancel; required."), yesOption],
    examples: [],
    operation: "end_hold",
    async input({ given }) {
      const runs = given.option("runs");
      if (runs !== "continue" && runs !== "cancel")
        throw new Failure("usage", "--runs must be continue or cancel.");
      await agree(`End the hold and ${runs} the runs that were under way?`, given.flag("yes"));
      return { runs };
    },
    fields: ["cancelled"],
  }),
});
