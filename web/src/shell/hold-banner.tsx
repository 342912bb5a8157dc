import { call, refreshOperation, useOperation } from "../api/operations.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { For } from "../ui/button-for.tsx";
import { toast } from "./notices.ts";

/** Shown while a restored database waits for a decision. */
export function HoldBanner() {
  const { data } = useOperation("get_hold", {}, { staleTime: 60_000 });
  if (data?.onHold !== true) return null;
  const end = async (runs: "continue" | "cancel") => {
    try {
      const { cancelled } = await call("end_hold", { runs });
      toast("good", "The hold is over.", cancelled === 0 ? "Runs go on." : `Cancelled runs: ${cancelled}`);
    } catch (error) {
      toast("bad", "The hold could not be ended.", error instanceof Error ? error.message : "");
    }
    await refreshOperation("get_hold");
  };
  return (
    <Banner tone="warn" title="The database was restored from a backup and is on hold.">
      <p>
        Nothing goes on or is sent. Runs that were under way: {data.runs.length}
        {data.runs.length === 100 ? " or more" : ""}. An admin decides what becomes of them.
      </p>
      <For op="end_hold">
        <div className="mt-2 flex flex-wrap gap-2">
          <Button onClick={() => void end("continue")}>Continue runs</Button>
          <Button onClick={() => void end("cancel")}>Cancel runs</Button>
        </div>
      </For>
    </Banner>
  );
}
