import { isJsonObject, isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Caller } from "../ports/caller.ts";
import { maySee } from "../ports/connections.ts";
import type { CallContext, Effect } from "../ports/definitions.ts";
import type { WorkflowSummary, WorkflowView } from "../model/workflows.ts";
import type { WorkflowRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import {
  catalogView,
  subworkflowKey,
  viewOfConnected,
  viewOfTool,
  type SiblingView,
  type SubworkflowView,
  type ToolCatalogView,
  type ToolView,
} from "./catalog-view.ts";
import { parseDocument } from "./document.ts";
import { isGraphBody, type WorkflowDocument, type WorkflowNode } from "./schema.ts";
import { asPublished, hasNewTexts, publicSummary } from "./public-view.ts";
import { workflowAccess, type WorkflowAccess } from "./visibility.ts";

/** Who looks, and where. */
type Looking = Pick<CallContext, "services" | "caller">;

/** What a document refers to outside itself: synced tools and other workflows. */
export interface Needs {
  readonly tools: readonly string[];
  readonly subworkflows: readonly { readonly workflowId: string; readonly version?: number | undefined }[];
}

/** What has to be looked up before a document can be validated. */
export function needsOf(document: WorkflowDocument): Needs {
  const tools = new Set<string>();
  const subworkflows = new Map<string, Needs["subworkflows"][number]>();
  for (const node of everyNode(document.nodes)) {
    const name = toolOf(node);
    if (name?.includes(":") === true) tools.add(name);
    if (node.type !== "subworkflow") continue;
    const { workflowId, version } = node.subworkflow;
    subworkflows.set(subworkflowKey(workflowId, version), { workflowId, version });
  }
  return { tools: [...tools], subworkflows: [...subworkflows.values()] };
}

/** What was looked up outside a document. */
export interface LookupResult {
  readonly tools: readonly ToolView[];
  /** By the key of workflow and version; null where there is none. */
  readonly subworkflows: Readonly<Record<string, SubworkflowView | null>>;
  /** How each sibling is set up. */
  readonly siblings: Readonly<Record<string, SiblingView>>;
  /** Names of connected tools, when one that is named does not exist. */
  readonly synced?: readonly string[];
}

/** More synced tools or workflows than one document sensibly names; what is beyond is not known to validation. */
const MAX_LOOKUPS = 500;

/** Looks up what a document needs. */
export async function lookUp({ tools, subworkflows }: Needs, context: Looking): Promise<LookupResult> {
  const { services, caller } = context;
  const named = tools.slice(0, MAX_LOOKUPS);
  const views = await viewsOf(named, services, caller);
  const synced = views.length < named.length ? await connectedNames(context) : undefined;
  const known = new Map<string, SubworkflowView | null>();
  const found: Record<string, SubworkflowView | null> = {};
  for (const { workflowId, version } of subworkflows.slice(0, MAX_LOOKUPS)) {
    const key = subworkflowKey(workflowId, version);
    found[key] = known.get(key) ?? (await subworkflow(workflowId, version, { context, known, depth: 1 }));
    known.set(key, found[key]);
  }
  const siblings = Object.fromEntries(
    services.siblings.all().map(({ name, configured, capabilities }) => [name, { configured, capabilities }]),
  );
  return { tools: views, subworkflows: found, siblings, ...(synced && { synced }) };
}

/** The view of what was looked up, beside the tools of this service. */
export function viewOfLookup(own: Iterable<ToolView>, found: LookupResult): ToolCatalogView {
  const { tools, subworkflows, synced, siblings } = found;
  return catalogView(
    [...own, ...tools],
    new Map(Object.entries(subworkflows)),
    synced,
    (name) => siblings[name],
  );
}

/** Looks up everything outside a document that its validity depends on: synced tools and other workflows. */
export async function loadView(document: WorkflowDocument, context: Looking): Promise<ToolCatalogView> {
  const found = await lookUp(needsOf(document), context);
  return viewOfLookup(context.services.catalog.tools.map(viewOfTool), found);
}

/** Names of connected tools that a misspelt one can be compared with. */
async function connectedNames({ services, caller }: Looking): Promise<readonly string[]> {
  const heads = await services.connections.search("", 1_000);
  return heads
    .filter(({ connection }) => maySee(caller, connection))
    .map(({ connection, name }) => `${connection}:${name}`);
}

/** The connected tools that a document names, in whatever state they are. */
function connectedViews(
  document: WorkflowDocument,
  services: Pick<Services, "connections">,
  caller: Caller,
): Promise<readonly ToolView[]> {
  return viewsOf(needsOf(document).tools, services, caller);
}

async function viewsOf(
  names: readonly string[],
  { connections }: Pick<Services, "connections">,
  caller: Caller,
): Promise<readonly ToolView[]> {
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

/** The tool that a node calls, or a map for each item. */
export function toolOf(node: WorkflowNode): string | null {
  if (node.type === "tool") return node.tool;
  return node.type === "map" && !isGraphBody(node.map.body) ? node.map.body.tool : null;
}

/** Workflows that run each other are followed this deep; what is deeper counts as destructive. */
const MAX_DEPTH = 8;
/** The number of other workflows that are read for one document; what is beyond counts as destructive. */
const MAX_KNOWN = 200;
const FROM_HARMLESS: readonly Effect[] = ["none", "write", "external", "destructive"];

interface Lookup {
  readonly context: Looking;
  /** What was looked up already; null also while it is looked at, so that a circle ends. */
  readonly known: Map<string, SubworkflowView | null>;
  readonly depth: number;
}

async function worstEffect(document: WorkflowDocument, lookup: Lookup): Promise<Effect> {
  const { services, caller } = lookup.context;
  const connected = await connectedViews(document, services, caller);
  let worst = 0;
  for (const node of everyNode(document.nodes)) {
    const name = toolOf(node);
    const effect =
      name === null
        ? await effectWithoutTool(node, lookup)
        : (services.catalog.tool(name) ?? connected.find((tool) => tool.name === name))?.effect;
    worst = Math.max(worst, FROM_HARMLESS.indexOf(effect ?? "destructive"));
  }
  return FROM_HARMLESS[worst] ?? "destructive";
}

async function effectWithoutTool(node: WorkflowNode, lookup: Lookup): Promise<Effect> {
  if (node.type === "handoff") return node.handoff.dryRun === true ? "none" : "external";
  if (node.type !== "subworkflow") return "none";
  const { workflowId, version } = node.subworkflow;
  const { known, depth } = lookup;
  const key = subworkflowKey(workflowId, version);
  if (!known.has(key)) {
    if (depth >= MAX_DEPTH || known.size >= MAX_KNOWN) return "destructive";
    known.set(key, await subworkflow(workflowId, version, { ...lookup, depth: depth + 1 }));
  }
  return known.get(key)?.effect ?? "destructive";
}

async function subworkflow(
  workflowId: string,
  version: number | undefined,
  lookup: Lookup,
): Promise<SubworkflowView | null> {
  const { context, known } = lookup;
  known.set(subworkflowKey(workflowId, version), null);
  const { workflows } = context.services.store.read;
  const record = await workflows.get(workflowId);
  if (record === null || record.status !== "published" || record.publishedVersion === null) return null;
  // A workflow that the caller may not see is like one that does not exist: not even its inputs show.
  if (workflowAccess(context.caller, record) === null) return null;
  const published = await workflows.version(workflowId, version ?? record.publishedVersion);
  if (published === null) return null;
  const { document } = parseDocument(published.document);
  return {
    version: published.version,
    digest: published.digest,
    inputs: document.inputs,
    outputs: document.outputs,
    effect: await worstEffect(document, lookup),
    external: externalSteps(document, lookup),
  };
}

/** The steps of a workflow that another service has to confirm; those it runs have been looked up. */
function externalSteps(
  document: WorkflowDocument,
  { context, known }: Lookup,
): NonNullable<SubworkflowView["external"]> {
  return [...everyNode(document.nodes)].flatMap((node) => {
    if (node.type === "subworkflow") {
      const child = known.get(subworkflowKey(node.subworkflow.workflowId, node.subworkflow.version));
      return (child?.external ?? []).map((step) => ({ ...step, stepId: `${node.id}/${step.stepId}` }));
    }
    const name = toolOf(node);
    const isExternal =
      node.type === "handoff" || (name !== null && context.services.catalog.tool(name)?.asks !== undefined);
    return isExternal ? [{ stepId: node.id, node }] : [];
  });
}

/** A workflow in a list: what it is, not what it holds. */
export function summaryOf(record: WorkflowRecord, accessLevel: WorkflowAccess): WorkflowSummary {
  if (accessLevel === "public") return publicSummary(asPublished(record));
  return {
    ...publicSummary(record),
    owner: record.owner,
    hasNewTexts: hasNewTexts(record),
    createdBy: record.createdBy,
    updatedBy: record.updatedBy,
    revision: record.revision,
    digest: record.digest,
    steps: stepsIn(record.document),
  };
}

/** How many steps a document has, those inside maps too. */
function stepsIn(graph: Json | undefined): number {
  const nodes = isObject(graph) && Array.isArray(graph["nodes"]) ? graph["nodes"] : [];
  return nodes.reduce((sum: number, node) => sum + 1 + stepsIn(bodyOf(node)), 0);
}

function bodyOf(node: unknown): Json | undefined {
  const map = isObject(node) ? node["map"] : undefined;
  const body = isObject(map) ? map["body"] : undefined;
  return isJsonObject(body) ? body : undefined;
}

/** A whole workflow with the document that the caller may see; its own when none is given. */
export function fullView(
  record: WorkflowRecord,
  { document, digest, accessLevel = "full" }: Seen = record,
): WorkflowView {
  const { nodes, edges } = document;
  return { ...summaryOf(record, accessLevel), digest, nodes: listOf(nodes), edges: listOf(edges), document };
}

function listOf(value: Json = null): Json[] {
  return isList(value) ? [...value] : [];
}

interface Seen {
  readonly document: JsonObject;
  readonly digest: string;
  readonly accessLevel?: WorkflowAccess;
}
