import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { ProposedTrigger } from "../model/triggers.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { TemplateRecord, WorkflowRecord } from "../ports/records.ts";
import type { PageRequest } from "../ports/store.ts";
import { documentDigest, documentJson, parseDocument } from "./document.ts";
import { resolvedExamples } from "./examples.ts";
import { createWorkflow } from "./library.ts";
import { builtInTemplates } from "./templates/index.ts";
import type { WorkflowTemplate } from "./templates/template.ts";

/** A template from either place, as callers see it. */
interface Entry {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly source: "built-in" | "stored";
  readonly needs: readonly string[];
  readonly exampleInputs: JsonObject;
  readonly triggers: readonly ProposedTrigger[];
  readonly document: JsonObject;
}

function fromCode(template: WorkflowTemplate): Entry {
  const { document } = parseDocument(template.document);
  return { triggers: [], ...template, source: "built-in", document: documentJson(document) };
}

function fromStore({ id, name, description, tags, document }: TemplateRecord): Entry {
  return {
    id,
    name,
    description,
    tags,
    source: "stored",
    needs: [],
    exampleInputs: {},
    triggers: [],
    document,
  };
}

let parsed: ReadonlyMap<string, Entry> | undefined;

/** Ours, by id; read when they are first asked for: a start does not wait for them. */
function builtIn(): ReadonlyMap<string, Entry> {
  return (parsed ??= new Map(builtInTemplates.map((item) => [item.id, fromCode(item)])));
}

/** A template in a list: what it is for, not what it holds. */
function summary(entry: Entry) {
  const { id, name, description, tags, source, needs, document } = entry;
  const { nodes } = document;
  return { id, name, description, tags, source, needs, steps: Array.isArray(nodes) ? nodes.length : 0 };
}

/** The built-in templates, then the stored ones. */
export async function listTemplates(page: PageRequest, context: CallContext) {
  const { cursor, limit } = page;
  // The built-in ones come first, by their position; then the stored ones with their own cursor.
  const from = cursor === undefined ? 0 : Number(/^own:(\d{1,4})$/.exec(cursor)?.[1] ?? Number.NaN);
  const own = Number.isNaN(from) ? [] : [...builtIn().values()].slice(from, from + limit);
  const left = limit - own.length;
  if (left === 0) return { templates: own.map(summary), nextCursor: `own:${from + limit}` };
  const stored = await context.services.store.read.templates.list({
    limit: left,
    ...(cursor !== undefined && Number.isNaN(from) && { cursor }),
  });
  return {
    templates: [...own, ...stored.items.map(fromStore)].map(summary),
    nextCursor: stored.nextCursor,
  };
}

async function find(id: string, context: CallContext): Promise<Entry> {
  const own = builtIn().get(id);
  if (own !== undefined) return own;
  const stored = await context.services.store.read.templates.get(id);
  if (stored !== null) return fromStore(stored);
  const nearest = nearestNames(id, builtIn().keys());
  throw new AppError("not_found", `There is no template ${id.slice(0, 100)}.`, {
    nextAction: `${nearest.length === 0 ? "" : `Did you mean ${nearest.join(" or ")}? `}List templates with list_templates (at /mcp list {"kind": "template"}).`,
    details: { nearest },
  });
}

/** One template with its document. */
export async function getTemplate(id: string, context: CallContext) {
  const entry = await find(id, context);
  return {
    ...summary(entry),
    exampleInputs: await resolvedExamples(entry.exampleInputs, context.services),
    triggers: entry.triggers.map((trigger) => ({ ...trigger })),
    digest: documentDigest(parseDocument(entry.document).document),
    ...graphAlone(entry.document),
    document: entry.document,
  };
}

/** The steps and edges of a document, with its inputs and outputs on nodes of their own: a graph that is whole without the rest. */
function graphAlone({ inputs, outputs, nodes, edges }: JsonObject) {
  const steps = nodes !== undefined && isList(nodes) ? nodes : [];
  const taken = new Set(steps.map((node) => (isJsonObject(node) ? node["id"] : null)));
  const free = (id: string): string => (taken.has(id) ? free(`${id}_`) : id);
  return {
    nodes: [
      ...(inputs === undefined ? [] : [{ id: free("start"), type: "start", inputs }]),
      ...steps,
      ...(outputs === undefined ? [] : [{ id: free("end"), type: "end", outputs }]),
    ],
    edges: edges !== undefined && isList(edges) ? edges : [],
  };
}

/** Stores a new private draft that holds what a template holds. */
export async function instantiate(
  id: string,
  given: { readonly name?: string; readonly owner?: string },
  context: CallContext,
): Promise<WorkflowRecord> {
  const entry = await find(id, context);
  return createWorkflow(
    {
      name: given.name ?? entry.name,
      description: entry.description,
      tags: [...entry.tags, `template:${entry.id}`.slice(0, 60)],
      ...(given.owner !== undefined && { owner: given.owner }),
      document: entry.document,
    },
    context,
  );
}
