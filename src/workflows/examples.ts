import type { JsonObject } from "../kernel/json.ts";
import { traceFrom } from "../kernel/trace.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { createWorkflow, publishWorkflow } from "./library.ts";

/*
 * Example inputs of templates name records and addresses that differ from service to service. What stands in the
 * templates is a placeholder; a caller who reads a template gets the addresses of this service.
 */

/** Placeholders in the example inputs of built-in templates. */
export const EXAMPLE = {
  workflow: "workflow_example",
  artifact: "artifact_example",
  service: "https://service.example",
  operation: "exampleOperation",
} as const;

/** What marks the records that were made for trying templates out. */
const MARK = "example";
/** One of the templates deletes the artifact it is given. */
const ARTIFACTS = 5;
/** An operation of our own OpenAPI document that needs no parameters. */
const OWN_OPERATION = "get_demo_flow";

/** Example inputs with each placeholder replaced by what there is; one stays when there is nothing to put there. */
export async function resolvedExamples(inputs: JsonObject, services: Services): Promise<JsonObject> {
  const values = Object.values(inputs);
  const found = new Map<unknown, string>([
    [EXAMPLE.service, services.settings.baseUrl],
    [EXAMPLE.operation, OWN_OPERATION],
  ]);
  if (values.includes(EXAMPLE.workflow)) {
    const id = await exampleWorkflow(services);
    if (id !== null) found.set(EXAMPLE.workflow, id);
  }
  if (values.includes(EXAMPLE.artifact)) {
    const [id] = await exampleArtifacts(services);
    if (id !== undefined) found.set(EXAMPLE.artifact, id);
  }
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, found.get(value) ?? value]));
}

/** Makes the records that example inputs need, where they are missing: for a service started to be tried out. */
export async function ensureExamples(services: Services): Promise<void> {
  const context = examplesContext(services);
  if ((await exampleWorkflow(services)) === null) {
    const { id } = await createWorkflow(
      {
        name: "Example: is the service healthy?",
        description: "A small workflow for trying the templates out.",
        tags: [MARK],
        nodes: [{ id: "health", type: "tool", title: "Ask for the health", tool: "get_health" }],
        edges: [],
      },
      context,
    );
    await publishWorkflow(id, context, true);
  }
  const missing = ARTIFACTS - (await exampleArtifacts(services)).length;
  for (let count = 0; count < missing; count++) {
    const artifact = {
      title: `Example note ${count + 1}`,
      type: MARK,
      privacy: "public",
      description: "A note for trying the templates out.",
      text: "Written when the service was started with its reference siblings.",
    };
    await services.catalog.call("save_artifact", { artifact }, context);
  }
}

/** What examples are made with. */
export function examplesContext(services: Services): CallContext {
  return {
    caller: { kind: "system", id: "examples", scopes: new Set(["admin"]) },
    services,
    trace: traceFrom(undefined),
    requestId: "examples",
    signal: new AbortController().signal,
    meta: {},
  };
}

async function exampleWorkflow({ store }: Services): Promise<string | null> {
  const { items } = await store.read.workflows.list({ limit: 100 }, { visibleTo: "public" });
  return items.find(({ tags }) => tags.includes(MARK))?.id ?? null;
}

async function exampleArtifacts({ store }: Services): Promise<readonly string[]> {
  const { items } = await store.read.artifacts.list({ limit: 100 }, { visibleTo: "public" });
  return items.filter(({ type }) => type === MARK).map(({ id }) => id);
}
