import { Page } from "../ui/page.tsx";

/** Being built. */
export function ArtifactsPage() {
  return <Page title="artifacts">{null}</Page>;
}
