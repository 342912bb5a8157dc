import { listArtifacts } from "../artifacts/registry.ts";
import { EVENT_TYPES } from "../events/catalogue.ts";
import { isObject } from "../kernel/json.ts";
import { allows, listedFor, ownedFor } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import { SIBLING_NAMES } from "../ports/settings.ts";
import type { PageRequest } from "../ports/store.ts";
import { listApprovals } from "../approvals/list.ts";
import { listForms } from "../rendering/rendered-forms.ts";
import { listTemplates } from "../workflows/template-library.ts";
import { summaryOf } from "../workflows/views.ts";
import { workflowAccess } from "../workflows/visibility.ts";

/** What a caller can continue a value with. */
export interface Completion {
  readonly values: readonly string[];
  /** Left out when not every record was looked at. */
  readonly total?: number;
  readonly hasMore: boolean;
}

/** The most values in one answer, as the protocol has it. */
const MAX_VALUES = 100;
const PAGE = 100;
/** Pages of the newest records that are looked through for one answer. */
const MAX_PAGES = 10;

/** A value, and another text by which a person may look for it. */
interface Candidate {
  readonly value: string;
  readonly label?: string;
}

interface CandidatePage {
  readonly items: readonly Candidate[];
  readonly nextCursor: string | null;
}

/** Gives one page of what the caller may see: the same rules as the lists have. */
type Source = (context: CallContext, page: PageRequest) => Promise<CandidatePage> | CandidatePage;

const workflows: Source = async ({ services, caller }, page) => {
  const { items, nextCursor } = await services.store.read.workflows.list(page, listedFor(caller));
  const named = items.map((record) => summaryOf(record, workflowAccess(caller, record) ?? "public"));
  return { items: named.map(({ id, name }) => ({ value: id, label: name })), nextCursor };
};

const runs: Source = async ({ services, caller }, page) => {
  const { items, nextCursor } = await services.store.read.runs.list(page, listedFor(caller));
  return { items: items.map(({ id }) => ({ value: id })), nextCursor };
};

const approvals: Source = async ({ services, caller }, page) => {
  const found = await listApprovals(services, page, caller);
  return { items: candidates(found.approvals), nextCursor: found.nextCursor };
};

const artifacts: Source = async (context, page) => {
  const found = await listArtifacts(page, context);
  return { items: candidates(found.artifacts), nextCursor: found.nextCursor };
};

const templates: Source = async (context, page) => {
  const found = await listTemplates(page, context);
  return { items: candidates(found.templates), nextCursor: found.nextCursor };
};

const forms: Source = async ({ services, caller }, { cursor }) => {
  const meta = cursor === undefined ? {} : { "svc/cursor": cursor };
  const found = await listForms({ services, caller, meta });
  return { items: candidates(found.forms), nextCursor: found.nextCursor };
};

const handoffs: Source = async ({ services, caller }, page) => {
  // No handoff is public.
  if (!allows(caller, "handoff") && !allows(caller, "read-private")) return { items: [], nextCursor: null };
  const { items, nextCursor } = await services.store.read.handoffs.list(page, ownedFor(caller));
  return { items: items.map(({ id }) => ({ value: id })), nextCursor };
};

const tools: Source = ({ services }) =>
  whole(services.catalog.tools.map(({ name, title }) => ({ value: name, label: title })));

const siblings: Source = () => whole(SIBLING_NAMES.map((value) => ({ value })));

const eventTypes: Source = () => whole(EVENT_TYPES.map(({ type }) => ({ value: type })));

function whole(items: readonly Candidate[]): CandidatePage {
  return { items, nextCursor: null };
}

/** Ids of records as a list shows them, with the names that it shows. */
function candidates(records: readonly unknown[]): readonly Candidate[] {
  return records.flatMap((record) => {
    if (!isObject(record) || typeof record["id"] !== "string") return [];
    const label = record["name"] ?? record["title"];
    return [{ value: record["id"], ...(typeof label === "string" && { label }) }];
  });
}

const BY_TEMPLATE: Readonly<Record<string, readonly Source[]>> = {
  "svc://workflow/{id}": [workflows],
  "svc://run/{id}": [runs],
  "svc://artifact/{id}": [artifacts],
  "svc://template/{id}": [templates],
  "svc://rendered-form/{id}": [forms],
};

const BY_ARGUMENT: Readonly<Record<string, readonly Source[]>> = {
  toolName: [tools],
  target: [tools],
  workflowId: [workflows],
  leftId: [workflows],
  rightId: [workflows],
  runId: [runs],
  approvalId: [approvals],
  artifactId: [artifacts],
  templateId: [templates],
  formId: [forms],
  delegationId: [handoffs],
  subjectId: [workflows, runs, artifacts, handoffs, forms],
  targetService: [siblings],
  peer: [siblings],
  eventName: [eventTypes],
  events: [eventTypes],
};

/** Completes the variable of a resource template with records that the caller may see. */
export function completeId(
  uriTemplate: string,
  variable: string,
  begun: string,
  context: CallContext,
): Promise<Completion> {
  const sources =
    variable === "id" && Object.hasOwn(BY_TEMPLATE, uriTemplate) ? BY_TEMPLATE[uriTemplate] : [];
  return complete(sources, begun, context);
}

/** Completes an argument of a prompt; one of free text has no completion. */
export function completeArgument(name: string, begun: string, context: CallContext): Promise<Completion> {
  return complete(Object.hasOwn(BY_ARGUMENT, name) ? BY_ARGUMENT[name] : [], begun, context);
}

async function complete(
  sources: readonly Source[] = [],
  begun: string,
  context: CallContext,
): Promise<Completion> {
  const sought = begun.toLowerCase();
  const begins: string[] = [];
  const contains: string[] = [];
  let isWhole = true;
  for (const source of sources) {
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES; page++) {
      const found: CandidatePage = await source(context, {
        limit: PAGE,
        ...(cursor !== null && { cursor }),
      });
      for (const { value, label = "" } of found.items) {
        if (value.toLowerCase().startsWith(sought)) begins.push(value);
        else if (`${value}\n${label}`.toLowerCase().includes(sought)) contains.push(value);
      }
      cursor = found.nextCursor;
      if (cursor === null) break;
    }
    if (cursor !== null) isWhole = false;
  }
  const values = [...begins, ...contains];
  return {
    values: values.slice(0, MAX_VALUES),
    ...(isWhole && { total: values.length }),
    hasMore: values.length > MAX_VALUES || !isWhole,
  };
}
