import { digestOf } from "../kernel/canonical-json.ts";
import { type JsonObject, plainJson } from "../kernel/json.ts";
import type { ConnectedTool, ConnectionState } from "../ports/connections.ts";
import type { AsksSibling, Effect } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";
import type { SiblingName } from "../ports/settings.ts";
import type { SiblingStatus } from "../ports/siblings.ts";
import type { WorkflowNode } from "./schema.ts";

/** A tool as the validator and the planner see it. */
export interface ToolView {
  readonly name: string;
  readonly title: string;
  readonly inputSchema: JsonObject;
  /** Schema of `data` in the envelope; null when nothing is promised. */
  readonly outputSchema: JsonObject | null;
  readonly effect: Effect;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  /** Gets the key of its step, and acts once under it. */
  readonly keyed?: boolean;
  /** Who has to confirm what it does; undefined when it is done once it has answered. */
  readonly asks?: AsksSibling;
  /** The scope a key needs; null for a public tool. */
  readonly scope: string | null;
  /** Digest of the definition, to notice when it changes. */
  readonly digest: string;
  /** Why the tool cannot be called now. */
  readonly unavailable?: "quarantined" | "hidden" | "removed";
  /** The connection that it belongs to, the credential that calls use and whether the server was reached last. */
  readonly connection?: {
    readonly name: string;
    readonly credential: string | null;
    readonly reachable: ConnectionState;
  };
}

/** A workflow that another one can run. */
export interface SubworkflowView {
  readonly version: number;
  readonly digest: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  /** The worst effect of its steps and of the workflows that it runs. */
  readonly effect: Effect;
  /** Its steps that another service has to confirm, also of the workflows that it runs. */
  readonly external?: readonly { readonly stepId: string; readonly node: WorkflowNode }[];
}

/** Everything outside a document that its validity depends on, looked up beforehand. */
export interface ToolCatalogView {
  tool(name: string): ToolView | undefined;
  readonly names: readonly string[];
  /** Null: there is no such published version. Undefined: it was not looked up, so nothing is reported. */
  subworkflow(workflowId: string, version: number | undefined): SubworkflowView | null | undefined;
  /** How a sibling is set up now. Undefined: it was not looked up, so nothing is reported. */
  sibling(name: SiblingName): SiblingView | undefined;
}

/** What matters of a sibling before a run: whether it can be asked, and for what. */
export type SiblingView = Pick<SiblingStatus, "configured" | "capabilities">;

const views = new WeakMap<Tool, ToolView>();

/** The view of one of our own tools. */
export function viewOfTool(tool: Tool): ToolView {
  const known = views.get(tool);
  if (known !== undefined) return known;
  const inputSchema = plainJson(tool.input);
  const outputSchema = plainJson(tool.output);
  const view: ToolView = {
    name: tool.name,
    title: tool.title,
    inputSchema,
    outputSchema,
    effect: tool.effect,
    idempotent: tool.idempotent,
    openWorld: tool.openWorld,
    ...(tool.keyed && { keyed: true }),
    ...(tool.asks !== undefined && { asks: tool.asks }),
    scope: tool.access === "public" ? null : tool.access,
    digest: digestOf({
      name: tool.name,
      inputSchema,
      outputSchema,
      effect: tool.effect,
      access: tool.access,
    }),
  };
  views.set(tool, view);
  return view;
}

/** The view of a connected tool. */
export function viewOfConnected(tool: ConnectedTool): ToolView {
  return {
    name: tool.id,
    title: tool.title,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    effect: tool.toolEffect,
    idempotent: tool.idempotent,
    openWorld: true,
    ...(tool.connection === "mcp" && { asks: "mcp" as const }),
    scope: "run",
    digest: tool.digest,
    ...(tool.state !== "active" && { unavailable: tool.state }),
    connection: { name: tool.connection, credential: tool.credential, reachable: tool.reachable },
  };
}

/** A view over tools and workflows that were looked up. */
export function catalogView(
  tools: Iterable<ToolView>,
  subworkflows: ReadonlyMap<string, SubworkflowView | null> = new Map(),
  /** Further names that a misspelt one may be compared with. */
  otherNames: readonly string[] = [],
  sibling: ToolCatalogView["sibling"] = () => undefined,
): ToolCatalogView {
  const byName = new Map<string, ToolView>();
  for (const tool of tools) byName.set(tool.name, tool);
  return {
    names: [...new Set([...byName.keys(), ...otherNames])],
    tool: (name) => byName.get(name),
    subworkflow: (workflowId, version) => subworkflows.get(subworkflowKey(workflowId, version)),
    sibling,
  };
}

/** The key under which a workflow and its version are looked up. */
export function subworkflowKey(workflowId: string, version: number | undefined): string {
  return `${workflowId}@${version ?? "newest"}`;
}
