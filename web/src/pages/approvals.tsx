import { Page } from "../ui/page.tsx";

/** Being built. */
export function ApprovalsPage() {
  return <Page title="approvals">{null}</Page>;
}
