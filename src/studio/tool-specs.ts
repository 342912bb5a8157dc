import { isObject, type Json, type JsonObject, plainJson } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { Tool } from "../ports/operations.ts";
import { SIBLING_NAMES } from "../ports/settings.ts";

/** What was asked for: by service, by capability, by name, or as chosen steps. */
export interface SpecRequest {
  readonly service?: string;
  readonly services?: readonly Json[];
  readonly capability?: string;
  readonly toolchain?: readonly Json[];
  readonly selected_steps?: JsonObject;
  readonly source_url?: string;
  readonly topic?: string;
}

/** One chosen tool, with arguments that the request gave for it. */
export interface ChosenTool {
  readonly stepId: string;
  readonly tool: Tool;
  readonly given: JsonObject;
}

/** The tools a request chooses, and the names in it that are unknown. */
export interface Choice {
  readonly chosen: readonly ChosenTool[];
  readonly unknown: readonly { readonly name: string; readonly nearest: readonly string[] }[];
}

/** Which tools speak to a sibling, for requests that name a service. */
const TOOLS_OF_SERVICE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    svc: ["render_json_schema_form", "validate_form_input", "create_local_artifact", "create_share_packet"],
    docs: ["create_docs_report", "publish_docs_report"],
    sheets: ["create_sheet_export", "create_sheet_report"],
    catalog: ["create_catalog_entry"],
    sandbox: ["trigger_sandbox", "trigger_sandbox_validation"],
    evals: ["trigger_evals", "trigger_eval"],
    browsercheck: ["trigger_browsercheck", "trigger_browsercheck_check"],
    ascii: ["render_ascii_conversion_form", "execute_ascii_conversion"],
    layout: ["preview_layout_artifact", "score_layout_artifact", "export_layout_artifact"],
    studio: ["preview_studio_design", "convert_studio_design_to_workflow", "import_studio_design"],
    mcp: ["list_mcp_tools", "sync_network_tools", "execute_mcp_tool"],
    spec: ["validate_workflow", "render_openapi_operation_form"],
  }),
);

const MOST_TOOLS = 20;

/** Chooses tools for a request. Order is kept, each tool comes once, and at most twenty are taken. */
export function chooseTools(request: SpecRequest, tools: readonly Tool[]): Choice {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const chosen = new Map<string, ChosenTool>();
  const unknown: { name: string; nearest: readonly string[] }[] = [];

  const add = (name: string, stepId: string, given: JsonObject): void => {
    const tool = byName.get(name);
    if (!tool) unknown.push({ name: name.slice(0, 100), nearest: nearestNames(name, byName.keys()) });
    else if (!chosen.has(name) && chosen.size < MOST_TOOLS) chosen.set(name, { stepId, tool, given });
  };

  for (const entry of request.toolchain ?? []) {
    const { name, args } = namedEntry(entry);
    add(name, name, args);
  }
  for (const [stepId, entry] of Object.entries(request.selected_steps ?? {})) {
    if (entry === false || entry === undefined) continue;
    const { name, args } = namedEntry(entry === true ? stepId : entry);
    add(name, stepId, args);
  }
  const services = [request.service, ...(request.services ?? [])].filter((name) => typeof name === "string");
  for (const service of services) {
    const names = TOOLS_OF_SERVICE.get(service.toLowerCase());
    if (names) for (const name of names) add(name, name, {});
    else unknown.push({ name: service.slice(0, 100), nearest: nearestNames(service, SIBLING_NAMES) });
  }
  for (const name of capable(request.capability, tools)) add(name, name, {});
  if (chosen.size === 0 && unknown.length === 0)
    for (const name of TOOLS_OF_SERVICE.get("svc") ?? []) add(name, name, {});
  return { chosen: [...chosen.values()], unknown };
}

/** Tools whose name or title has all words of the capability, best known first. */
function capable(capability: string | undefined, tools: readonly Tool[]): readonly string[] {
  const words = capability?.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  if (words.length === 0) return [];
  return tools
    .filter((tool) => words.every((word) => `${tool.name} ${tool.title}`.toLowerCase().includes(word)))
    .map((tool) => tool.name)
    .slice(0, 8);
}

function namedEntry(entry: Json): { name: string; args: JsonObject } {
  if (typeof entry === "string") return { name: entry, args: {} };
  if (!isObject(entry)) return { name: JSON.stringify(entry), args: {} };
  const name = entry.tool ?? entry.name;
  const args = entry.arguments ?? entry.with;
  return {
    name: typeof name === "string" ? name : JSON.stringify(entry).slice(0, 80),
    args: isObject(args) ? plainJson(args) : {},
  };
}

/** Arguments that fit a tool: those given, and a value for whatever else it requires. */
export function exampleFor(tool: Tool, given: JsonObject, topic: string): JsonObject {
  const properties: Readonly<Record<string, unknown>> = tool.input.properties;
  const required: readonly string[] = tool.input.required ?? [];
  const filled = required
    .filter((name) => given[name] === undefined)
    .map((name) => [name, exampleValue(name, properties[name], topic)] as const);
  return { ...Object.fromEntries(filled), ...given };
}

function exampleValue(name: string, schema: unknown, topic: string): Json {
  const read: { type?: string; enum?: readonly string[]; minimum?: number } = JSON.parse(
    JSON.stringify(schema ?? {}),
  );
  const [option] = read.enum ?? [];
  if (option !== undefined) return option;
  if (read.type === "object")
    return name === "schema" ? { type: "object", properties: {} } : { title: topic };
  if (read.type === "array") return [];
  if (read.type === "boolean") return true;
  if (read.type === "number") return read.minimum ?? 1;
  return name === "title" || name === "name" ? topic : "example";
}

/** The id of a step in a workflow: the one asked for where it can be one. */
export function nodeId(stepId: string, index: number): string {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/.test(stepId) ? stepId : `step_${index + 1}`;
}
