import type { ProposedTrigger } from "@workflow-ui/client";
import { call } from "../../api/operations.ts";
import { errorText } from "../../lib/error-text.ts";
import { count } from "../../lib/format.ts";
import { toast } from "../../shell/notices.ts";

/** Creates the triggers that a workflow was imported or made with. They are paused until a person has looked at them. */
export async function createProposed(
  workflowId: string,
  proposed: readonly ProposedTrigger[],
): Promise<void> {
  let made = 0;
  for (const trigger of proposed) {
    try {
      await call("create_trigger", { workflowId, paused: true, ...trigger });
      made += 1;
    } catch (error) {
      toast("bad", `The trigger “${trigger.name ?? trigger.kind}” was not created`, errorText(error));
    }
  }
  if (made === 0) return;
  const next = proposed.some(({ kind }) => kind === "webhook")
    ? "On the tab Triggers, give the webhook a new secret for its sender, then resume it."
    : "Resume it on the tab Triggers.";
  toast("good", `Created with ${count(made, "paused trigger")}`, next);
}
