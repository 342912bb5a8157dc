import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Waypoints } from "lucide-react";
import { useState } from "react";
import type { ConnectionCall, RecordedWorkflow } from "@workflow-ui/client";
import { call, useOperation } from "../../api/operations.ts";
import { ago, count } from "../../lib/format.ts";
import { titleOf } from "../../workflow/document/model.ts";
import { Load } from "../../shell/states.tsx";
import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/page.tsx";
import { useAction } from "../../lib/use-action.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";
import { ErrorText } from "../../ui/error-text.tsx";
import { errorText } from "../../lib/error-text.ts";

/** Makes a workflow of the calls that a person just made: choose the calls, confirm the guessed references, open it. */
export function RecordButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ButtonFor op="create_workflow" onClick={() => setOpen(true)}>
        <Waypoints /> Record as workflow
      </ButtonFor>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Record as workflow"
        description="Your calls become the steps of a draft, in the order in which you made them."
        className="sm:w-[min(46rem,94vw)]"
      >
        <Recorder />
      </Dialog>
    </>
  );
}

function Recorder() {
  const calls = useOperation("list_my_calls", { limit: 50 });
  return (
    <Load query={calls}>
      {(all) => {
        const fit = all.calls.filter((call) => call.ok).slice(0, 20);
        return fit.length === 0 ? (
          <Empty title="No calls to record yet">Send something from a connection first.</Empty>
        ) : (
          <Choose calls={fit} />
        );
      }}
    </Load>
  );
}

function Choose({ calls }: { readonly calls: readonly ConnectionCall[] }) {
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(calls.slice(0, 5).map((call) => call.id)),
  );
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const { recorded, problem } = useRecorded(chosen, refused);
  const guesses = recorded?.guesses ?? [];
  const steps = new Map(graphOf(recorded?.workflow).nodes.map((node) => [node.id, titleOf(node)]));
  const create = useAction({
    title: "Record a workflow",
    failed: "The draft was not made",
    run: (_, signal) =>
      call("import_workflow", { document: recorded?.workflow ?? {}, save: true }, { signal }),
    done: ({ workflow }) => {
      if (workflow !== undefined) void navigate({ to: "/workflows/$id", params: { id: workflow.id } });
      return "Recorded as a draft";
    },
  });
  return (
    <div className="space-y-4">
      <fieldset className="min-w-0">
        <legend className="font-medium">Calls, newest first</legend>
        <ul className="mt-1 max-h-56 divide-y divide-line scroll-y rounded-lg border border-line">
          {calls.map((made) => {
            const { id } = made;
            return (
              <li key={id}>
                <label className="flex flex-wrap items-center gap-2 px-3 py-1.5">
                  <input
                    type="checkbox"
                    checked={chosen.has(id)}
                    onChange={() => setChosen(toggled(chosen, id))}
                  />
                  <span className="min-w-0 font-mono text-sm break-all">
                    {made.connection}:{made.definition}
                  </span>
                  <span className="min-w-0 flex-1 basis-32 truncate font-mono text-sm text-ink-3">
                    {JSON.stringify(made.arguments ?? {})}
                  </span>
                  <span className="text-sm text-ink-3">{ago(made.at)}</span>
                </label>
              </li>
            );
          })}
        </ul>
      </fieldset>
      <ErrorText text={problem} />
      {recorded === null ? null : (
        <section aria-label="Guessed references">
          <p className="font-medium">
            {guesses.length === 0
              ? "No value of a call stood in an earlier answer, so no references are guessed."
              : `${count(guesses.length, "reference")} guessed from equal values: keep those that are right.`}
          </p>
          <ul className="mt-1 divide-y divide-line rounded-lg border border-line text-sm">
            {guesses.map((guess) => (
              <Guess
                key={guess.id}
                guess={guess}
                steps={steps}
                kept={!refused.has(guess.id)}
                onToggle={() => setRefused(toggled(refused, guess.id))}
              />
            ))}
          </ul>
          {recorded.missing.map((item) => (
            <p key={item.step + item.pointer} className="mt-2 text-sm text-warn">
              {steps.get(item.step)} {item.pointer}: {item.reason}{" "}
              {item.input === undefined ? "" : "The run asks for it."}
            </p>
          ))}
        </section>
      )}
      <div className="flex justify-end">
        <Button
          look="primary"
          busy={create.isPending}
          disabled={recorded === null}
          onClick={() => create.mutate()}
        >
          <Waypoints /> Create a draft with {count(chosen.size, "step")}
        </Button>
      </div>
    </div>
  );
}

function Guess({
  guess,
  steps,
  kept,
  onToggle,
}: {
  readonly guess: RecordedWorkflow["guesses"][number];
  readonly steps: ReadonlyMap<string, string>;
  readonly kept: boolean;
  readonly onToggle: () => void;
}) {
  const [, from = "", place = ""] = /^\$steps\.([^.]+)\.outputs#\/data(.*)$/.exec(guess.reference) ?? [];
  const value = JSON.stringify(guess.value);
  const to = guess.step;
  return (
    <li className="px-3 py-2">
      <label className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <input type="checkbox" checked={kept} onChange={onToggle} />
        <span>
          <b className="font-medium">{steps.get(to) ?? to}</b>{" "}
          <code className="font-mono">{guess.pointer}</code> was{" "}
          <code className="font-mono break-all">{value}</code>
        </span>
        <span className="text-ink-2">
          as in the answer of <b className="font-medium">{steps.get(from) ?? from}</b>{" "}
          <code className="font-mono">{place}</code>: <code className="font-mono break-all">{value}</code>
        </span>
        <Badge tone={kept ? "good" : "neutral"}>{kept ? "reference" : "stays fixed"}</Badge>
      </label>
    </li>
  );
}

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** What the chosen calls would become. */
function useRecorded(
  chosen: ReadonlySet<string>,
  refused: ReadonlySet<string>,
): { readonly recorded: RecordedWorkflow | null; readonly problem: string } {
  const input = { calls: [...chosen], reject: [...refused] };
  const { data, error } = useQuery({
    queryKey: ["record_calls", input],
    enabled: chosen.size > 0,
    queryFn: ({ signal }) => call("record_calls", input, { signal, interactive: false }),
    // What was chosen before stays on the screen until the answer to the new choice is there.
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
  });
  return {
    recorded: chosen.size === 0 ? null : (data ?? null),
    problem: error === null ? "" : errorText(error),
  };
}
