import type { Info } from "../../../packages/client/client.ts";
import { isJson, isObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { nearestNames } from "../../kernel/nearest.ts";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import { optionalJson } from "../input.ts";
import type { Block, Cell, Result } from "../output.ts";
import { cell, line, plainResult, table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

/** The argument that names a tool. */
export const toolArgument = argument("tool", "A tool of this service, or server:name of a synced one.", {
  kind: "tool",
});
type Tool = Info["tools"][number];

/** Listing, looking at and calling tools. */
export const tools = group("tools", {
  list: {
    summary: "The tools of the service.",
    access: "public",
    options: [
      option("--search <TEXT>", "Only tools whose name or description contains the text."),
      option("--protected", "Only tools that need a key."),
      option("--public", "Only tools that need none."),
    ],
    examples: [
      example("All tools"),
      example("The names of the workflow tools, one a line", "--search workflow --quiet", [], {
        id: "tools-list-search",
      }),
    ],
    async run(cli) {
      const { given } = cli;
      const search = given.option("search")?.toLowerCase() ?? "";
      const tools = (await allTools(cli)).filter(
        (tool) =>
          `${tool.name} ${tool.description}`.toLowerCase().includes(search) &&
          (!given.flag("protected") || tool.protected) &&
          (!given.flag("public") || !tool.protected),
      );
      const columns = { TOOL: "name", ACCESS: accessOf, "WHAT IT DOES": firstSentence } as const;
      const ids = tools.map(({ name }) => name);
      return { envelope: { ok: true, data: { tools } }, ids, view: [table(columns, tools)] };
    },
  },
  show: {
    summary: "One tool: what it does, its parameters and what it gives back.",
    access: "public",
    args: [toolArgument],
    examples: [example("What a tool takes", "plan_workflow")],
    run: show,
  },
  call: {
    summary: "Call a tool.",
    about:
      "Arguments come as one JSON object (--args), or one by one (--arg name=value, read by the tool's own schema). Keep secrets off the command line: --args - reads standard input, --args @FILE a file.",
    access: "public",
    args: [toolArgument],
    options: [
      option("--args <JSON>", "The arguments as a JSON object; - is standard input, @FILE a file.", {
        kind: "file",
      }),
      option("-a, --arg <NAME=VALUE...>", "One argument."),
      option("--meta <JSON>", 'Extras for _meta, such as {"svc/idempotencyKey": "…"}.'),
    ],
    examples: [
      example("Call a tool without arguments", "get_health"),
      example("Give the arguments one by one", "list_templates --arg limit=3", [], { id: "tools-call-arg" }),
      example("Give the arguments as JSON", 'test_mcp_tool --args \'{"name":"run_workflow"}\' --json', [], {
        id: "tools-call-args",
      }),
      example("Give the arguments on standard input", "save_artifact --args -", ["key"], {
        id: "tools-call-stdin",
        stdin: '{"artifact":{"title":"Release notes","type":"note"}}',
      }),
    ],
    async run(cli) {
      const name = cli.given.argument("tool");
      const single = cli.given.list("arg");
      const args = {
        ...(await optionalJson(cli, "args")),
        ...(single.length > 0 && typedArguments(single, found(name, await allTools(cli)))),
      };
      const envelope = await cli.client().call(name, args, await optionalJson(cli, "meta"));
      const { id } = envelope.data;
      return plainResult(envelope, typeof id === "string" ? [id] : []);
    },
  },
});

async function allTools(cli: Cli): Promise<readonly Tool[]> {
  // The info document says of each tool whether it needs a key; tools/list does not.
  return (await cli.client().run("get_gateway_info", {})).data.tools;
}

const accessOf = (tool: Tool): string => (tool.protected ? "key" : "public");

function firstSentence({ description }: Tool): string {
  return /^.*?[.!?](?= |$)/.exec(description)?.[0] ?? description;
}

/** The parameters of a tool with their schemas, and the names of those it needs. */
function parametersOf({ inputSchema: { properties, required } }: Tool) {
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return {
    properties: new Map(entries.map(([name, schema]) => [name, isObject(schema) ? schema : {}])),
    required: Array.isArray(required) ? required : [],
  };
}

async function show(cli: Cli): Promise<Result> {
  const tool = found(cli.given.argument("tool"), await allTools(cli));
  const { name, description: does } = tool;
  const { properties, required } = parametersOf(tool);
  const parameters = [...properties].map(([parameter, schema]): readonly Cell[] => {
    const { type, description, enum: options, minimum, maximum } = schema;
    const limits = Array.isArray(options)
      ? options.join(" | ")
      : minimum !== undefined || maximum !== undefined
        ? `${cell(type) ?? ""} ${cell(minimum) ?? ""}..${cell(maximum) ?? ""}`
        : cell(type);
    return [parameter, limits, required.includes(parameter) ? "required" : "", cell(description)];
  });
  const view: Block[] = [
    {
      kind: "facts",
      facts: [
        ["tool", name],
        ["access", accessOf(tool)],
        ["does", does],
      ],
    },
  ];
  if (parameters.length > 0) {
    const columns = ["PARAMETER", "TYPE", "", "MEANING"];
    view.push(line(""), { kind: "table", columns, rows: parameters });
  }
  return { envelope: { ok: true, data: { tool } }, ids: [name], view };
}

function found(name: string, tools: readonly Tool[]): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const names = tools.map((candidate) => candidate.name);
  const near = nearestNames(name, names);
  throw new Failure("missing", `There is no tool named "${name.slice(0, 100)}".`, {
    next: near.length > 0 ? `Did you mean ${near.join(", ")}?` : "suitectl tools list names them all.",
  });
}

/** `name=value` pairs, each read by what the tool's schema says of it. */
function typedArguments(pairs: readonly string[], tool: Tool): JsonObject {
  const { properties } = parametersOf(tool);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      if (at < 1) throw new Failure("usage", "--arg is written NAME=VALUE.");
      const schema = properties.get(name);
      if (schema === undefined) {
        throw new Failure("usage", `${tool.name} has no parameter "${name.slice(0, 60)}".`, {
          next: `It takes ${[...properties.keys()].join(", ") || "none"}.`,
        });
      }
      const value = pair.slice(at + 1);
      return [name, schema["type"] === "string" ? value : parsedValue(value, name)];
    }),
  );
}

function parsedValue(value: string, name: string): Json {
  try {
    const parsed: unknown = JSON.parse(value);
    if (isJson(parsed)) return parsed;
  } catch {
    // Reported below.
  }
  throw new Failure("usage", `The value of ${name} is not JSON.`, {
    next: 'Write numbers, true, [1, 2] or {"a": 1}.',
  });
}
