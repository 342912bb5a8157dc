import { cursorOption, limitOption, recordId } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "../model.ts";

/** A small workflow, as a person writes it. */
const HEALTH_CHECK = `name: Health check
nodes:
  - id: health
    type: tool
    tool: get_health
edges: []`;

const workflowOrFile: ArgumentSpec = {
  name: "workflow",
  summary:
    "The id of a stored workflow (`latest` is the newest), a JSON or YAML file, or - for standard input.",
  kind: "file",
};
const documentFile: ArgumentSpec = {
  name: "file",
  summary: "A workflow document as JSON or YAML; - is standard input.",
  kind: "file",
};
const inputsOption: OptionSpec = {
  name: "inputs",
  value: "JSON",
  summary: "The inputs as a JSON object; - is standard input, @FILE a file.",
  kind: "file",
};

/** Commands about workflows and templates. */
export const workflowCommands: readonly CommandSpec[] = [
  {
    path: "workflows list",
    summary: "Stored workflows, newest first; without a key the published public ones.",
    access: "public",
    options: [limitOption, cursorOption],
    examples: [
      {
        id: "workflows-list",
        title: "The newest workflows",
        needs: ["service"],
        steps: [{ options: { limit: 10 } }],
      },
    ],
  },
  {
    path: "workflows get",
    summary: "One workflow: its state, steps and edges.",
    access: "public",
    args: [recordId("workflow")],
    examples: [
      {
        id: "workflows-get",
        title: "The newest workflow as YAML",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"], options: { yaml: true } }],
      },
    ],
  },
  {
    path: "workflows create",
    summary: "Store a new private draft.",
    access: "key",
    args: [documentFile],
    options: [
      { name: "name", value: "NAME", summary: "Its name, instead of the document's." },
      { name: "tag", value: "TAG", summary: "A word to find it by.", many: true },
    ],
    examples: [
      {
        id: "workflows-create",
        title: "Write a workflow and store it",
        needs: ["service", "key"],
        steps: [{ args: ["-"], stdin: HEALTH_CHECK }],
      },
    ],
  },
  {
    path: "workflows update",
    summary: "Change a stored workflow; what is left out stays.",
    about:
      "With a file the whole graph is replaced. The file's `revision`, or --revision, is the one you started from: if the workflow has changed since, nothing is written and the exit status is 5.",
    access: "key",
    args: [recordId("workflow"), { ...documentFile, optional: true }],
    options: [
      { name: "name", value: "NAME", summary: "A new name." },
      { name: "description", value: "TEXT", summary: "A new description." },
      { name: "tag", value: "TAG", summary: "All its tags, replacing the old ones.", many: true },
      {
        name: "status",
        value: "STATUS",
        summary: "Retire it, or bring it back.",
        choices: ["archived", "draft", "published"],
      },
      {
        name: "visibility",
        value: "WHO",
        summary: "Who sees it once it is published.",
        choices: ["private", "public"],
      },
      { name: "revision", value: "N", summary: "The revision that the change was made from." },
    ],
    examples: [
      {
        id: "workflows-update",
        title: "Describe the newest workflow",
        needs: ["service", "key", "workflow"],
        steps: [
          { args: ["latest"], options: { description: "Asks the service how it is.", tag: ["health"] } },
        ],
      },
    ],
  },
  {
    path: "workflows validate",
    summary: "Everything that is wrong with a workflow, and how to mend it.",
    access: "public",
    args: [workflowOrFile],
    examples: [
      {
        id: "workflows-validate",
        title: "Check a workflow before storing it",
        needs: ["service"],
        steps: [{ args: ["-"], stdin: HEALTH_CHECK }],
      },
    ],
  },
  {
    path: "workflows plan",
    summary: "What a run would do: steps, effects, approvals, worst-case time. Executes nothing.",
    access: "public",
    args: [workflowOrFile],
    examples: [
      {
        id: "workflows-plan",
        title: "The plan of the newest workflow",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "workflows dry-run",
    summary: "Run a workflow without changing anything, and show how values flow.",
    access: "public",
    args: [workflowOrFile],
    options: [inputsOption],
    examples: [
      {
        id: "workflows-dry-run",
        title: "Try a workflow that is not stored yet",
        needs: ["service"],
        steps: [{ args: ["-"], stdin: HEALTH_CHECK }],
      },
    ],
  },
  {
    path: "workflows run",
    summary: "Start a durable run.",
    access: "key",
    args: [recordId("workflow")],
    options: [
      inputsOption,
      { name: "watch", short: "w", summary: "Follow the run until it ends; the exit status is its outcome." },
      {
        name: "idempotency-key",
        value: "KEY",
        summary: "The same key gives the run that was already started.",
      },
    ],
    examples: [
      {
        id: "workflows-run",
        title: "Start the newest workflow and follow it",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"], options: { watch: true } }],
      },
    ],
  },
  {
    path: "workflows publish",
    summary: "Make the draft an immutable version; who sees it stays as it is.",
    access: "key",
    args: [recordId("workflow")],
    examples: [
      {
        id: "workflows-publish",
        title: "Publish the newest workflow",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "workflows visibility",
    summary: "Show what strangers see of a workflow once it is public, or make it public or private.",
    access: "key",
    args: [recordId("workflow")],
    options: [
      {
        name: "set",
        value: "WHO",
        summary: "Who sees it; without it nothing is changed.",
        choices: ["private", "public"],
      },
    ],
    examples: [
      {
        id: "workflows-visibility",
        title: "See what would be public of the newest workflow",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"] }],
      },
    ],
  },
  {
    path: "workflows export",
    summary: "Print a workflow's document, to keep it in version control or take it elsewhere.",
    access: "public",
    args: [recordId("workflow")],
    options: [
      {
        name: "format",
        value: "FORMAT",
        summary: "What to write; json when left out.",
        choices: ["json", "yaml", "arazzo", "serverless", "mermaid"],
      },
    ],
    examples: [
      {
        id: "workflows-export",
        title: "Save the newest workflow as YAML",
        needs: ["service", "key", "workflow"],
        steps: [{ args: ["latest"], options: { format: "yaml" }, into: "workflow.yaml" }],
      },
    ],
  },
  {
    path: "workflows import",
    summary:
      "Store a document of this service, Arazzo, Serverless Workflow, n8n, Postman, HAR or curl as a new private draft.",
    access: "key",
    args: [documentFile],
    options: [
      { name: "name", value: "NAME", summary: "Its name, instead of the document's." },
      { name: "connect", summary: "Add the connections that it calls (scope admin)." },
      {
        name: "private",
        summary:
          "With --connect: allow exactly the host and port of each address, although they are private.",
      },
    ],
    examples: [
      {
        id: "workflows-import",
        title: "Copy a workflow",
        needs: ["service", "key", "workflow"],
        steps: [
          { path: "workflows export", args: ["latest"], into: "workflow.json" },
          { args: ["workflow.json"], options: { name: "Copy" } },
        ],
      },
    ],
  },
  {
    path: "workflows diff",
    summary: "What differs between two workflows; exit status 1 when something does.",
    access: "public",
    args: [
      { ...workflowOrFile, name: "before" },
      { ...workflowOrFile, name: "after" },
    ],
    examples: [
      {
        id: "workflows-diff",
        title: "Compare a file with what is stored",
        needs: ["service", "key", "workflow"],
        steps: [
          { path: "workflows export", args: ["latest"], into: "workflow.json" },
          { args: ["workflow.json", "latest"] },
        ],
      },
    ],
  },
  {
    path: "templates list",
    summary: "Ready-made workflows.",
    access: "public",
    options: [limitOption, cursorOption],
    examples: [{ id: "templates-list", title: "All templates", needs: ["service"], steps: [{}] }],
  },
  {
    path: "templates show",
    summary: "One template with its document and inputs to try it with.",
    access: "public",
    args: [{ name: "id", summary: "The id of the template." }],
    examples: [
      {
        id: "templates-show",
        title: "What a template does",
        needs: ["service"],
        steps: [{ args: ["form-intake-approval"] }],
      },
    ],
  },
  {
    path: "templates use",
    summary: "Store a new private draft made from a template.",
    access: "key",
    args: [{ name: "id", summary: "The id of the template." }],
    options: [
      { name: "name", value: "NAME", summary: "The name of the new workflow." },
      { name: "owner", value: "WHO", summary: "Who looks after it." },
    ],
    examples: [
      {
        id: "templates-use",
        title: "Make a workflow from a template",
        needs: ["service", "key"],
        steps: [{ args: ["discovery-audit"], options: { name: "Weekly audit" } }],
      },
    ],
  },
];
