import { Page } from "../ui/page.tsx";

/** Being built. */
export function TemplatesPage() {
  return <Page title="templates">{null}</Page>;
}
