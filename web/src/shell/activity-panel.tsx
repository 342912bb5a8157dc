import { Link } from "@tanstack/react-router";
import { ChartNoAxesGantt, CircleAlert, CircleCheck } from "lucide-react";
import { useEffect, useState } from "react";
import { useExternal } from "../lib/external.ts";
import { ago, duration } from "../lib/format.ts";
import { Button, IconButton, Spinner } from "@workflow-ui/forms-react/ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/page.tsx";
import { activities, type Activity } from "./notices.ts";

/** Opens the panel with everything this page is doing or did. */
export function ActivityButton() {
  const all = useExternal(activities);
  const [open, setOpen] = useState(false);
  const running = all.filter((item) => item.state === "running").length;
  return (
    <>
      <span className="relative">
        <IconButton
          label={running > 0 ? `Activity, ${running} running` : "Activity"}
          onClick={() => setOpen(true)}
        >
          {running > 0 ? <Spinner className="text-accent" /> : <ChartNoAxesGantt />}
        </IconButton>
      </span>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Activity"
        description="Requests of this page and their results."
        shape="side"
      >
        {all.length === 0 ? (
          <Empty icon={<ChartNoAxesGantt />} title="Nothing yet">
            Calls that you make appear here with their progress.
          </Empty>
        ) : (
          <ul className="-mx-1 space-y-1">
            {all.map((item) => (
              <Entry key={item.id} item={item} />
            ))}
          </ul>
        )}
      </Dialog>
    </>
  );
}

function Entry({ item }: { readonly item: Activity }) {
  const now = useNow(item.state === "running");
  const took = (item.endedAt ?? now) - item.startedAt;
  return (
    <li className="flex items-start gap-2.5 rounded-lg p-2 hover:bg-hover [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0">
      {item.state === "running" ? (
        <Spinner className="mt-1 text-accent" />
      ) : item.state === "done" ? (
        <CircleCheck className="text-good" />
      ) : (
        <CircleAlert className="text-bad" />
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          {item.href === undefined ? (
            item.title
          ) : (
            <Link to={item.href} className="hover:underline">
              {item.title}
            </Link>
          )}
        </p>
        <p className="text-sm break-words text-ink-2">
          {item.state === "running" ? "Running" : item.note} · {duration(took)}
          {item.endedAt === null ? "" : ` · ${ago(new Date(item.endedAt).toISOString())}`}
        </p>
      </div>
      {item.cancel === undefined ? null : (
        <Button size="sm" look="ghost" onClick={item.cancel}>
          Stop
        </Button>
      )}
    </li>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
