import { yesOption } from "../conventions.ts";
import { list, record } from "../from-operation.ts";
import { argument, example, group, option } from "../spec.ts";

const toolsetName = argument("name", "The name of the toolset, the end of its address.");
const settings = [
  option("--title <TITLE>", "What people call it."),
  option("--description <TEXT>", "What it is for; agents read it."),
  option("--tool <TOOL...>", "A tool, server:tool or the id of a published workflow; in this order."),
];
const shown = {
  record: "toolset",
  fields: ["name", "title", "description", "tools", "address", "changedAt"],
} as const;

/** Chosen tools at MCP endpoints of their own. */
export const toolsets = group("toolsets", {
  list: list({
    summary: "Toolsets by name.",
    examples: [example("What agents can connect to")],
    operation: "list_toolsets",
    input: () => ({}),
    rows: "toolsets",
    id: "name",
    columns: { NAME: "name", TITLE: "title", TOOLS: "tools", ADDRESS: "address" },
  }),
  create: record({
    summary: "Serve chosen tools at /mcp/<name>.",
    args: [toolsetName],
    options: settings,
    examples: [
      example(
        "Two tools for a support agent",
        "support --title Support --tool get_health --tool list_templates",
      ),
    ],
    operation: "create_toolset",
    input: ({ given }) => ({
      name: given.argument("name"),
      title: given.option("title") ?? given.argument("name"),
      description: given.option("description") ?? "",
      tools: [...given.list("tool")],
    }),
    ...shown,
  }),
  change: record({
    summary: "Replace what is given; the rest stays.",
    args: [toolsetName],
    options: settings,
    examples: [example("Another title", "support --title Helpdesk")],
    operation: "change_toolset",
    input: ({ given }) => ({
      name: given.argument("name"),
      ...(given.option("title") !== undefined && { title: given.option("title") }),
      ...(given.option("description") !== undefined && { description: given.option("description") }),
      ...(given.list("tool").length > 0 && { tools: [...given.list("tool")] }),
    }),
    ...shown,
  }),
  remove: record({
    summary: "Remove a toolset; its address then answers that there is none.",
    args: [toolsetName],
    options: [yesOption],
    examples: [example("Remove one without being asked", "support --yes")],
    operation: "remove_toolset",
    input: ({ given }) => ({ name: given.argument("name") }),
    confirm: ({ name }) => `Remove the toolset ${name}?`,
    ...shown,
  }),
});
