import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

/** How something ended, in colour and words. */
export function Banner({
  tone,
  title,
  children,
}: {
  readonly tone: "neutral" | "good" | "warn" | "bad";
  readonly title: string;
  readonly children?: ReactNode;
}) {
  const looks = {
    neutral: "bg-sunken text-ink",
    good: "bg-good-soft text-good",
    warn: "bg-warn-soft text-warn",
    bad: "bg-bad-soft text-bad",
  };
  const icons = { neutral: <Info />, good: <CircleCheck />, warn: <TriangleAlert />, bad: <CircleAlert /> };
  return (
    <div
      role="status"
      className={`flex items-start gap-2.5 px-4 py-3 [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0 ${looks[tone]}`}
    >
      {icons[tone]}
      <div className="min-w-0">
        <p className="font-semibold">{title}</p>
        {children === undefined ? null : <div className="text-sm break-words text-ink-2">{children}</div>}
      </div>
    </div>
  );
}
