import { Page } from "../ui/page.tsx";

/** Being built. */
export function WorkflowsPage() {
  return <Page title="workflows">{null}</Page>;
}
