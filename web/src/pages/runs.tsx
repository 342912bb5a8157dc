import { Page } from "../ui/page.tsx";

/** Being built. */
export function RunsPage() {
  return <Page title="runs">{null}</Page>;
}
