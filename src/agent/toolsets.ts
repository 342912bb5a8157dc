import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isList, type Json, type JsonObject } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import { TOOLSET_SETTINGS, ToolsetName, ToolsetView } from "../model/toolsets.ts";
import { allows, type Caller } from "../ports/caller.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { linkTo } from "./parts.ts";

/** A toolset as it is stored. */
const StoredToolset = Type.Omit(ToolsetView, ["address"]);
type StoredToolset = Static<typeof StoredToolset>;

const { operation } = operationsWith<unknown>();
const { title, description, tools } = TOOLSET_SETTINGS;

/** The toolsets, by name. */
export async function toolsetsIn({ store }: Services): Promise<readonly StoredToolset[]> {
  const latest = store.kind === "none" ? null : await store.read.toolsets.latest();
  return storedIn(latest?.policy["toolsets"] ?? null);
}

function storedIn(value: Json): readonly StoredToolset[] {
  return isList(value) ? value.filter((set) => Value.Check(StoredToolset, set)) : [];
}

/** The refusal of a name that no toolset has. */
export function noToolset(name: string, known: readonly StoredToolset[]): AppError {
  const near = nearestNames(
    name,
    known.map((set) => set.name),
  );
  return new AppError("not_found", `There is no toolset "${name.slice(0, 100)}".`, {
    nextAction: near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "GET /api/svc/toolsets lists them.",
  });
}

function viewOfSet(services: Services, set: StoredToolset): ToolsetView {
  return { ...set, tools: [...set.tools], address: linkTo(services, `/mcp/${set.name}`) };
}

/** Stores the sets that a change makes of those before it. */
async function change(
  { store }: Services,
  caller: Caller,
  what: JsonObject,
  make: (sets: readonly StoredToolset[], at: string) => readonly StoredToolset[],
): Promise<readonly StoredToolset[]> {
  return store.transact(async (tx) => {
    const latest = await tx.toolsets.latest();
    const createdAt = await tx.now();
    const sets = [...make(storedIn(latest?.policy["toolsets"] ?? null), createdAt)];
    sets.sort((a, b) => (a.name < b.name ? -1 : 1));
    const policy: JsonObject = JSON.parse(JSON.stringify({ toolsets: sets }));
    const revision = (latest?.revision ?? 0) + 1;
    const digest = digestOf(policy);
    if (!(await tx.toolsets.insert({ revision, policy, digest, changedBy: caller.id, createdAt })))
      throw new AppError("conflict", "The toolsets were changed at the same moment.", {
        nextAction: "Repeat the change.",
      });
    const subject = `toolsets/${revision}`;
    await recordEntry(tx, {
      action: "toolset.changed",
      by: caller.id,
      subject,
      detail: what,
      provenanceId: null,
    });
    return sets;
  });
}

/** Names nothing that does not exist: an agent would see a shorter list and nobody would know why. */
async function checkTools(services: Services, names: readonly string[]): Promise<void> {
  const problems = [];
  for (const [index, name] of names.entries()) {
    const workflow =
      services.catalog.tool(name) === undefined && !name.includes(":")
        ? await services.store.read.workflows.get(name)
        : null;
    const exists =
      services.catalog.tool(name) !== undefined ||
      (name.includes(":")
        ? services.connections.head(name) !== undefined
        : workflow?.publishedVersion != null);
    if (exists) continue;
    const near = nearestNames(
      name,
      services.catalog.tools.map((tool) => tool.name),
      1,
    );
    problems.push({
      pointer: `/tools/${index}`,
      message: `"${name}" is no tool, connected tool or published workflow.`,
      expected: "a tool, server:tool, or the id of a published workflow",
      given: name,
      fix: near[0] === undefined ? "Search for it with find, or publish the workflow." : `Use "${near[0]}".`,
    });
  }
  if (problems.length > 0)
    throw new AppError("invalid_input", `${problems.length} of the tools do not exist.`, { problems });
}

function one(services: Services, sets: readonly StoredToolset[], name: string): ToolsetView {
  const found = sets.find((set) => set.name === name);
  if (found === undefined) throw noToolset(name, sets);
  return viewOfSet(services, found);
}

const ADMIN = { access: "admin", effect: "write" } as const;
const Output = Type.Object({ toolset: ToolsetView });

const listToolsets = operation({
  name: "list_toolsets",
  title: "List toolsets",
  description: "The toolsets: what each serves at /mcp/<name>. Without admin: names, titles and addresses.",
  http: "GET /api/svc/toolsets",
  access: "key",
  input: inputOf({}),
  output: Type.Object({ toolsets: Type.Array(ToolsetView) }),
  async run(_input, { services, caller }) {
    const sets = await toolsetsIn(services);
    const shown = allows(caller, "admin") ? sets : sets.map((set) => ({ ...set, tools: [], changedBy: "" }));
    return { toolsets: shown.map((set) => viewOfSet(services, set)) };
  },
});

const createToolset = operation({
  ...ADMIN,
  name: "create_toolset",
  title: "Create a toolset",
  description:
    "Serves chosen tools at /mcp/<name>. A caller sees those that it may use; the guard decides about each call.",
  http: "POST /api/svc/toolsets",
  idempotent: false,
  status: 201,
  input: inputOf({ name: ToolsetName, title, description: Type.Optional(description), tools }),
  output: Output,
  examples: [{ name: "sales", title: "Sales", tools: ["render_json_schema_form", "shop:listOrders"] }],
  async run({ name, description: about = "", ...set }, { services, caller }) {
    await checkTools(services, set.tools);
    const sets = await change(services, caller, { created: name }, (before, changedAt) => {
      if (before.some((other) => other.name === name))
        throw new AppError("conflict", `There is a toolset "${name}" already.`, {
          nextAction: "Choose another name, or change that one.",
        });
      return [...before, { name, description: about, ...set, changedAt, changedBy: caller.id }];
    });
    return { toolset: one(services, sets, name) };
  },
});

const changeToolset = operation({
  ...ADMIN,
  name: "change_toolset",
  title: "Change a toolset",
  description:
    "Replaces the members that are sent; the others stay. Clients that subscribed receive a notification that the list changed.",
  http: "PATCH /api/svc/toolsets/{name}",
  idempotent: true,
  input: inputOf({
    name: ToolsetName,
    title: Type.Optional(title),
    description: Type.Optional(description),
    tools: Type.Optional(tools),
  }),
  output: Output,
  examples: [{ name: "sales", tools: ["shop:listOrders"] }],
  async run({ name, ...changes }, { services, caller }) {
    await checkTools(services, changes.tools ?? []);
    const sets = await change(services, caller, { changed: name }, (before, changedAt) => {
      if (!before.some((set) => set.name === name)) throw noToolset(name, before);
      return before.map((set) =>
        set.name === name ? { ...set, ...changes, changedAt, changedBy: caller.id } : set,
      );
    });
    return { toolset: one(services, sets, name) };
  },
});

const removeToolset = operation({
  ...ADMIN,
  name: "remove_toolset",
  title: "Remove a toolset",
  description: "Removes a toolset; its address answers that there is none.",
  http: "DELETE /api/svc/toolsets/{name}",
  idempotent: true,
  input: inputOf({ name: ToolsetName }),
  output: Output,
  async run({ name }, { services, caller }) {
    const removed = one(services, await toolsetsIn(services), name);
    await change(services, caller, { removed: name }, (before) => before.filter((set) => set.name !== name));
    return { toolset: removed };
  },
});

/** What admins do with toolsets. */
export const toolsetOperations = [listToolsets, createToolset, changeToolset, removeToolset];
