import { Type } from "typebox";
import { toolList, type Tool } from "../ports/operations.ts";
import { runListItem, runView } from "../runs/views.ts";
import { checkMayChange } from "../approvals/access-level.ts";
import { inputOf } from "../model/common.ts";
import { RunDetail, RunView } from "../model/runs.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

/** A run that ends quickly is given back ended; a longer one goes on by itself. */
const BRIEF_WAIT_MS = 1_500;

const runOutput = Type.Object({ run: RunDetail });

defineTool({
  name: "run_workflow",
  task: "own",
  title: "Run a workflow",
  description:
    'Starts a durable run of a workflow: its newest published version, or the draft when nothing is published. The run is on disk before the answer comes; it survives restarts and acts with the rights of this key. Waits briefly: `status` says truthfully whether it has succeeded, failed, waits for a person or still runs. The same `_meta["svc/idempotencyKey"]` gives the run that was already started. Follow it with get_workflow_run; decide its approvals with approve_step and reject_step.',
  input: inputOf({
    id: Type.String({ description: "The id of the workflow, as list_workflows shows it." }),
    inputs: Type.Optional(jsonObject("The run's inputs; they must fit the workflow's `inputs` schema.")),
  }),
  output: runOutput,
  access: "run",
  // A workflow may hold destructive steps, so starting one counts as if it did.
  effect: "destructive",
  idempotent: false,
  openWorld: true,
  async run({ id, inputs }, { context }) {
    const { services, caller, trace, meta } = context;
    const key = meta["svc/idempotencyKey"];
    const started = await services.engine.start({
      workflowId: id,
      inputs: inputs ?? {},
      caller,
      trace,
      ...(typeof key === "string" && { idempotencyKey: key }),
    });
    const run = await services.engine.waitFor(started.id, BRIEF_WAIT_MS, "waiting");
    return { run: await runView(services, run, caller) };
  },
});

defineTool({
  name: "get_workflow_run",
  title: "Get a workflow run",
  description:
    "Reads one run. Without a key: the state and step progress of a public run, never its inputs, outputs or notes. With a key: values, errors, every try and the approvals it waits for; secrets and what the workflow marks as redacted stay hidden unless the key may read private records.",
  input: inputOf({ id: Type.String({ description: "The id of the run, as run_workflow gave it." }) }),
  output: runOutput,
  access: "public",
  effect: "none",
  quick: true,
  run: async ({ id }, { services, caller }) => ({ run: await runView(services, id, caller) }),
});

defineTool({
  name: "cancel_workflow_run",
  title: "Cancel a workflow run",
  description:
    "Stops a run: steps that have not begun never will, running ones are signalled to stop, pending approvals are withdrawn, runs it started are cancelled too. Effects that have happened are not undone. Answers with the state reached: `cancelling` until running steps have ended, then `cancelled`. A run that has ended already is a conflict.",
  input: inputOf({ id: Type.String({ description: "The id of the run to stop." }) }),
  output: Type.Object({ run: RunView }),
  access: "run",
  effect: "write",
  idempotent: false,
  async run({ id }, { services, caller }) {
    await checkMayChange(services, id, caller);
    const run = await services.engine.cancel(id, caller);
    return { run: await runListItem(services, run, caller) };
  },
});

/** The tools of this domain. */
export const runsTools: readonly Tool[] = declared;
