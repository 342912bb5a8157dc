import { Link, type LinkProps } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

interface Props {
  readonly link: LinkProps;
  readonly title: ReactNode;
  readonly sub?: ReactNode;
  readonly end?: ReactNode;
  /** What can be done with it, outside the link. */
  readonly actions?: ReactNode;
}

/** A list of things that lead somewhere. */
export function RowList({ children }: { readonly children: ReactNode }) {
  return <ul className="divide-y divide-line">{children}</ul>;
}

/** One row of a list. */
export function Row({ link, title, sub, end, actions }: Props) {
  return (
    <li className={actions === undefined ? undefined : "flex items-center pr-2"}>
      <Link
        {...link}
        className="flex min-h-12 min-w-0 flex-1 items-center gap-3 px-4 py-2 hover:bg-hover focus-visible:-outline-offset-2"
      >
        {/* What stands at the end goes below a name that would be shortened for it. */}
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-0 flex-1 basis-48">
            <span dir="auto" className="block font-medium wrap-anywhere sm:truncate">
              {title}
            </span>
            {sub === undefined ? null : (
              <span dir="auto" className="text-sm text-ink-2 max-sm:line-clamp-2 sm:block sm:truncate">
                {sub}
              </span>
            )}
          </span>
          {end}
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-3" />
      </Link>
      {actions}
    </li>
  );
}
