import { APPROVAL_STATES, HANDOFF_STATES } from "../model/states.ts";
import type { Client } from "./client.ts";
import type { Cli } from "./command.ts";
import { Failure } from "./failure.ts";

/** The newest records of a kind, those in a state where one is asked for. */
type Newest = (client: Client, state: string | undefined) => Promise<readonly Row[]>;

interface Row {
  readonly id?: string;
  readonly recordId?: string;
  readonly status?: string;
  readonly state?: string;
}

const NEWEST = {
  workflow: async (client, state) =>
    (await client.run("list_workflows", state === undefined ? { limit: 1 } : {})).data.workflows,
  run: async (client, status) => (await client.run("list_runs", { limit: 1, status })).data.runs,
  approval: async (client, state) =>
    (await client.run("find_approvals", { limit: 1, status: known(APPROVAL_STATES, state) })).data.approvals,
  artifact: async (client) => (await client.run("list_artifacts", {})).data.artifacts,
  handoff: async (client, state) =>
    (await client.run("list_handoffs", { limit: 1, state: known(HANDOFF_STATES, state) })).data.handoffs,
  key: async (client) => (await client.run("list_keys", { limit: 1 })).data.keys,
  webhook: async (client) => (await client.run("list_webhooks", { limit: 1 })).data.webhooks,
  trigger: async (client) => (await client.run("list_triggers", { limit: 1 })).data.triggers,
  "provenance record": async (client) => (await client.run("lookup_svc_provenance", {})).data.records,
} as const satisfies Readonly<Record<string, Newest>>;

/** What `latest` can stand for. */
export type RecordKind = keyof typeof NEWEST;

function known<T extends string>(states: readonly T[], state: string | undefined): T | undefined {
  const found = states.find((one) => one === state);
  if (state === undefined || found !== undefined) return found;
  throw new Failure("usage", `There is no state "${state}".`, { next: `Use one of ${states.join(", ")}.` });
}

/** The id that a person means: the one given, or the newest record for `latest` and `latest:STATE`. */
export async function resolveId(cli: Cli, given: string, kind: RecordKind): Promise<string> {
  const [whole, state] = /^latest(?::([a-z_]+))?$/.exec(given) ?? [];
  if (whole === undefined) return given;
  const newest: Newest = NEWEST[kind];
  const rows = await newest(cli.client(), state);
  const found = rows.find((row) => state === undefined || row.status === state || row.state === state);
  const id = found?.id ?? found?.recordId;
  if (id !== undefined) return id;
  const which = state === undefined ? "" : ` that is ${state}`;
  throw new Failure("missing", `There is no ${kind}${which} yet that you may see.`, {
    next: cli.key() === null ? "Log in with suitectl login to see private records." : undefined,
  });
}
