import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, Waypoints } from "lucide-react";
import { useState } from "react";
import { useWorkflows } from "../../api/names.ts";
import { call, queryClient } from "../../api/operations.ts";
import { toFragment } from "../../lib/fragment.ts";
import { toast } from "../../shell/notices.ts";
import { Load } from "../../shell/states.tsx";
import { Button } from "@workflow-ui/forms-react/ui/button.tsx";
import { ButtonFor } from "../../ui/button-for.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { connect, freeId, type DraftNode, type Graph } from "../../workflow/document/model.ts";
import { graphCall } from "../../workflow/use-verdict.ts";
import { graphOf } from "../../workflow/document/read-graph.ts";
import { objectAt } from "../../lib/read.ts";
import { errorText } from "../../lib/error-text.ts";

interface NewStep {
  readonly tool: string;
  readonly title: string;
  readonly with: unknown;
}

/** Makes a step of a filled form: in a new workflow, or after the last steps of one that is there. */
export function AddToWorkflow({ step }: { readonly step: () => NewStep }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ButtonFor op="create_workflow" onClick={() => setOpen(true)}>
        <Waypoints /> Add to a workflow
      </ButtonFor>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Add to a workflow"
        description="The step gets the values of the form, without secrets."
      >
        {open ? <Choice step={step} /> : null}
      </Dialog>
    </>
  );
}

function Choice({ step }: { readonly step: () => NewStep }) {
  const navigate = useNavigate();
  const workflows = useWorkflows();
  const { mutate: add, isPending: busy } = useMutation({
    mutationFn: ({ id }: { readonly id: string; readonly name: string }) => addStep(id, step()),
    onSuccess: (_, { id, name }) => {
      toast("good", `Added to ${name}`);
      return navigate({ to: "/workflows/$id", params: { id } });
    },
    onError: (error) => toast("bad", "Not added", errorText(error)),
  });
  return (
    <div className="space-y-3">
      <Button
        look="primary"
        onClick={() =>
          void navigate({
            to: "/workflows/$id",
            params: { id: "new" },
            hash: toFragment("step", JSON.stringify(step())).slice(1),
          })
        }
      >
        <Plus /> New workflow
      </Button>
      <Load query={workflows}>
        {({ items }) =>
          items.length === 0 ? null : (
            <ul aria-label="Workflows" className="divide-y divide-line rounded-xl border border-line">
              {items.map((workflow) => {
                const id = workflow.id;
                const name = workflow.name ?? id;
                return (
                  <li key={id}>
                    <Button
                      look="ghost"
                      className="w-full justify-start text-left break-words"
                      disabled={busy}
                      onClick={() => add({ id, name })}
                    >
                      {name}
                    </Button>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Load>
    </div>
  );
}

async function addStep(id: string, { tool, title, with: values }: NewStep): Promise<void> {
  const record = (await call("get_workflow", { id }, { interactive: true })).workflow;
  const graph = graphOf(record);
  const node: DraftNode = {
    id: freeId(graph, tool),
    type: "tool",
    title: title.slice(0, 200),
    tool,
    with: objectAt(values),
  };
  const before = new Set(graph.edges.map((edge) => edge.from));
  const last = graph.nodes.map((each) => each.id).filter((each) => !before.has(each));
  const added = { ...graph, nodes: [...graph.nodes, node] };
  const next = last.reduce<Graph>((now, from) => connect(now, from, node.id), added);
  const { args, meta } = graphCall(next);
  await call(
    "update_workflow",
    { id, ...args },
    { meta: { ...meta, "svc/expectedRevision": record.revision }, interactive: true },
  );
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === "list_workflows" || queryKey[0] === "get_workflow",
  });
}
