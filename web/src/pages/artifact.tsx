import { Page } from "../ui/page.tsx";

/** Being built. */
export function ArtifactPage() {
  return <Page title="artifact">{null}</Page>;
}
