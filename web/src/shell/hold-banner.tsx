import { call, useOperation } from "../api/operations.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { For } from "../ui/button-for.tsx";
import { useAction } from "../lib/use-action.ts";

/** Shown while a restored database waits for a decision. */
export function HoldBanner() {
  const { data } = useOperation("get_hold", {}, { staleTime: 60_000 });
  const end = useAction({
    title: "End the hold",
    failed: "The hold could not be ended.",
    run: (runs: "continue" | "cancel", signal) => call("end_hold", { runs }, { signal }),
    done: ({ cancelled }) =>
      `The hold is over. ${cancelled === 0 ? "Runs go on." : `Cancelled runs: ${cancelled}`}`,
  });
  if (data?.onHold !== true) return null;
  return (
    <Banner tone="warn" title="The database was restored from a backup and is on hold.">
      <p>
        Nothing goes on or is sent. Runs that were under way: {data.runs.length}
        {data.runs.length === 100 ? " or more" : ""}. An admin decides what becomes of them.
      </p>
      <For op="end_hold">
        <div className="mt-2 flex flex-wrap gap-2">
          <Button onClick={() => end.mutate("continue")}>Continue runs</Button>
          <Button onClick={() => end.mutate("cancel")}>Cancel runs</Button>
        </div>
      </For>
    </Banner>
  );
}
