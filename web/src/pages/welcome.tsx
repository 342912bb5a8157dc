import { Page } from "../ui/page.tsx";

/** Being built. */
export function WelcomePage() {
  return <Page title="welcome">{null}</Page>;
}
