import type { InputOf } from "@workflow-ui/client";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import type { SubmitEvent } from "react";
import { MOST_CHOICES, usePeopleNames, useWorkflows } from "../../api/names.ts";
import { usePages } from "../../api/operations.ts";
import { useMay } from "../../api/rights.ts";
import { session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";
import { dayAfter, formTexts } from "../../lib/filters.ts";
import { Failures, failedFor } from "./failures.tsx";
import { RunRow } from "../../runs/run-row.tsx";
import { SignInLink } from "../../shell/sign-in-link.tsx";
import { Load } from "../../shell/states.tsx";
import { Button, buttonClass } from "@workflow-ui/forms-react/ui/button.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { RowList } from "../../ui/rows.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { InputField, SelectField, optionsOf } from "../../ui/fields.tsx";

const SHOWS = [
  { value: "all", label: "All", status: "" },
  { value: "active", label: "Active", status: "queued,running,cancelling" },
  { value: "waiting", label: "Waiting", status: "waiting" },
  { value: "failed", label: "Failed", status: "failed,timed_out" },
  { value: "ended", label: "Ended", status: "succeeded,failed,timed_out,cancelled" },
] as const;

/** What the address of the page asks for besides the state. */
interface RunSearch {
  readonly q?: string | undefined;
  readonly workflow?: string | undefined;
  readonly person?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** Everything that ran or runs, newest first, live; filters are part of the address. */
export function RunsPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const { q, workflow, person, from, until, step, code } = search;
  const filters: RunSearch = { q, workflow, person, from, until };
  const show = SHOWS.find((item) => item.value === search.state) ?? SHOWS[0];
  const cause = code === undefined || show.value !== "failed" ? null : { workflow, step, code };
  const runs = usePages("list_runs", inputOf(filters, show.status), ({ runs: list }) =>
    cause === null ? list : list.filter((run) => failedFor(cause, run)),
  );
  const caller = useExternal(session);
  const isGuest = caller.person === null && !caller.keyed;
  const mayRepair = useMay("list_run_failures");
  const used = Object.values(filters).filter((value) => value !== undefined).length;
  const isFiltered = used > 0 || show.value !== "all";
  return (
    <Page
      title="Runs"
      actions={
        <Segmented
          label="Which runs"
          value={show.value}
          options={SHOWS}
          onChange={(next) =>
            void navigate({
              to: "/runs",
              replace: true,
              search: { ...filters, state: next === "all" ? undefined : next },
            })
          }
        />
      }
    >
      <div className="mb-4 sm:panel sm:p-4">
        <Filters used={used}>
          {(close) => (
            <FilterForm
              key={JSON.stringify(filters)}
              filters={filters}
              onSent={(given) => {
                close();
                void navigate({ to: "/runs", search: { ...given, state: search.state } });
              }}
            />
          )}
        </Filters>
      </div>
      {show.value === "failed" && mayRepair ? <Failures workflow={workflow} chosen={cause} /> : null}
      <Panel flush>
        <Load query={runs}>
          {(list) =>
            list.length === 0 && !runs.isFetching ? (
              <Empty
                icon={<Activity />}
                title={isFiltered ? "No run matches" : isGuest ? "No public runs" : "No runs yet"}
                action={
                  isGuest && !isFiltered ? (
                    <SignInLink />
                  ) : (
                    <Link to={isFiltered ? "/runs" : "/workflows"} className={buttonClass()}>
                      {isFiltered ? "Show all runs" : "Workflows"}
                    </Link>
                  )
                }
              >
                {isFiltered
                  ? "Take a filter away, or choose other days."
                  : isGuest
                    ? "Sign in to see the runs of your workflows."
                    : "Run a workflow to see it here."}
              </Empty>
            ) : (
              <>
                <RowList>
                  {list.map((run) => (
                    <RunRow key={run.id} run={run} />
                  ))}
                </RowList>
                {runs.more === null ? null : (
                  <p className="border-t border-line p-3">
                    <Button busy={runs.isFetching} onClick={runs.more}>
                      {runs.isFetching ? "Looking through older runs" : "Older"}
                    </Button>
                  </p>
                )}
              </>
            )
          }
        </Load>
      </Panel>
    </Page>
  );
}

function inputOf({ q, workflow, person, from, until }: RunSearch, status: string): InputOf<"list_runs"> {
  return {
    ...(status !== "" && { status }),
    ...(workflow !== undefined && { workflowId: workflow }),
    ...(person !== undefined && { startedBy: person }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { to: dayAfter(until) }),
    ...(q !== undefined && { text: q }),
  };
}

const CUT = `The newest ${MOST_CHOICES.toLocaleString("en")} are listed.`;

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The choices with the one that the address names: it stays chosen where the list does not have it. */
function withChosen(options: readonly Choice[], value: string | undefined, label: string): readonly Choice[] {
  return value === undefined || options.some((option) => option.value === value)
    ? options
    : [{ value, label }, ...options];
}

function FilterForm({
  filters,
  onSent,
}: {
  readonly filters: RunSearch;
  readonly onSent: (given: RunSearch) => void;
}) {
  const mayRead = useMay("list_people_names");
  const workflows = useWorkflows().data;
  const people = usePeopleNames(mayRead).data;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSent(formTexts(event.currentTarget, ["q", "workflow", "person", "from", "until"]));
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      {mayRead ? (
        <InputField
          label="Text in the input"
          className="min-w-0 flex-1 basis-44"
          name="q"
          type="search"
          data-page-search
          minLength={2}
          maxLength={200}
          defaultValue={filters.q}
          placeholder="Order number, name"
        />
      ) : null}
      <SelectField
        label="Workflow"
        className="min-w-0 flex-1 basis-44"
        name="workflow"
        hint={workflows?.isCut ? CUT : undefined}
        key={`workflows ${workflows?.items.length ?? ""}`}
        defaultValue={filters.workflow ?? ""}
        options={[
          { value: "", label: "Every workflow" },
          ...withChosen(optionsOf(workflows?.items ?? []), filters.workflow, "The chosen workflow"),
        ]}
      />
      {mayRead ? (
        <SelectField
          label="Started by"
          className="min-w-0 flex-1 basis-36"
          name="person"
          hint={people?.isCut ? CUT : undefined}
          key={`people ${people?.items.length ?? ""}`}
          defaultValue={filters.person ?? ""}
          options={[
            { value: "", label: "Everybody" },
            ...withChosen(
              [{ value: "operator", label: "The operator's key" }, ...optionsOf(people?.items ?? [])],
              filters.person,
              "The chosen person",
            ),
          ]}
        />
      ) : null}
      <InputField label="From day (UTC)" look="w-36" name="from" type="date" defaultValue={filters.from} />
      <InputField label="To day (UTC)" look="w-36" name="until" type="date" defaultValue={filters.until} />
      <Button type="submit" look="primary">
        Filter
      </Button>
    </form>
  );
}
