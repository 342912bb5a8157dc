import type { OutputOf } from "@workflow-ui/client";
import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { Load } from "../../shell/states.tsx";
import { IconButton } from "@workflow-ui/forms-react/ui/button.tsx";
import { Panel } from "../../ui/page.tsx";
import { triggerWords } from "./settings.ts";

type Schedule = OutputOf<"list_due_dates">["schedules"][number];

/** More dates of one schedule on a day are one line. */
const SHOWN = 3;
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short" });

/** The days of a week, in the reader's own time zone; it begins on Monday. */
function weekOf(offset: number): readonly Date[] {
  const now = new Date();
  const monday = now.getDate() - ((now.getDay() + 6) % 7) + offset * 7;
  return Array.from({ length: 8 }, (_, day) => new Date(now.getFullYear(), now.getMonth(), monday + day));
}

/** What is due in a week: beside one another where there is room, one day below the other on a phone. */
export function Calendar() {
  const [offset, setOffset] = useState(0);
  const days = weekOf(offset);
  const [from = new Date(), until = new Date()] = [days[0], days[7]];
  const due = useOperation("list_due_dates", { from: from.toISOString(), until: until.toISOString() });
  const title = `${dayName.format(from)} to ${dayName.format(days[6])}`;
  return (
    <Panel
      title={<span aria-live="polite">{title}</span>}
      actions={
        <>
          <IconButton label="Week before" disabled={offset === 0} onClick={() => setOffset(offset - 1)}>
            <ChevronLeft />
          </IconButton>
          <IconButton label="Week after" onClick={() => setOffset(offset + 1)}>
            <ChevronRight />
          </IconButton>
        </>
      }
    >
      <Load query={due}>
        {({ schedules, nextCursor }) => (
          <>
            <p className="mb-3 text-sm text-ink-2">
              Times in {Intl.DateTimeFormat().resolvedOptions().timeZone}. Paused schedules are not shown
              {nextCursor === null ? "." : ", and of the others only the 200 newest."}
            </p>
            <ol className="grid gap-3 lg:grid-cols-7">
              {days.slice(0, 7).map((day, index) => (
                <li key={day.toISOString()} className="min-w-0 rounded-lg border border-line p-2">
                  <h3 className="mb-1 text-sm font-medium">{dayName.format(day)}</h3>
                  <Day schedules={schedules} from={day.getTime()} until={days[index + 1]?.getTime() ?? 0} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Load>
    </Panel>
  );
}

function Day({
  schedules,
  from,
  until,
}: {
  readonly schedules: readonly Schedule[];
  readonly from: number;
  readonly until: number;
}) {
  const entries = schedules
    .flatMap((schedule) => entriesOf(schedule, from, until))
    .toSorted((one, other) => one.at - other.at);
  if (entries.length === 0) return <p className="text-sm text-ink-3">Nothing</p>;
  return (
    <ul className="space-y-1">
      {entries.map(({ at, when, trigger }) => (
        <li key={`${trigger.id} ${at}`}>
          <Link
            to="/triggers/$id"
            params={{ id: trigger.id }}
            className="block min-h-6 rounded-md bg-accent-soft px-1.5 py-0.5 text-sm wrap-anywhere text-accent-ink hover:underline"
          >
            {when} {trigger.name ?? trigger.workflowName ?? trigger.workflowId}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The lines of one schedule on one day: its dates, or how often where they are many. */
function entriesOf({ trigger, dates, isComplete }: Schedule, from: number, until: number) {
  const times = dates.map((date) => Date.parse(date)).filter((at) => at >= from && at < until);
  // What comes so often comes every day of the week.
  if (!isComplete && until > Date.now()) return [{ trigger, at: from, when: `${triggerWords(trigger)}:` }];
  const [first] = times;
  if (first === undefined) return [];
  if (times.length > SHOWN)
    return [{ trigger, at: first, when: `${time.format(first)}, ${times.length} times:` }];
  return times.map((at) => ({ trigger, at, when: time.format(at) }));
}
