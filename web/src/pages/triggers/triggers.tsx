import { useNavigate, useSearch } from "@tanstack/react-router";
import { useOperation } from "../../api/operations.ts";
import { Load } from "../../shell/states.tsx";
import { Page, Panel } from "../../ui/page.tsx";
import { Segmented } from "@workflow-ui/forms-react/ui/segmented.tsx";
import { Calendar } from "./calendar.tsx";
import { NewTriggerButton, TriggerList } from "./trigger-list.tsx";

/** The names of the workflows that the caller sees. */
function useWorkflowNames(): (id: string) => string {
  const { data } = useOperation("list_workflows", { limit: 100 });
  return (id) => data?.workflows.find((workflow) => workflow.id === id)?.name ?? id;
}

/** Everything that starts workflows by itself, as a list or as a calendar of what is due. */
export function TriggersPage() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const view = search.view === "calendar" ? "calendar" : "list";
  const triggers = useOperation("list_triggers", { limit: 100 }, { enabled: view === "list" });
  const workflowName = useWorkflowNames();
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
        <Calendar workflowName={workflowName} />
      ) : (
        <Panel flush>
          <Load query={triggers}>
            {(data) => <TriggerList triggers={data.triggers} workflowName={workflowName} />}
          </Load>
        </Panel>
      )}
    </Page>
  );
}
