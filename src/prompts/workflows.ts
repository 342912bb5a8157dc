import type { Prompt } from "../ports/definitions.ts";
import { argument, embedCall, embedResource, embedToolNames, taskPrompt } from "./compose.ts";

const DOCUMENT_FORM =
  'A node has `id`, `type` (tool, approval, switch, map, transform, wait, handoff, subworkflow), `tool` and `with`; a value from elsewhere is `{"$ref": "inputs.name"}` or `{"$ref": "steps.id.outputs.data.field"}`, an expression `{"$expr": "CEL"}`. An edge has `from`, `to` and a `port` (success, error, approved, rejected, expired, case:x, default). The graph is acyclic; loops are `map` nodes.';

/** Prompts about workflows and templates. */
export const workflowsPrompts: readonly Prompt[] = [
  taskPrompt({
    name: "design_workflow",
    title: "Design a workflow from a goal",
    description:
      "Designs a workflow that reaches a stated goal with the tools at hand, validates and plans it, and stops before anything is saved or run.",
    arguments: [
      argument("goal", "What the workflow must achieve, in a sentence or two.", true),
      argument("constraints", "Limits: who must approve, what must not happen, time, budget."),
    ],
    ask: "Design a workflow for this service that reaches the goal.",
    steps: [
      "Say the goal back as inputs, outputs and what would count as done. Look first whether a template below already does it.",
      `Draw the graph with as few nodes as reach the goal. ${DOCUMENT_FORM}`,
      "Put an approval before whatever writes, sends, publishes or deletes; add an error path where a failure must not pass silently.",
      "Call `validate_workflow` with nodes and edges; fix every problem it lists and validate again until it is clean.",
      "Call `plan_workflow` and read out its effects, approvals and protected steps; then `dry_run_workflow` with example inputs.",
      "Stop there. Saving with `create_workflow` is protected and the person's decision.",
    ],
    answer: [
      "The graph in words, one line a step.",
      "`nodes` and `edges` as JSON that validated.",
      "What it will change in the world, who approves what, and the worst case.",
      "What you could not express, if anything.",
    ],
    embed: async (args, context) => [
      await embedResource(context, "svc://templates"),
      embedToolNames(context, () => true),
    ],
  }),
  taskPrompt({
    name: "choose_template",
    title: "Choose a template",
    description:
      "Compares the workflow templates with a need, picks the best start or says that none fits, and lists what must be adapted.",
    arguments: [argument("need", "What the workflow is needed for.", true)],
    ask: "Choose the template that saves the most work for this need, or say honestly that none does.",
    steps: [
      "Rank the templates below by how much of the need they cover; read the best two with `get_template`.",
      "For the best one list the inputs it wants, the services of the suite and keys it depends on, and which steps must change.",
      "Check with `get_integration_status` that the services of the suite it needs are configured.",
      "Describe `instantiate_template` with its arguments, but leave calling it to the person: it needs a key.",
    ],
    answer: [
      "The choice and the runner-up, each with a reason.",
      "What must be adapted, step by step.",
      "What is missing to run it today.",
    ],
    embed: async (args, context) => [await embedCall(context, "list_templates", {})],
  }),
  taskPrompt({
    name: "review_workflow",
    title: "Review a workflow",
    description:
      "Reviews a stored workflow like a careful colleague: correctness, error paths, approvals, secrets, and what will be a surprise later.",
    arguments: [
      argument("workflowId", "The workflow's id.", true),
      argument("focus", "What to look at most, for example security or cost."),
    ],
    ask: "Review this workflow before other people rely on it.",
    steps: [
      "Follow the data from inputs to outputs: is each reference surely upstream, does each type fit?",
      "Follow the failures: what happens when each step fails, times out or is rejected?",
      "Look for writes with retries but no idempotency key, destructive steps without approval, and literals that look like secrets.",
      "Compare your findings with the validation below; it sees structure, you see intent.",
    ],
    answer: [
      "Findings by severity, each with node id or JSON Pointer, why it matters and the smallest fix.",
      "What is good and should stay.",
      "Verdict: ready, ready after fixes, or rethink.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://workflow/${args["workflowId"] ?? ""}`),
      await embedCall(context, "validate_workflow", { id: args["workflowId"] ?? "" }),
    ],
  }),
  taskPrompt({
    name: "review_plan_risk",
    title: "Review a plan for risk",
    description:
      "Reads a workflow's plan and assesses what could go wrong when it runs: effects, protected steps, approvals, waiting times, unresolved values.",
    arguments: [argument("workflowId", "The workflow whose plan is assessed.", true)],
    ask: "Assess the risk of running this workflow as planned.",
    steps: [
      "Sort the planned steps by effect: none, write, destructive, external.",
      "For each step that is not `none`: what is the worst it can do, can it be undone, who approves it, what happens if it runs twice?",
      "Look at unresolved values: which decide something important and are known only at run time?",
      "Check the worst-case time against the approvals' expiry.",
    ],
    answer: [
      "A risk table: step, what can go wrong, likelihood, damage, guard that is there, guard that is missing.",
      "The plan's digest, so that the judgement is tied to this very plan.",
      "Recommendation: run, run after changes, do not run.",
    ],
    embed: async (args, context) => [
      await embedCall(context, "plan_workflow", { id: args["workflowId"] ?? "" }),
    ],
  }),
  taskPrompt({
    name: "walk_through_dry_run",
    title: "Walk through a dry run",
    description:
      "Dry-runs a workflow with given inputs and tells step by step what would have happened, without changing anything.",
    arguments: [
      argument("workflowId", "The workflow to dry-run.", true),
      argument("inputs", "Inputs as JSON text; example values when left out."),
    ],
    ask: "Walk a person through a dry run of this workflow.",
    steps: [
      "Choose inputs: those given, or small realistic ones that fit the workflow's input schema.",
      "Call `dry_run_workflow` with the id and these inputs.",
      "Tell the run as a story: each step, what went in, what came out, which values were recorded and which were made up from a schema.",
      "Point to the steps that a dry run blocks, and what would happen there for real.",
    ],
    answer: [
      "The story, one line a step.",
      "What the dry run cannot show.",
      "What to check before a real run.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://workflow/${args["workflowId"] ?? ""}`),
      await embedCall(context, "plan_workflow", { id: args["workflowId"] ?? "" }),
    ],
  }),
  taskPrompt({
    name: "compare_workflows",
    title: "Compare two workflows",
    description:
      "Compares two workflows, or two versions kept as separate workflows, and explains what changed in behaviour rather than in text.",
    arguments: [
      argument("leftId", "The workflow to compare from.", true),
      argument("rightId", "The workflow to compare to.", true),
    ],
    ask: "Explain how the second workflow behaves differently from the first.",
    steps: [
      "Match nodes by id, then by type and tool. Name what was added, removed, renamed or rewired.",
      "For each difference say what changes for a person who runs it: data, effects, approvals, failure paths, time.",
      "Ignore positions and order that carry no meaning.",
      "If only one of the two can be read, describe that one and say that the comparison is not possible.",
    ],
    answer: [
      "Differences in behaviour, most important first.",
      "Differences that do not matter.",
      "Whether runs of the first can be trusted to behave alike in the second.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://workflow/${args["leftId"] ?? ""}`),
      await embedResource(context, `svc://workflow/${args["rightId"] ?? ""}`),
    ],
  }),
  taskPrompt({
    name: "document_workflow",
    title: "Document a workflow",
    description:
      "Writes the page a colleague needs to operate a workflow: purpose, inputs, steps, approvals, failures and what to do then.",
    arguments: [
      argument("workflowId", "The workflow to document.", true),
      argument("audience", "Who reads it, for example support staff or auditors."),
    ],
    ask: "Write the operating page of this workflow.",
    steps: [
      "Begin with what it is for and when not to use it.",
      "Describe inputs with an example each, then the steps in the order they run, in the reader's words.",
      "For each approval: who decides, on what grounds, what happens on rejection and on expiry.",
      "For each way it can fail: how it shows, and what the operator does.",
    ],
    answer: [
      "A Markdown page of at most two screens.",
      "A list of facts you could not find in the document.",
    ],
    embed: async (args, context) => [
      await embedResource(context, `svc://workflow/${args["workflowId"] ?? ""}`),
    ],
  }),
];
