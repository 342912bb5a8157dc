import { auditCommands } from "./groups/audit.ts";
import { connectionCommands } from "./groups/connections.ts";
import { operateCommands } from "./groups/operate.ts";
import { groupCommands } from "./groups/people-groups.ts";
import { peopleCommands } from "./groups/people.ts";
import { recordCommands } from "./groups/records.ts";
import { retentionCommands } from "./groups/retention.ts";
import { runCommands } from "./groups/runs.ts";
import { serviceCommands } from "./groups/service.ts";
import { tokenCommands } from "./groups/tokens.ts";
import { toolCommands } from "./groups/tools.ts";
import { vaultCommands } from "./groups/vault.ts";
import { workflowCommands } from "./groups/workflows.ts";
import type { CommandSpec, ExampleSpec, GroupSpec } from "./model.ts";

/** Every command. */
export const COMMANDS: readonly CommandSpec[] = [
  ...serviceCommands,
  ...toolCommands,
  ...workflowCommands,
  ...runCommands,
  ...recordCommands,
  ...operateCommands,
  ...peopleCommands,
  ...groupCommands,
  ...tokenCommands,
  ...auditCommands,
  ...retentionCommands,
  ...vaultCommands,
  ...connectionCommands,
];

/** What the first word of a command with two words is about. */
export const GROUPS: readonly GroupSpec[] = [
  { name: "demo", summary: "The six-step demo flow." },
  { name: "tools", summary: "List, look at and call tools." },
  { name: "form", summary: "Look at forms and fill them in." },
  { name: "forms", summary: "Form documents, and checking values against them." },
  { name: "workflows", summary: "Write, check, run and exchange workflows." },
  { name: "templates", summary: "Ready-made workflows." },
  { name: "runs", summary: "Runs of workflows." },
  { name: "approvals", summary: "Decisions that runs wait for." },
  { name: "artifacts", summary: "Saved artifacts." },
  { name: "handoffs", summary: "Work handed to and received from siblings." },
  { name: "provenance", summary: "What was recorded, and proofs of it." },
  { name: "keys", summary: "API keys." },
  { name: "people", summary: "People who sign in, and their roles." },
  { name: "groups", summary: "Groups of people, for approvals and notifications." },
  { name: "tokens", summary: "Tokens that people made for their programs." },
  { name: "connections", summary: "Servers and APIs that you bring." },
  { name: "vault", summary: "Credentials for what this service calls." },
  { name: "retention", summary: "How long ended runs are kept." },
  { name: "webhooks", summary: "Events sent to addresses." },
  { name: "events", summary: "The event stream." },
  { name: "db", summary: "The database itself, the service running or not." },
];

/** An example with the command it belongs to. */
export interface ExampleEntry {
  readonly command: CommandSpec;
  readonly example: ExampleSpec;
}

/** Every example of every command, in the table's order. */
export const EXAMPLES: readonly ExampleEntry[] = COMMANDS.flatMap((command) =>
  command.examples.map((example) => ({ command, example })),
);

/** The command with this path. */
export function findCommand(path: string): CommandSpec | undefined {
  return COMMANDS.find((command) => command.path === path);
}
