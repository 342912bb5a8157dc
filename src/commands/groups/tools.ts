import type { CommandSpec, OptionSpec } from "../model.ts";

const RELEASE_SCHEMA =
  '{"type":"object","properties":{"targetUrl":{"type":"string","format":"uri"},"dryRun":{"type":"boolean","default":true}},"required":["targetUrl"]}';

const sourceOptions: readonly OptionSpec[] = [
  {
    name: "schema",
    value: "FILE",
    summary: "A JSON Schema file instead of a tool; - is standard input.",
    kind: "file",
  },
  {
    name: "companion",
    value: "FILE",
    summary: "A document that the schema refers to, by its $id or its file name; may be given several times.",
    kind: "file",
    many: true,
  },
  {
    name: "hints",
    value: "FILE",
    summary:
      "How the form of the schema should look: hints by JSON Pointer, a uiSchema of react-jsonschema-form or a UI schema of JSON Forms.",
    kind: "file",
  },
  {
    name: "operation",
    value: "ID",
    summary: "An OpenAPI operation instead of a tool: its operationId, or METHOD /path.",
  },
  { name: "event", value: "NAME", summary: "The payload of an event instead of a tool." },
  {
    name: "service",
    value: "URL",
    summary: "The service that has the operation or event; this one when left out.",
  },
];

const toolArgument = {
  name: "tool",
  summary: "A tool of this service, or server:name of a synced one.",
  kind: "tool",
} as const;

