import { useState, type ReactNode } from "react";
import { cx } from "./cx.ts";

const LONG = 420;
const FIRST = 1_200;
const MOST = 20_000;

interface Props {
  readonly text: string;
  readonly className?: string;
  readonly draw: (text: string) => ReactNode;
}

/** Text from others: isolated, bounded, and never markup. What is long is shown in part until all of it is asked for. */
export function LongText({ text, className, draw }: Props) {
  const [open, setOpen] = useState(false);
  const long = text.length > LONG || text.split("\n", 8).length > 6;
  const shown = `${text.slice(0, open ? MOST : FIRST)}${open && text.length > MOST ? "…" : ""}`;
  return (
    <div className={className}>
      <div className={cx("space-y-1 break-words [unicode-bidi:isolate]", long && !open && "line-clamp-5")}>
        {draw(shown)}
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
