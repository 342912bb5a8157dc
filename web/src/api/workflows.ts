import { useOperation } from "./operations.ts";

/** What people call each workflow this session may see. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const workflows = useOperation("list_workflows", { limit: 100 });
  return new Map(workflows.data?.workflows.map(({ id, name }) => [id, name]));
}
