import { Page } from "../ui/page.tsx";

/** Being built. */
export function DemoPage() {
  return <Page title="demo">{null}</Page>;
}
