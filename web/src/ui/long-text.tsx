import { useState } from "react";
import { cx } from "../lib/cx.ts";
import { RichText } from "./rich-text.tsx";

const LONG = 420;
const FIRST = 1_200;
const MOST = 20_000;

interface Props {
  readonly text: string;
  readonly className?: string;
  /** The text may be Markdown. */
  readonly rich?: boolean;
}

/** Text from others: isolated, bounded, and never markup. What is long is shown in part until all of it is asked for. */
export function LongText({ text, className, rich = false }: Props) {
  const [open, setOpen] = useState(false);
  const long = text.length > LONG || text.split("\n", 8).length > 6;
  const shown = `${text.slice(0, open ? MOST : FIRST)}${open && text.length > MOST ? "…" : ""}`;
  return (
    <div className={className}>
      <div
        className={cx(
          "break-words [unicode-bidi:isolate]",
          rich ? "space-y-1" : "whitespace-pre-line",
          long && !open && "line-clamp-5",
        )}
      >
        {rich ? <RichText text={shown} /> : shown}
      </div>
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
