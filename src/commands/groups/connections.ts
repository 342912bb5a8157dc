import type { ArgumentSpec, CommandSpec, OptionSpec } from "../model.ts";

const nameArgument: ArgumentSpec = { name: "name", summary: "The connection.", kind: "connection" };
const definitionArgument: ArgumentSpec = { name: "definition", summary: "The tool or operation." };
const allowPrivate: OptionSpec = {
  name: "private",
  summary: "Allow exactly the host and port of its address, although they are private.",
};

/** Commands about connections: servers and APIs that people bring. */
export const connectionCommands: readonly CommandSpec[] = [
  {
    path: "call",
    summary: "Call a connected tool or operation.",
    about:
      "Fields are options by their names: --name value, or --body.name value where a name occurs in several groups. suitectl connections fields connection:name lists them with types. Values are read by the definition's schema. --args gives them as one JSON object; - is standard input, @FILE a file.",
    access: "key",
    args: [{ name: "tool", summary: "connection:name of the tool.", kind: "connected" }],
    options: [
      {
        name: "args",
        value: "JSON",
        summary: "The arguments as a JSON object; - is standard input, @FILE a file.",
        kind: "file",
      },
      { name: "preview", summary: "Show the request and send nothing." },
      {
        name: "idempotency-key",
        value: "TEXT",
        summary: "What makes a repeated call harmless, where the server supports it.",
      },
    ],
    fields: true,
    examples: [
      {
        id: "call-preview",
        title: "What would be sent",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample:notify"], options: { args: '{"body":{"text":"Hello"}}', preview: true } }],
      },
    ],
  },
  {
    path: "connections list",
    summary: "Every connection with its health.",
    access: "key",
    examples: [{ id: "connections-list", title: "All connections", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "connections tools",
    summary: "Search the connected tools and operations.",
    access: "key",
    options: [
      {
        name: "search",
        value: "TEXT",
        summary: "Only those whose name, title or description has all words.",
      },
      { name: "limit", value: "N", summary: "At most N results, 1 to 100." },
    ],
    examples: [
      {
        id: "connections-tools",
        title: "The names of the first tools, one a line",
        needs: ["service", "key"],
        steps: [{ options: { quiet: true } }],
      },
    ],
  },
  {
    path: "connections fields",
    summary: "The fields of a connected tool, with types and which are required.",
    access: "key",
    args: [{ name: "tool", summary: "connection:name of the tool.", kind: "connected" }],
    examples: [
      {
        id: "connections-fields",
        title: "What a call takes",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample:notify"] }],
      },
    ],
  },
  {
    path: "connections probe",
    summary: "Look at an address and say what it is.",
    access: "key",
    args: [{ name: "address", summary: "The address of an API, its description or an MCP server." }],
    options: [allowPrivate],
    examples: [],
  },
  {
    path: "connections add",
    summary: "Add an MCP server, an API or own requests under a short name.",
    access: "key",
    args: [{ name: "name", summary: "A short name: lower-case letters, digits and hyphens." }],
    options: [
      {
        name: "kind",
        value: "KIND",
        summary: "What it is; probed when left out.",
        choices: ["mcp", "openapi", "http"],
      },
      {
        name: "address",
        value: "URL",
        summary: "The MCP endpoint, the API description, or the base address of own requests.",
      },
      {
        name: "document",
        value: "FILE",
        summary: "The API description or the requests; - is standard input.",
        kind: "file",
      },
      {
        name: "command",
        value: "PROGRAM",
        summary: "The program of an MCP server on the service's machine.",
      },
      { name: "command-arg", value: "TEXT", summary: "One argument of the program.", many: true },
      {
        name: "env",
        value: "NAME",
        summary: "A variable for the program: NAME from this environment, or NAME=CREDENTIAL from the vault.",
        many: true,
      },
      { name: "base-url", value: "URL", summary: "Where calls go instead of what the description says." },
      { name: "title", value: "TEXT", summary: "What people call it." },
      { name: "credential", value: "NAME", summary: "The credential that calls use.", kind: "credential" },
      { name: "another", summary: "Add it although a connection leads to the same address." },
      allowPrivate,
    ],
    examples: [
      {
        id: "connections-add",
        title: "Own requests from standard input",
        needs: ["service", "key"],
        steps: [
          {
            args: ["hooks"],
            options: { kind: "http", address: "https://hooks.example.com", document: "-" },
            stdin:
              '{"requests":[{"name":"notify","method":"POST","path":"/notify","body":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}]}',
          },
        ],
      },
    ],
  },
  {
    path: "connections show",
    summary: "A connection with its definitions and what waits to be accepted.",
    access: "key",
    args: [nameArgument],
    examples: [
      {
        id: "connections-show",
        title: "What a connection offers",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample"] }],
      },
    ],
  },
  {
    path: "connections test",
    summary:
      "Test a connection: whether it answers, takes its credential and still offers what was accepted.",
    access: "key",
    args: [nameArgument],
    examples: [
      {
        id: "connections-test",
        title: "Ask whether it works",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample"] }],
      },
    ],
  },
  {
    path: "connections sync",
    summary: "Read a connection again; what is new or changed waits to be accepted.",
    access: "key",
    args: [nameArgument],
    examples: [
      {
        id: "connections-sync",
        title: "Read it again",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample"] }],
      },
    ],
  },
  {
    path: "connections accept",
    summary: "Accept a definition that waits, or all of them; show a hidden one again.",
    access: "key",
    args: [nameArgument, { ...definitionArgument, optional: true }],
    options: [
      { name: "digest", value: "SHA256", summary: "Accept exactly the definition that was looked at." },
    ],
    examples: [
      {
        id: "connections-accept",
        title: "Accept everything that waits",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample"] }],
      },
    ],
  },
  {
    path: "connections hide",
    summary: "Hide a definition: it cannot be called.",
    access: "key",
    args: [nameArgument, definitionArgument],
    examples: [
      {
        id: "connections-hide",
        title: "Nobody can call it until it is accepted again",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample", "notify"] }],
      },
    ],
  },
  {
    path: "connections edit",
    summary: "Rename or describe a definition, fix arguments, correct effect and idempotency.",
    access: "key",
    args: [nameArgument, definitionArgument],
    options: [
      {
        name: "set",
        value: "JSON",
        summary:
          "name, title, description, effect, idempotent, idempotencyHeader, fixedArguments; null takes back.",
      },
    ],
    examples: [
      {
        id: "connections-edit",
        title: "Correct what a definition can change",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample", "notify"], options: { set: '{"effect":"write"}' } }],
      },
    ],
  },
  {
    path: "connections calls",
    summary: "The last calls of a definition, newest first.",
    access: "key",
    args: [nameArgument, definitionArgument],
    examples: [
      {
        id: "connections-calls",
        title: "The history of a definition",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample", "notify"] }],
      },
    ],
  },
  {
    path: "connections record",
    summary: "Make a draft workflow of your last calls.",
    access: "key",
    options: [
      { name: "limit", value: "N", summary: "How many calls, 1 to 20." },
      { name: "reject", value: "ID", summary: "A guessed reference that is wrong.", many: true },
    ],
    examples: [],
  },
  {
    path: "connections remove",
    summary: "Remove a connection with its definitions and history.",
    access: "key",
    args: [nameArgument],
    options: [{ name: "yes", short: "y", summary: "Do not ask." }],
    examples: [
      {
        id: "connections-remove",
        title: "Remove it without being asked",
        needs: ["service", "key", "connection"],
        steps: [{ args: ["sample"], options: { yes: true } }],
      },
    ],
  },
];
