import { Page } from "../ui/page.tsx";

/** Being built. */
export function HomePage() {
  return <Page title="home">{null}</Page>;
}
