import type { ServiceProcess } from "../support/service.ts";

/* Requests that once stopped the whole service, each small and without a key. */

/** One request and what a good answer to it is like. */
export interface Attack {
  readonly name: string;
  readonly send: (service: ServiceProcess) => Promise<{ readonly status: number; readonly text: string }>;
}

const tool =
  (name: string, args: unknown): Attack["send"] =>
  (service) =>
    service.call(name, args);

const post =
  (path: string, body: unknown): Attack["send"] =>
  async (service) => {
    const response = await service.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };

const yaml = (keys: number): string => Array.from({ length: keys }, (_, i) => `key${i}: 1`).join("\n");

/** A schema whose members are all the schema itself, with something beside the reference. */
export function selfReferences(count: number): Record<string, unknown> {
  return {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`p${i}`, { $ref: "#", minProperties: 1 }]),
    ),
  };
}

/** Many steps that each compare two long lists in a loop inside a loop. */
const comparisons = {
  nodes: Array.from({ length: 100 }, (_, i) => ({
    id: `c${i}`,
    type: "transform",
    value: { $expr: "inputs.a.all(x, inputs.a.all(y, inputs.b == inputs.c))" },
  })),
  edges: [],
  inputs: {
    a: Array.from({ length: 1_000 }, (_, i) => i),
    b: Array.from({ length: 1_000 }, (_, i) => [i]),
    c: Array.from({ length: 1_000 }, (_, i) => [i]),
  },
};

/** Every request of the attack that was reported, the largest of each kind. */
export const ATTACKS: readonly Attack[] = [
  { name: "YAML of 20,000 keys", send: post("/api/svc/workflows/import", { text: yaml(20_000) }) },
  {
    name: "a path of 5,000 opening braces",
    send: tool("render_openapi_operation_form", { method: "get", path: "/{".repeat(5_000) }),
  },
  {
    name: "a path of 2,000 opening braces, within the bound",
    send: tool("render_openapi_operation_form", { method: "get", path: "/{".repeat(2_000) }),
  },
  {
    name: "an address with 100,000 slashes",
    send: tool("render_openapi_operation_form", { serviceBaseUrl: `http://a${"/".repeat(100_000)}x` }),
  },
  {
    name: "an address with 4,000 slashes, within the bound",
    send: tool("render_openapi_operation_form", { serviceBaseUrl: `http://a${"/".repeat(4_000)}x` }),
  },
  {
    name: "an address that says asyncapi 2,500 times",
    send: tool("render_webhook_schema_form", {
      eventName: "x",
      serviceBaseUrl: `http://${"asyncapi".repeat(2_500)}/`,
    }),
  },
  {
    name: "an address that says asyncapi 500 times, within the bound",
    send: tool("render_webhook_schema_form", {
      eventName: "x",
      serviceBaseUrl: `http://${"asyncapi".repeat(500)}/`,
    }),
  },
  {
    name: "a schema of 900 references to itself",
    send: tool("render_json_schema_form", { schema: selfReferences(900) }),
  },
  { name: "a dry run that compares long lists in loops", send: tool("dry_run_workflow", comparisons) },
];
