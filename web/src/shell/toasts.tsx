import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useExternal } from "../lib/external.ts";
import { dismissToast, toasts } from "./notices.ts";

const ICONS = {
  good: <CircleCheck className="text-good" />,
  bad: <CircleAlert className="text-bad" />,
  info: <Info className="text-info" />,
};

/** Short messages at the bottom; read out politely. */
export function Toasts() {
  const all = useExternal(toasts);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-0 bottom-0 left-0 z-50 flex flex-col items-center gap-2 p-4 sm:left-auto sm:items-end"
    >
      {all.map((item) => (
        <div
          key={item.id}
          className="pointer-events-auto flex w-full max-w-sm items-start gap-2.5 rounded-xl border border-line bg-raised px-3.5 py-2.5 shadow-pop [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0"
        >
          {ICONS[item.tone]}
          <div className="min-w-0 flex-1">
            <p className="font-medium break-words">{item.text}</p>
            {item.detail === undefined ? null : (
              <p className="text-sm break-words text-ink-2">{item.detail}</p>
            )}
          </div>
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismissToast(item.id)}
            className="rounded p-1 text-ink-3 hover:text-ink"
          >
            <X className="size-4" />
          </button>
        </div>
      ))}
    </div>
  );
}
