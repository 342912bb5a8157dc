import { Page } from "../ui/page.tsx";

/** Being built. */
export function OwnPage() {
  return <Page title="own">{null}</Page>;
}
