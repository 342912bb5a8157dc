import { Page } from "../ui/page.tsx";

/** Being built. */
export function RunPage() {
  return <Page title="run">{null}</Page>;
}
