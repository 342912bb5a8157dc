import { Page } from "../ui/page.tsx";

/** Being built. */
export function DevelopersPage() {
  return <Page title="developers">{null}</Page>;
}
