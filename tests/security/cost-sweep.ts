import { isObject } from "../../src/kernel/json.ts";
import { placesOf, routeOfOperation, type Operation } from "../../src/ports/operations.ts";
import { operations } from "../../src/registry.ts";
import { TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { seed, type Seeds } from "./seeds.ts";
import { ARRAYS, DOCUMENTS, FORMS, OBJECTS, TEXTS, type Shape } from "./shapes.ts";

/** One place in the service that takes input of a growing size. */
export interface Target {
  readonly place: string;
  readonly shape: Shape;
  readonly send: (input: unknown) => Promise<number>;
  /** Sizes of its own, and what they may cost; those of the sweep and `MAX_CPU_MS` without them. */
  readonly sizes?: readonly number[];
  readonly maxMs?: number;
}

/** What was found too costly. */
export interface CostFinding {
  readonly place: string;
  readonly shape: string;
  readonly size: number;
  readonly cpuMs: number;
  readonly problem: string;
}

/** The most that one request may cost the main thread. */
export const MAX_CPU_MS = 100;
/** Below this the cost of a request is noise and its growth says nothing. */
const NOISE_MS = 25;
const REPEATS = 3;
/** What fits into a query. */
const QUERY_SIZES = [1_000, 3_000];
const CPU = /^svc_main_thread_cpu_seconds_total (\S+)$/m;
const JSON_HEADERS = { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` };

/** Every place of a running service that takes input: parameters, bodies, queries, headers, packets and documents. */
export async function targetsOf(service: ServiceProcess): Promise<readonly Target[]> {
  const listed = await service.rpc("tools/list");
  const { result }: { readonly result: { readonly tools: readonly ToolEntry[] } } = JSON.parse(listed.text);
  return [
    ...result.tools.flatMap((tool) => toolTargets(service, tool)),
    ...routeTargets(service, await seed(service)),
    ...headerTargets(service),
    ...packetTargets(service),
    ...DOCUMENTS.map((shape) => ({
      place: "POST /api/svc/workflows/import text",
      shape,
      send: (input: unknown) => post(service, "/api/svc/workflows/import", { text: input }),
    })),
    ...DOCUMENTS.map((shape) => ({
      place: "POST /api/svc/connections document",
      shape,
      send: (input: unknown) =>
        post(service, "/api/svc/connections", { name: "pasted", kind: "openapi", document: input }),
    })),
  ];
}

interface ToolEntry {
  readonly name: string;
  readonly inputSchema: { readonly properties?: unknown; readonly required?: readonly string[] };
}

function toolTargets(service: ServiceProcess, { name, inputSchema }: ToolEntry): Target[] {
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  const base = Object.fromEntries(
    (inputSchema.required ?? []).map((member) => [member, smallest(properties[member])]),
  );
  return Object.entries(properties).flatMap(([member, schema]) =>
    shapesOf(schema).map((shape) => ({
      place: `${name} ${member}`,
      shape,
      send: async (input: unknown) =>
        (await service.call(name, { ...base, [member]: input }, { key: true })).status,
    })),
  );
}

function typeOf(schema: unknown): string {
  return isObject(schema) && typeof schema["type"] === "string" ? schema["type"] : "";
}

function shapesOf(schema: unknown): readonly Shape[] {
  const type = typeOf(schema);
  return type === "string" ? TEXTS : type === "object" ? OBJECTS : type === "array" ? ARRAYS : [];
}

function smallest(schema: unknown): unknown {
  const type = typeOf(schema);
  return type === "object"
    ? {}
    : type === "array"
      ? []
      : type === "number"
        ? 1
        : type === "boolean"
          ? true
          : "x";
}

/** Everything that a request to an operation carries: its query, its body as a whole, and each member of its body. */
function routeTargets(service: ServiceProcess, seeds: Seeds): Target[] {
  // What stops calls or ends what others need comes last.
  const last = ({ name, effect }: Operation): number =>
    Number(effect === "destructive") + 2 * Number(/guard|sign_out|password|revoke|rotate/.test(name));
  return operations
    .filter(({ name, http }) => name !== "call_gateway" && !/\/events$|GET \/mcp/.test(http))
    .toSorted((a, b) => last(a) - last(b))
    .flatMap((operation) => operationTargets(service, operation, seeds));
}

function operationTargets(service: ServiceProcess, operation: Operation, seeds: Seeds): Target[] {
  const { method, path } = routeOfOperation(operation);
  const filled = seeds.fill(path);
  const places = placesOf(operation);
  const { properties, required } = operation.input;
  const place = `${method} ${path}`;
  const ask = async (query: string, body?: string, type = "application/json"): Promise<number> => {
    const response = await service.fetch(`${filled}${query}`, {
      method,
      redirect: "manual",
      headers: { ...seeds.headers(operation.access), ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const inQuery = [...places.query.filter((name) => shapesOf(properties[name]) === TEXTS), "q"];
  if (method === "GET" || method === "DELETE") {
    return inQuery.flatMap((name) =>
      TEXTS.map((shape) => ({
        place: `${place} query ${name}`,
        shape,
        // A member that is not known is refused before anything is deleted.
        send: (input: unknown) =>
          ask(
            `?${new URLSearchParams({ [name]: String(input).slice(0, 3_000), ...(method === "DELETE" && { q: "" }) }).toString()}`,
          ),
        sizes: QUERY_SIZES,
      })),
    );
  }
  const bodyType = "bodyType" in operation ? operation.bodyType : undefined;
  if (bodyType === "application/x-www-form-urlencoded")
    return FORMS.map((shape) => ({
      place,
      shape,
      send: (input: unknown) => ask("", String(input), bodyType),
    }));
  const base = Object.fromEntries(
    required.filter((name) => places.body.includes(name)).map((name) => [name, smallest(properties[name])]),
  );
  return [
    ...OBJECTS.map((shape) => ({ place, shape, send: (input: unknown) => ask("", JSON.stringify(input)) })),
    ...places.body.flatMap((member) =>
      shapesOf(properties[member]).map((shape) => ({
        place: `${place} ${member}`,
        shape,
        send: (input: unknown) => ask("", JSON.stringify({ ...base, [member]: input })),
      })),
    ),
  ];
}

const HEADERS = [
  "authorization",
  "x-suite-api-key",
  "accept",
  "accept-encoding",
  "if-none-match",
  "traceparent",
  "x-request-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "origin",
  "x-forwarded-for",
];

function headerTargets(service: ServiceProcess): Target[] {
  return HEADERS.flatMap((header) =>
    TEXTS.filter(({ name }) => name !== "wide letters" && name !== "lines").map((shape) => ({
      place: `header ${header}`,
      shape,
      send: (input: unknown) => get(service, "/api/mcp", { [header]: String(input).slice(0, 12_000).trim() }),
    })),
  );
}

const PACKET = {
  schemaVersion: "suite.handoff.v1",
  delegationId: "delegation_spec_0123456789abcdef",
  sourceService: "spec",
  targetService: "workflow-ui",
  capability: "receive",
  intent: "test",
  dryRun: true,
  payload: {},
  inputArtifactIds: [],
};

function packetTargets(service: ServiceProcess): Target[] {
  return Object.entries(PACKET).flatMap(([member, value]) => {
    const shapes = Array.isArray(value)
      ? ARRAYS
      : isObject(value)
        ? OBJECTS
        : typeof value === "string"
          ? TEXTS
          : [];
    return shapes.map((shape) => ({
      place: `packet ${member}`,
      shape,
      send: (input: unknown) => post(service, "/api/svc/receive-handoff", { ...PACKET, [member]: input }),
    }));
  });
}

async function post(service: ServiceProcess, path: string, body: unknown): Promise<number> {
  const response = await service.fetch(path, {
    method: "POST",
    headers: JSON_HEADERS,
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

async function get(
  service: ServiceProcess,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await service.fetch(path, { headers });
  await response.arrayBuffer();
  return response.status;
}

async function cpuMs(service: ServiceProcess): Promise<number> {
  const text = await (await service.fetch("/metrics")).text();
  return Number(CPU.exec(text)?.[1] ?? Number.NaN) * 1_000;
}

/** The least that one request cost the main thread in a few attempts; the first may compile and render. */
async function cost(service: ServiceProcess, target: Target, size: number): Promise<number> {
  const input = target.shape.make(size);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < REPEATS && least > NOISE_MS; attempt++) {
    const idle = await cpuMs(service);
    const before = await cpuMs(service);
    const status = await target.send(input);
    // 502: what a connected server answered is past the bound of an answer.
    const isRefused = [503, 504, ...(target.place.startsWith("answer of") ? [502] : [])].includes(status);
    if (status >= 500 && !isRefused)
      throw new Error(`${target.place}, ${target.shape.name}, ${size}: status ${status}`);
    least = Math.min(least, (await cpuMs(service)) - before - (before - idle));
  }
  return Math.max(0, least);
}

/** Grows the input of every target through the sizes and gives what costs too much or grows faster than n log n. */
export async function sweep(
  service: ServiceProcess,
  targets: readonly Target[],
  sizes: readonly number[],
  onProgress: (done: number) => void = () => undefined,
): Promise<{
  readonly findings: readonly CostFinding[];
  readonly requests: number;
  readonly worstMs: number;
}> {
  const findings: CostFinding[] = [];
  let requests = 0;
  let worstMs = 0;
  for (const [index, target] of targets.entries()) {
    let previous: { readonly size: number; readonly cpuMs: number } | null = null;
    for (const size of target.sizes ?? sizes) {
      const spent = await cost(service, target, size);
      requests += 1;
      worstMs = Math.max(worstMs, spent);
      const problem = problemOf(size, spent, previous, target.maxMs);
      if (problem !== null)
        findings.push({ place: target.place, shape: target.shape.name, size, cpuMs: spent, problem });
      previous = { size, cpuMs: spent };
    }
    onProgress(index + 1);
  }
  return { findings, requests, worstMs };
}

function problemOf(
  size: number,
  spent: number,
  previous: { readonly size: number; readonly cpuMs: number } | null,
  maxMs = MAX_CPU_MS,
): string | null {
  if (spent > maxMs) return `more than ${maxMs} ms of the main thread`;
  if (previous === null || previous.cpuMs < NOISE_MS / 5 || spent < NOISE_MS) return null;
  const allowed = (size * Math.log2(size)) / (previous.size * Math.log2(previous.size));
  // Twice what n log n allows: caches and garbage collection make steps in a curve.
  return spent / previous.cpuMs > 2 * allowed
    ? `${(spent / previous.cpuMs).toFixed(1)} times the cost for ${size / previous.size} times the size`
    : null;
}
