import { useState } from "react";
import { cx } from "../lib/cx.ts";

const LONG = 420;
const FIRST = 1_200;
const MOST = 20_000;

/** Text from others: isolated, bounded, and never markup. What is long is shown in part until all of it is asked for. */
export function LongText({ text, className }: { readonly text: string; readonly className?: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > LONG || text.split("\n", 8).length > 6;
  return (
    <div className={className}>
      <p
        className={cx(
          "break-words whitespace-pre-line [unicode-bidi:isolate]",
          long && !open && "line-clamp-5",
        )}
      >
        {text.slice(0, open ? MOST : FIRST)}
        {open && text.length > MOST ? "…" : ""}
      </p>
      {long ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="font-medium text-accent-ink hover:underline"
        >
          {open ? "Show less" : "Show all"}
        </button>
      ) : null}
    </div>
  );
}
