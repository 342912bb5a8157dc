import type { Firing, Trigger } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { call, useOperation } from "../../api/operations.ts";
import { ago, fullTime } from "../../lib/format.ts";
import { useAction } from "../../lib/use-action.ts";
import { Load } from "../../shell/states.tsx";
import { StateBadge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { JsonBlock } from "../../ui/code-block.tsx";
import { Empty, Panel } from "../../ui/page.tsx";
import { useWhyNot } from "../../api/rights.ts";

const PAGE = 25;

/** Every occasion on which a trigger started a run or was to, newest first. */
export function History({ trigger }: { readonly trigger: Trigger }) {
  const [limit, setLimit] = useState(PAGE);
  const answer = useOperation("list_firings", { id: trigger.id, limit });
  const title = trigger.kind === "webhook" ? "Received requests" : "History";
  return (
    <Panel title={title} flush>
      <Load query={answer}>
        {({ firings, nextCursor }) =>
          firings.length === 0 ? (
            <Empty title="Nothing yet">What it starts is listed here for 90 days.</Empty>
          ) : (
            <>
              <ul className="divide-y divide-line">
                {firings.map((firing) => (
                  <Occasion key={firing.id} firing={firing} />
                ))}
              </ul>
              {nextCursor === null || limit > 200 ? null : (
                <p className="border-t border-line p-3">
                  <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>
                </p>
              )}
            </>
          )
        }
      </Load>
    </Panel>
  );
}

function Occasion({ firing }: { readonly firing: Firing }) {
  const refusal = useWhyNot()("create_trigger");
  const replay = useAction({
    title: "Replay",
    failed: "It was not replayed",
    run: (_, signal) => call("fire_trigger", { id: firing.triggerId, firingId: firing.id }, { signal }),
    done: () => "A new run was started with this payload",
  });
  const at = firing.dueAt ?? firing.createdAt;
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge state={firing.state} />
        <time dateTime={at} title={fullTime(at)} className="text-sm">
          {ago(at)}
        </time>
        {firing.runId === null ? null : (
          <Link
            to="/runs/$id"
            params={{ id: firing.runId }}
            aria-label={`Run of ${fullTime(at)}`}
            className="inline-flex min-h-6 min-w-6 items-center text-sm text-accent-ink underline"
          >
            Run
          </Link>
        )}
        <span className="flex-1" />
        {firing.payload === null || refusal !== "" ? null : (
          <Button
            size="sm"
            aria-label={`Replay what came ${fullTime(at)}`}
            busy={replay.isPending}
            onClick={() => replay.mutate()}
          >
            <RotateCcw /> Replay
          </Button>
        )}
      </div>
      {firing.reason === null ? null : (
        <p className="mt-1 text-sm wrap-anywhere text-ink-2">{firing.reason}</p>
      )}
      {firing.payload === null ? null : <Payload firing={firing} at={at} />}
    </li>
  );
}

function Payload({ firing, at }: { readonly firing: Firing; readonly at: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-6 cursor-pointer text-sm text-ink-2">Payload</summary>
      {open ? <JsonBlock value={firing.payload} label={`payload of ${fullTime(at)}`} /> : null}
    </details>
  );
}
