import type { ReactNode } from "react";
import { Spinner } from "@workflow-ui/forms-react/ui/button.tsx";

/** Something is being made that takes a moment. What is done at once never shows it. */
export function BusyNote({ children }: { readonly children: ReactNode }) {
  return (
    <p role="status" className="appear-late flex items-center gap-2 py-3 text-ink-2">
      <Spinner /> {children}
    </p>
  );
}
