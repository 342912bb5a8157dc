import { example, group, option } from "../spec.ts";
import { toolArgument } from "./tools.ts";

/*
 * What these commands do is in `../form/`: it needs the form compiler, which no other command loads.
 */

const RELEASE_SCHEMA =
  '{"type":"object","properties":{"targetUrl":{"type":"string","format":"uri"},"dryRun":{"type":"boolean","default":true}},"required":["targetUrl"]}';
const optionalTool = { ...toolArgument, optional: true };
const sourceOptions = [
  option("--schema <FILE>", "A JSON Schema file instead of a tool; - is standard input.", {
    kind: "file",
  }),
  option(
    "--companion <FILE...>",
    "A document that the schema refers to, by its $id or its file name; may be given several times.",
    { kind: "file" },
  ),
  option(
    "--hints <FILE>",
    "How the form of the schema should look: hints by JSON Pointer, a uiSchema of react-jsonschema-form or a UI schema of JSON Forms.",
    { kind: "file" },
  ),
  option("--operation <ID>", "An OpenAPI operation instead of a tool: its operationId, or METHOD /path."),
  option("--event <NAME>", "The payload of an event instead of a tool."),
  option("--service <URL>", "The service that has the operation or event; this one when left out."),
];

/** Forms: looked at and filled in. */
export const form = group("form", {
  show: {
    summary: "The form of a tool, an operation, an event or a schema, as an outline of its fields.",
    access: "public",
    args: [optionalTool],
    options: sourceOptions,
    examples: [
      example("The fields of a tool", "create_workflow"),
      example("The fields of an API operation", "--operation 'GET /api/svc/runs'", [], {
        id: "form-show-operation",
      }),
      example("The fields of a JSON Schema", "--schema -", [], {
        id: "form-show-schema",
        access: "offline",
        stdin: RELEASE_SCHEMA,
      }),
    ],
    run: async (cli) => (await import("../form/run.ts")).showForm(cli),
  },
  fill: {
    summary: "Fill in a form in the terminal, see what would be sent, and send it.",
    about:
      "Asks field by field, shows what is wrong right there, and hides secrets. Nothing is sent before you agree. For a schema the finished value is printed. Without a terminal, or with --value, the value comes as JSON and is checked the same way. At a question: :json edits the part in $VISUAL or $EDITOR, :null gives null, :skip leaves it out, :help explains, Ctrl-C ends without sending.",
    access: "public",
    args: [optionalTool],
    options: [
      ...sourceOptions,
      option("--value <JSON>", "The value as JSON; - is standard input, @FILE a file. Asks nothing.", {
        kind: "file",
      }),
      option("--print", "Print the value and send nothing."),
      option("-y, --yes", "Send without asking."),
    ],
    examples: [
      example("Fill in a tool's form and call it", "create_local_artifact", ["terminal"]),
      example("The same from a script", "create_local_artifact --value - --yes", [], {
        id: "form-fill-value",
        stdin: '{"title":"Release notes"}',
      }),
      example("Make a value that fits a schema", "--schema schema.json > value.json", ["terminal"], {
        id: "form-fill-schema",
        access: "offline",
      }),
    ],
    run: async (cli) => (await import("../form/run.ts")).fillForm(cli),
  },
});

/** Form documents, and checking values against them. */
export const forms = group("forms", {
  render: {
    summary: "The whole form document (svc.form.v1), for a renderer of your own.",
    access: "public",
    args: [optionalTool],
    options: sourceOptions,
    examples: [
      example("Save the form document of a tool", "run_workflow > form.json"),
      example("The form document of a schema, without a service", "--schema -", [], {
        id: "forms-render-schema",
        access: "offline",
        stdin: RELEASE_SCHEMA,
      }),
    ],
    run: async (cli) => (await import("../form/run.ts")).renderForm(cli),
  },
  validate: {
    summary: "Check a value against a tool's parameters, an operation, an event or a schema.",
    about:
      "Checks everything the schema says and lists all problems with their JSON Pointers. Sends the value nowhere.",
    access: "public",
    args: [optionalTool],
    options: [
      ...sourceOptions,
      option("--value <JSON>", "The value; - (also without this option) is standard input, @FILE a file.", {
        kind: "file",
      }),
    ],
    examples: [
      example("Check arguments before calling a tool", "list_templates --value -", [], {
        stdin: '{"limit":10}',
      }),
    ],
    run: async (cli) => (await import("../form/run.ts")).validateValue(cli),
  },
});
