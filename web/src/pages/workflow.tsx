import { Page } from "../ui/page.tsx";

/** Being built. */
export function WorkflowPage() {
  return <Page title="workflow">{null}</Page>;
}
