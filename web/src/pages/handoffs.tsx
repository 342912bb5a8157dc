import { Page } from "../ui/page.tsx";

/** Being built. */
export function HandoffsPage() {
  return <Page title="handoffs">{null}</Page>;
}
