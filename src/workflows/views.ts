import type { Json, JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { WorkflowRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import {
  catalogView,
  subworkflowKey,
  viewOfConnected,
  viewOfTool,
  type SubworkflowView,
  type ToolCatalogView,
  type ToolView,
} from "./catalog-view.ts";
import { parseDocument } from "./document.ts";
import { isGraphBody, type WorkflowDocument, type WorkflowNode } from "./schema.ts";
import { seesAllWorkflows } from "./visibility.ts";

/** Looks up everything outside a document that its validity depends on: synced tools and other workflows. */
export async function loadView(document: WorkflowDocument, context: CallContext): Promise<ToolCatalogView> {
  const { catalog } = context.services;
  const connected = await connectedViews(document, context.services, context.caller);
  const tools = [...catalog.tools.map(viewOfTool), ...connected];
  const subworkflows = new Map<string, SubworkflowView | null>();
  let synced: readonly string[] | undefined;
  for (const node of everyNode(document.nodes)) {
    const name = toolOf(node);
    if (name?.includes(":") === true && !connected.some((tool) => tool.name === name))
      synced ??= await connectedNames(context);
    if (node.type !== "subworkflow") continue;
    const { workflowId, version } = node.subworkflow;
    const key = subworkflowKey(workflowId, version);
    if (!subworkflows.has(key)) subworkflows.set(key, await subworkflow(workflowId, version, context));
  }
  return catalogView(tools, subworkflows, synced, (name) => context.services.siblings.status(name));
}

/** Names of connected tools that a misspelt one can be compared with. */
async function connectedNames({ services, caller }: CallContext): Promise<readonly string[]> {
  const heads = await services.connections.search("", 1_000);
  return heads
    .filter(({ connection }) => maySee(caller, connection))
    .map(({ connection, name }) => `${connection}:${name}`);
}

/** The connected tools that a document names, in whatever state they are. */
export async function connectedViews(
  document: WorkflowDocument,
  { connections }: Pick<Services, "connections">,
  caller: Caller,
): Promise<readonly ToolView[]> {
  const names = new Set<string>();
  for (const node of everyNode(document.nodes)) {
    const name = toolOf(node);
    if (name?.includes(":") === true) names.add(name);
  }
  const views: ToolView[] = [];
  for (const name of names) {
    const tool = await connections.find(name);
    // A tool that an admin renamed is still found by the name at its server, which older documents have.
    if (tool !== null && maySee(caller, tool.connection)) views.push({ ...viewOfConnected(tool), name });
  }
  return views;
}

function* everyNode(nodes: readonly WorkflowNode[]): Generator<WorkflowNode> {
  for (const node of nodes) {
    yield node;
    if (node.type === "map" && isGraphBody(node.map.body)) yield* everyNode(node.map.body.nodes);
  }
}

function toolOf(node: WorkflowNode): string | null {
  if (node.type === "tool") return node.tool;
  return node.type === "map" && !isGraphBody(node.map.body) ? node.map.body.tool : null;
}

async function subworkflow(
  workflowId: string,
  version: number | undefined,
  context: CallContext,
): Promise<SubworkflowView | null> {
  const { workflows } = context.services.store.read;
  const record = await workflows.get(workflowId);
  if (record === null || record.status !== "published" || record.publishedVersion === null) return null;
  // A workflow that the caller may not see is like one that does not exist: not even its inputs show.
  if (record.visibility !== "public" && !seesAllWorkflows(context.caller)) return null;
  const published = await workflows.version(workflowId, version ?? record.publishedVersion);
  if (published === null) return null;
  const { document } = parseDocument(published.document);
  return {
    version: published.version,
    digest: published.digest,
    inputs: document.inputs,
    outputs: document.outputs,
  };
}

/** A workflow in a list: what it is, not what it holds. */
export function summaryOf(record: WorkflowRecord, isPublicView: boolean): JsonObject {
  const nodes: Json | undefined = record.document["nodes"];
  const summary: JsonObject = {
    id: record.id,
    name: record.name,
    description: record.description,
    tags: record.tags,
    status: record.status,
    visibility: record.visibility,
    publishedVersion: record.publishedVersion,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
  if (isPublicView) return summary;
  return {
    ...summary,
    owner: record.owner,
    revision: record.revision,
    digest: record.digest,
    steps: Array.isArray(nodes) ? nodes.length : 0,
  };
}

/** A whole workflow with the document that the caller may see. */
export function fullView(
  record: WorkflowRecord,
  document: JsonObject,
  digest: string,
  isPublicView: boolean,
): JsonObject {
  const { nodes, edges } = document;
  return { ...summaryOf(record, isPublicView), digest, nodes: nodes ?? [], edges: edges ?? [], document };
}
