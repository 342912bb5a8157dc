import type { CommandSpec, ExampleSpec } from "./spec.ts";

/** Commands that begin with the same word; those of a group without a name have one word. */
interface Group {
  readonly name: string;
  readonly summary: string;
  load(): Promise<readonly CommandSpec[]>;
}

/** Every command, by what it is about. The order is that of help and docs/cli.md. */
const GROUPS: readonly Group[] = [
  {
    name: "",
    summary: "",
    load: async () => (await import("./commands/session.ts")).session,
  },
  {
    name: "",
    summary: "",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "",
    summary: "",
    load: async () => (await import("./commands/machine.ts")).machine,
  },
  {
    name: "",
    summary: "",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  {
    name: "",
    summary: "",
    load: async () => (await import("./commands/call.ts")).call,
  },
  {
    name: "demo",
    summary: "The six-step demo flow.",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  {
    name: "tools",
    summary: "List, look at and call tools.",
    load: async () => (await import("./commands/tools.ts")).tools,
  },
  {
    name: "form",
    summary: "Look at forms and fill them in.",
    load: async () => (await import("./commands/form.ts")).form,
  },
  {
    name: "forms",
    summary: "Form documents, and checking values against them.",
    load: async () => (await import("./commands/form.ts")).forms,
  },
  {
    name: "workflows",
    summary: "Write, check, run and exchange workflows.",
    load: async () => (await import("./commands/workflows.ts")).workflows,
  },
  {
    name: "templates",
    summary: "Ready-made workflows.",
    load: async () => (await import("./commands/templates.ts")).templates,
  },
  {
    name: "triggers",
    summary: "What starts workflows by itself.",
    load: async () => (await import("./commands/triggers.ts")).triggers,
  },
  {
    name: "runs",
    summary: "Runs of workflows.",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "approvals",
    summary: "Decisions that runs wait for.",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  {
    name: "artifacts",
    summary: "Saved artifacts.",
    load: async () => (await import("./commands/artifacts.ts")).artifacts,
  },
  {
    name: "handoffs",
    summary: "Work handed to and received from siblings.",
    load: async () => (await import("./commands/handoffs.ts")).handoffs,
  },
  {
    name: "provenance",
    summary: "What was recorded, and proofs of it.",
    load: async () => (await import("./commands/provenance.ts")).provenance,
  },
  {
    name: "keys",
    summary: "API keys.",
    load: async () => (await import("./commands/keys.ts")).keys,
  },
  {
    name: "people",
    summary: "People who sign in, and their roles.",
    load: async () => (await import("./commands/people.ts")).people,
  },
  {
    name: "groups",
    summary: "Groups of people, for approvals and notifications.",
    load: async () => (await import("./commands/groups.ts")).groups,
  },
  {
    name: "tokens",
    summary: "Tokens that people made for their programs.",
    load: async () => (await import("./commands/tokens.ts")).tokens,
  },
  {
    name: "connections",
    summary: "Servers and APIs that you bring.",
    load: async () => (await import("./commands/connections.ts")).connections,
  },
  {
    name: "guard",
    summary: "What agents may call, and what they ask a person about.",
    load: async () => (await import("./commands/guard.ts")).guard,
  },
  {
    name: "vault",
    summary: "Credentials for what this service calls.",
    load: async () => (await import("./commands/vault.ts")).vault,
  },
  {
    name: "hold",
    summary: "What becomes of the runs of a restored database.",
    load: async () => (await import("./commands/hold.ts")).hold,
  },
  {
    name: "retention",
    summary: "How long ended runs are kept.",
    load: async () => (await import("./commands/retention.ts")).retention,
  },
  {
    name: "toolsets",
    summary: "Chosen tools at MCP endpoints of their own.",
    load: async () => (await import("./commands/toolsets.ts")).toolsets,
  },
  {
    name: "webhooks",
    summary: "Events sent to addresses.",
    load: async () => (await import("./commands/webhooks.ts")).webhooks,
  },
  {
    name: "events",
    summary: "The event stream.",
    load: async () => (await import("./commands/events.ts")).events,
  },
  {
    name: "db",
    summary: "The database itself, the service running or not.",
    load: async () => (await import("./commands/db.ts")).db,
  },
];

/** Commands that begin with the same word. */
interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandSpec[];
}

/** An example with the command it belongs to. */
export interface ExampleEntry {
  readonly command: CommandSpec;
  readonly example: ExampleSpec;
}

/** The commands with what helps to find one. */
export interface CommandTable {
  readonly groups: readonly CommandGroup[];
  readonly commands: readonly CommandSpec[];
  readonly examples: readonly ExampleEntry[];
  find(path: string): CommandSpec | undefined;
}

/** Loads every command, or with a command line only those that it can mean: a program that starts fast loads little. */
export async function loadTable(argv?: readonly string[]): Promise<CommandTable> {
  const isWanted = ({ name }: Group): boolean =>
    argv === undefined ||
    (name === "" ? !GROUPS.some((group) => group.name === argv[0]) : argv.includes(name));
  const loaded = await Promise.all(
    GROUPS.map(async (group) => ({ ...group, commands: isWanted(group) ? await group.load() : [] })),
  );
  const commands = loaded.flatMap((group) => group.commands);
  return {
    groups: loaded.filter(({ name }) => name !== ""),
    commands,
    examples: commands.flatMap((command) => command.examples.map((example) => ({ command, example }))),
    find: (path) => commands.find((command) => command.path === path),
  };
}

/** An example as the tools and resources show it. */
export function exampleView({ command: { path, summary, access }, example }: ExampleEntry) {
  const { id, title, text, needs } = example;
  const interactive = needs.includes("terminal");
  return { id, title, command: path, summary, text, access, needs: [...needs], interactive };
}
