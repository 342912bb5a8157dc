import { DEFAULT_URL, EXIT_CODES, GLOBAL_OPTIONS, PROGRAM, VARIABLES } from "./conventions.ts";
import type { Access, CommandSpec, OptionSpec } from "./spec.ts";
import type { CommandTable } from "./table.ts";

const ACCESS: Readonly<Record<Access, string>> = {
  offline: "needs no service",
  public: "needs no key; with one it shows more",
  key: "needs a key",
  database: "works on DATABASE_URL, the service running or not",
};

/** How a command is written: its words, arguments and that it takes options. */
export function usageOf(command: CommandSpec): string {
  const args = (command.args ?? []).map(({ name, optional }) =>
    optional === true ? `[${name}]` : `<${name}>`,
  );
  return [PROGRAM, command.path, ...args, "[options]"].join(" ");
}

/** How an option is written, its short form first. */
export function flagsOf({ name, short, value }: OptionSpec): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** docs/cli.md: every command with its arguments, options and examples, the conventions and the exit codes. */
export function renderCliReference({ commands, groups }: CommandTable): string {
  const alone = commands.filter(({ path }) => !path.includes(" "));
  const sections = [
    { title: "The service and this machine", commands: alone },
    ...groups.map(({ name, summary }) => ({
      title: `${name}: ${summary.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()).replace(/\.$/, "")}`,
      commands: commands.filter(({ path }) => path.startsWith(`${name} `)),
    })),
  ];
  const lines = [
    `# ${PROGRAM}`,
    "",
    "<!-- Generated from src/cli by `npm run generate`. Do not edit. -->",
    "",
    "The whole service from a terminal. Every example below works when it is pasted, and a test pastes each of them into a shell.",
    "",
    `The service is looked for at \`--url\`, then \`SUITE_URL\`, then where you last logged in, then \`${DEFAULT_URL}\`. The key comes from \`SUITE_API_KEY\` or from \`${PROGRAM} login\`, never from the command line.`,
    "",
    "## Conventions",
    "",
    "- Answers go to standard output; questions, progress and errors to standard error.",
    "- On a terminal lists are tables. Elsewhere they are lines with tabs between the columns, without headings and never cut.",
    "- `--json` and `--yaml` print the whole envelope `{ok, data}`, also of an answer that is not ok.",
    "- `-` is standard input wherever a file is expected.",
    "- `latest` stands for the newest record wherever an id is expected, `latest:failed` for the newest in that state.",
    "- An error says what to do next, and its class is the exit status.",
    "",
    "| option of every command | |",
    "|---|---|",
    ...GLOBAL_OPTIONS.map((option) => `| \`${flagsOf(option)}\` | ${cell(option.summary)} |`),
    "",
    "| variable | |",
    "|---|---|",
    ...VARIABLES.map(({ name, meaning }) => `| \`${name}\` | ${cell(meaning)} |`),
    "",
    "## Exit status",
    "",
    "| status | class | meaning |",
    "|---|---|---|",
    ...Object.values(EXIT_CODES).map(({ code, name, meaning }) => `| ${code} | ${name} | ${meaning} |`),
    "",
    ...sections.flatMap((section) => [`## ${section.title}`, "", ...section.commands.flatMap(commandLines)]),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

function commandLines(command: CommandSpec): readonly string[] {
  const { path, summary, about, access, args = [], options = [], examples } = command;
  const rows = [
    ...args.map(
      ({ name, summary: text, choices }) => `| \`${name}\` | ${cell(withChoices(text, choices))} |`,
    ),
    ...options.map(
      (option) =>
        `| \`${flagsOf(option)}\` | ${cell(withChoices(option.summary, option.choices))}${option.many === true ? " May be repeated." : ""} |`,
    ),
  ];
  return [
    `### ${path}`,
    "",
    `\`${usageOf(command)}\` · ${ACCESS[access]}`,
    "",
    summary,
    "",
    ...(about === undefined ? [] : [about, ""]),
    ...(rows.length === 0 ? [] : ["| | |", "|---|---|", ...rows, ""]),
    ...examples.flatMap((example) => [`${example.title}:`, "", "```sh", example.text, "```", ""]),
  ];
}

function withChoices(text: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? text : `${text} One of ${choices.join(", ")}.`;
}