/** Commands about tools and forms. */
export const toolCommands: readonly CommandSpec[] = [
  {
    path: "tools list",
    summary: "The tools of the service.",
    access: "public",
    options: [
      { name: "search", value: "TEXT", summary: "Only tools whose name or description contains the text." },
      { name: "protected", summary: "Only tools that need a key." },
      { name: "public", summary: "Only tools that need none." },
    ],
    examples: [
      { id: "tools-list", title: "All tools", needs: ["service"], steps: [{}] },
      {
        id: "tools-list-search",
        title: "The names of the workflow tools, one a line",
        needs: ["service"],
        steps: [{ options: { search: "workflow", quiet: true } }],
      },
    ],
  },
  {
    path: "tools show",
    summary: "One tool: what it does, its parameters and what it gives back.",
    access: "public",
    args: [toolArgument],
    examples: [
      {
        id: "tools-show",
        title: "What a tool takes",
        needs: ["service"],
        steps: [{ args: ["plan_workflow"] }],
      },
    ],
  },
  {
    path: "tools call",
    summary: "Call a tool.",
    about:
      "Arguments come as one JSON object (--args), or one by one (--arg name=value, read by the tool's own schema). Keep secrets off the command line: --args - reads standard input, --args @FILE a file.",
    access: "public",
    args: [toolArgument],
    options: [
      {
        name: "args",
        value: "JSON",
        summary: "The arguments as a JSON object; - is standard input, @FILE a file.",
        kind: "file",
      },
      { name: "arg", short: "a", value: "NAME=VALUE", summary: "One argument.", many: true },
      { name: "meta", value: "JSON", summary: 'Extras for _meta, such as {"svc/idempotencyKey": "…"}.' },
    ],
    examples: [
      {
        id: "tools-call",
        title: "Call a tool without arguments",
        needs: ["service"],
        steps: [{ args: ["get_health"] }],
      },
      {
        id: "tools-call-arg",
        title: "Give the arguments one by one",
        needs: ["service"],
        steps: [{ args: ["list_templates"], options: { arg: ["limit=3"] } }],
      },
      {
        id: "tools-call-args",
        title: "Give the arguments as JSON",
        needs: ["service"],
        steps: [{ args: ["test_mcp_tool"], options: { args: '{"name":"run_workflow"}', json: true } }],
      },
      {
        id: "tools-call-stdin",
        title: "Give the arguments on standard input",
        needs: ["service", "key"],
        steps: [
          {
            args: ["save_artifact"],
            options: { args: "-" },
            stdin: '{"artifact":{"title":"Release notes","type":"note"}}',
          },
        ],
      },
    ],
  },
  {
    path: "form show",
    summary: "The form of a tool, an operation, an event or a schema, as an outline of its fields.",
    access: "public",
    args: [{ ...toolArgument, optional: true }],
    options: sourceOptions,
    examples: [
      {
        id: "form-show",
        title: "The fields of a tool",
        needs: ["service"],
        steps: [{ args: ["create_workflow"] }],
      },
      {
        id: "form-show-operation",
        title: "The fields of an API operation",
        needs: ["service"],
        steps: [{ options: { operation: "GET /api/svc/runs" } }],
      },
      {
        id: "form-show-schema",
        title: "The fields of a JSON Schema",
        needs: [],
        steps: [{ options: { schema: "-" }, stdin: RELEASE_SCHEMA }],
      },
    ],
  },
  {
    path: "form fill",
    summary: "Fill in a form in the terminal, see what would be sent, and send it.",
    about:
      "Asks field by field, shows what is wrong right there, and hides secrets. Nothing is sent before you agree. For a schema the finished value is printed. Without a terminal, or with --value, the value comes as JSON and is checked the same way. At a question: :json edits the part in $VISUAL or $EDITOR, :null gives null, :skip leaves it out, :help explains, Ctrl-C ends without sending.",
    access: "public",
    args: [{ ...toolArgument, optional: true }],
    options: [
      ...sourceOptions,
      {
        name: "value",
        value: "JSON",
        summary: "The value as JSON; - is standard input, @FILE a file. Asks nothing.",
        kind: "file",
      },
      { name: "print", summary: "Print the value and send nothing." },
      { name: "yes", short: "y", summary: "Send without asking." },
    ],
    examples: [
      {
        id: "form-fill",
        title: "Fill in a tool's form and call it",
        needs: ["service", "terminal"],
        steps: [{ args: ["create_local_artifact"] }],
      },
      {
        id: "form-fill-value",
        title: "The same from a script",
        needs: ["service"],
        steps: [
          {
            args: ["create_local_artifact"],
            options: { value: "-", yes: true },
            stdin: '{"title":"Release notes"}',
          },
        ],
      },
      {
        id: "form-fill-schema",
        title: "Make a value that fits a schema",
        needs: ["terminal"],
        steps: [{ options: { schema: "schema.json" }, into: "value.json" }],
      },
    ],
  },
  {
    path: "forms render",
    summary: "The whole form document (svc.form.v1), for a renderer of your own.",
    access: "public",
    args: [{ ...toolArgument, optional: true }],
    options: sourceOptions,
    examples: [
      {
        id: "forms-render",
        title: "Save the form document of a tool",
        needs: ["service"],
        steps: [{ args: ["run_workflow"], into: "form.json" }],
      },
      {
        id: "forms-render-schema",
        title: "The form document of a schema, without a service",
        needs: [],
        steps: [{ options: { schema: "-" }, stdin: RELEASE_SCHEMA }],
      },
    ],
  },
  {
    path: "forms validate",
    summary: "Check a value against a tool's parameters, an operation, an event or a schema.",
    about:
      "Checks everything the schema says and lists all problems with their JSON Pointers. Sends the value nowhere.",
    access: "public",
    args: [{ ...toolArgument, optional: true }],
    options: [
      ...sourceOptions,
      {
        name: "value",
        value: "JSON",
        summary: "The value; - (also without this option) is standard input, @FILE a file.",
        kind: "file",
      },
    ],
    examples: [
      {
        id: "forms-validate",
        title: "Check arguments before calling a tool",
        needs: ["service"],
        steps: [{ args: ["list_templates"], options: { value: "-" }, stdin: '{"limit":10}' }],
      },
    ],
  },
];
