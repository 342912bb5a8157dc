import { bagAt, bagsAt, textAt, type Bag } from "../lib/read.ts";
import { useToolData } from "./queries.ts";

/** What people call each workflow this session may see. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const workflows = useToolData("list_workflows", { limit: 100 });
  return new Map(
    bagsAt(workflows.data, "workflows").map((item) => [textAt(item, "id"), textAt(item, "name")]),
  );
}

/** The workflow a run belongs to; empty when it is unknown or private. */
export function useWorkflow(id: string): Bag {
  const workflow = useToolData("get_workflow", { id }, { enabled: id !== "" });
  return bagAt(workflow.data, "workflow");
}
