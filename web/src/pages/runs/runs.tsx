import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { Load } from "../../shell/states.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Empty, Page, Panel } from "../../ui/page.tsx";
import { RowList } from "../../ui/rows.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { RunRow } from "../home.tsx";
import { useOperation } from "../../api/operations.ts";

const SHOWS = [
  { value: "all", label: "All" },
  { value: "active", label: "Active" },
  { value: "waiting", label: "Waiting" },
  { value: "ended", label: "Ended" },
] as const;
const KINDS: Readonly<Record<string, readonly string[]>> = {
  active: ["queued", "running", "cancelling"],
  waiting: ["waiting"],
  ended: ["succeeded", "failed", "timed_out", "cancelled"],
};

/** Everything that ran or runs, newest first, live. */
export function RunsPage() {
  const runs = useOperation("list_runs", {});
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const show = SHOWS.find((item) => item.value === search.state)?.value ?? "all";
  return (
    <Page
      title="Runs"
      lead="Every run is pinned to the digest of what it runs, and each step is on disk before the next begins."
      actions={
        <Segmented
          label="Which runs"
          value={show}
          options={SHOWS}
          onChange={(next) =>
            void navigate({ to: "/runs", replace: true, search: next === "all" ? {} : { state: next } })
          }
        />
      }
    >
      <Panel flush>
        <Load query={runs}>
          {(data) => {
            const list = data.runs.filter((run) => show === "all" || KINDS[show]?.includes(run.status));
            if (list.length === 0) {
              return (
                <Empty
                  icon={<Activity />}
                  title={show === "all" ? "No runs yet" : "No run is in this state"}
                  action={
                    <Link to="/workflows" className={buttonClass()}>
                      Workflows
                    </Link>
                  }
                >
                  Private runs are listed when a key is in use.
                </Empty>
              );
            }
            return (
              <RowList>
                {list.map((run) => (
                  <RunRow key={run.id} run={run} />
                ))}
              </RowList>
            );
          }}
        </Load>
      </Panel>
    </Page>
  );
}
