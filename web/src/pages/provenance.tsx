import { Page } from "../ui/page.tsx";

/** Being built. */
export function ProvenancePage() {
  return <Page title="provenance">{null}</Page>;
}
