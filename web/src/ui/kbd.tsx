import type { ReactNode } from "react";

/** A key on the keyboard. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded border border-line bg-sunken px-1 font-sans text-2xs font-medium text-ink-2">
      {children}
    </kbd>
  );
}
