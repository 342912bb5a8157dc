import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePages } from "../../api/operations.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { Calendar } from "./calendar.tsx";
import { NewTriggerButton, TriggerList } from "./trigger-list.tsx";

/** Everything that starts workflows by itself, as a list or as a calendar of what is due. */
export function TriggersPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = search.view === "calendar" ? "calendar" : "list";
  const triggers = usePages("list_triggers", {}, ({ triggers: list }) => list);
  return (
    <Page
      title="Triggers"
      lead="What starts workflows by itself: schedules, webhooks, form pages and events."
      actions={
        <>
          <Segmented
            label="View"
            value={view}
            options={[
              { value: "list", label: "List" },
              { value: "calendar", label: "Calendar" },
            ]}
            onChange={(next) =>
              void navigate({
                to: "/triggers",
                replace: true,
                search: next === "calendar" ? { view: next } : {},
              })
            }
          />
          <NewTriggerButton />
        </>
      }
    >
      {view === "calendar" ? (
        <Calendar />
      ) : (
        <Panel flush>
          <Load query={triggers}>{(list) => <TriggerList triggers={list} ofSeveral />}</Load>
          {triggers.more === null ? null : (
            <div className="p-3 text-center">
              <Button busy={triggers.isFetching} onClick={triggers.more}>
                Show more
              </Button>
            </div>
          )}
        </Panel>
      )}
    </Page>
  );
}
