import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useExternal } from "../lib/external.ts";
import { dismissToast, toasts } from "./notices.ts";

const ICONS = {
  good: <CircleCheck className="text-good" />,
  bad: <CircleAlert className="text-bad" />,
  info: <Info className="text-info" />,
};

/** The newest short message, in the free part of the top bar so that it covers nothing of the page; read out politely. */
export function Toasts() {
  const item = useExternal(toasts).at(-1);
  return (
    <div role="status" aria-live="polite" className="flex h-12 flex-1 basis-0 justify-end max-sm:contents">
      {item === undefined ? null : (
        <div className="flex min-w-0 items-center gap-2 max-sm:absolute max-sm:inset-0 max-sm:z-10 max-sm:bg-raised max-sm:px-3 [&>svg]:size-4 [&>svg]:shrink-0">
          {ICONS[item.tone]}
          {/* What is longer than two lines is read whole under the pointer or with the focus. */}
          <div
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- opened by the keyboard as well
            tabIndex={0}
            className="line-clamp-2 min-w-0 flex-1 text-sm break-words hover:line-clamp-none focus:line-clamp-none hover:self-start focus:self-start hover:rounded-lg hover:bg-raised focus:rounded-lg focus:bg-raised hover:p-2 focus:p-2 hover:shadow-pop focus:shadow-pop"
          >
            <span className="font-medium">{item.text}</span>
            {item.detail === undefined ? null : <span className="text-ink-2"> {item.detail}</span>}
          </div>
          {item.link === undefined ? null : (
            <Link to={item.link.href} className="shrink-0 text-sm underline underline-offset-2">
              {item.link.text}
            </Link>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => dismissToast(item.id)}
            className="rounded p-1 text-ink-3 hover:text-ink"
          >
            <X className="size-4" />
          </button>
        </div>
      )}
    </div>
  );
}
