import type { ReactNode } from "react";
import { useEffect } from "react";
import { cx } from "@workflow-ui/forms-react/ui/cx.ts";

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The frame of a page: one heading, its actions, its content. */
export function Page({ title, lead, actions, back, wide = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title.slice(0, 200)} · Workflow-UI`;
  }, [title]);
  return (
    <div
      className={cx("mx-auto w-full px-4 pt-5 pb-16 sm:px-6 lg:px-8", wide ? "max-w-[110rem]" : "max-w-6xl")}
    >
      {back}
      <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 dir="auto" className="text-2xl font-semibold break-words">
            {title.slice(0, 400)}
          </h1>
          {lead === undefined ? null : <div className="mt-1 max-w-3xl text-ink-2">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A titled box. */
export function Panel({
  title,
  actions,
  children,
  className,
  flush = false,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  readonly flush?: boolean;
}) {
  return (
    <section className={cx("panel min-w-0", flush && "overflow-clip", className)}>
      {title === undefined ? null : (
        <header className="flex min-h-11 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
          <h2 className="flex-1 text-base font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}

/** Says that there is nothing, why, and what to do. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {icon === undefined ? null : (
        <span className="mb-3 grid size-10 place-items-center rounded-xl bg-accent-soft text-accent-ink [&_svg]:size-5">
          {icon}
        </span>
      )}
      <p className="font-semibold">{title}</p>
      {children === undefined ? null : <div className="mt-1 max-w-md text-ink-2">{children}</div>}
      {action === undefined ? null : <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** Grey bars where content will be. */
export function Skeleton({ lines }: { readonly lines: number }) {
  return (
    <div className="space-y-2.5" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          className={cx("h-4 animate-pulse rounded bg-hover", index % 3 === 2 ? "w-2/3" : "w-full")}
        />
      ))}
    </div>
  );
}
