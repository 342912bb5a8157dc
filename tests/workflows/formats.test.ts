import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type * as ServerlessWorkflow from "@serverlessworkflow/sdk";
import fc from "fast-check";
import { parse } from "yaml";
import { AppError } from "../../src/kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";
import { catalogView, viewOfTool } from "../../src/workflows/catalog-view.ts";
import { diffDocuments } from "../../src/workflows/diff.ts";
import { documentDigest, parseDocument } from "../../src/workflows/document.ts";
import { exportWorkflow, importWorkflow } from "../../src/formats/index.ts";
import type { ExportFormat, Portable } from "../../src/formats/format.ts";
import { builtInTemplates } from "../../src/workflows/templates/index.ts";
import { validateDocument } from "../../src/workflows/validate.ts";
import { tools } from "../../src/registry.ts";

/* Long on purpose: the cases share the sample documents at the top. */

// The package is CommonJS whose members an import does not see.
const serverlessWorkflow: typeof ServerlessWorkflow = createRequire(import.meta.url)(
  "@serverlessworkflow/sdk",
);
const BASE = "http://127.0.0.1:8080";
const view = catalogView(tools.map(viewOfTool));
const workflows: readonly Portable[] = builtInTemplates.map(({ name, description, tags, document }) => ({
  name,
  description,
  tags,
  version: 1,
  document: parseDocument(document).document,
}));
const withTools = workflows.filter(({ document }) => document.nodes.some((node) => node.type === "tool"));

/** A description as others write it. */
const FOREIGN_ARAZZO = `
arazzo: 1.0.1
info: { title: Buy a pet, version: 1.0.0 }
sourceDescriptions: [{ name: pets, url: ./pets.yaml, type: openapi }]
workflows:
  - workflowId: buy
    inputs: { type: object, properties: { tag: { type: string } } }
    steps:
      - stepId: find
        operationId: findPets
        parameters: [{ name: tag, in: query, value: $inputs.tag }]
        successCriteria: [{ condition: $statusCode == 200 }]
        onFailure: [{ name: again, type: retry, retryAfter: 2, retryLimit: 3 }]
        outputs: { first: $response.body#/0/id }
      - stepId: order
        operationId: placeOrder
        requestBody: { payload: { petId: $steps.find.outputs.first } }
        onFailure: [{ name: tell, type: goto, stepId: tell }]
        onSuccess: [{ name: done, type: end }]
      - stepId: tell
        operationId: sendMail
      - stepId: loop
        operationId: again
        onSuccess: [{ name: back, type: goto, stepId: find }]
    outputs: { pet: $steps.find.outputs.first }
`;

/** A definition as others write it. */
const FOREIGN_SERVERLESS = `
document: { dsl: 1.0.3, namespace: shop, name: order, version: 0.1.0, title: Order }
input: { schema: { document: { type: object, properties: { kind: { type: string }, items: { type: array } }, required: [kind] } } }
do:
  - prepare: { set: { kind: "\${ .kind }", fixed: 3 } }
  - route:
      switch:
        - fast: { when: '\${ .kind == "fast" and .kind != "slow" }', then: ship }
        - odd: { when: '\${ [.items[] | select(.x)] | length > 0 }', then: pause }
        - otherwise: { then: end }
  - pause: { wait: { seconds: 5 } }
  - both:
      fork:
        branches:
          - left: { call: http, with: { method: get, endpoint: https://example.com } }
          - right: { run: { shell: { command: ls } } }
  - ship:
      try: [{ send: { call: http, with: { method: post, endpoint: https://example.com/ship } } }]
      catch: { retry: { delay: { seconds: 1 }, limit: { attempt: { count: 5 } } }, do: [{ note: { set: { failed: true } } }] }
  - each: { for: { each: item, in: '\${ .items }' }, do: [{ one: { set: { done: true } } }] }
  - told: { emit: { event: { with: { source: https://example.com, type: done } } } }
`;

function without(text: string): JsonObject {
  // What the export carries for our own import is taken out, so that the other format alone is read.
  const value: unknown = JSON.parse(text, (key, item: unknown) =>
    key === "x-suite-workflow" ? undefined : item,
  );
  assert.ok(isJsonObject(value));
  return value;
}

describe("our own format", () => {
  test("round trips exactly, as JSON and as YAML", () => {
    for (const workflow of workflows) {
      for (const format of ["json", "yaml"] as const) {
        const exported = exportWorkflow(workflow, format, BASE);
        assert.deepEqual(exported.losses, []);
        const imported = importWorkflow(exported.text);
        assert.equal(imported.format, format);
        assert.deepEqual(
          [imported.name, imported.description, imported.tags],
          [workflow.name, workflow.description, workflow.tags],
        );
        const { document, problems } = parseDocument(imported.document);
        assert.deepEqual(problems, []);
        assert.deepEqual(document, workflow.document);
        assert.equal(exportWorkflow({ ...workflow, document }, format, BASE).text, exported.text);
      }
    }
  });

  test("round trips any value in YAML", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, name) => {
        const parsed = parseDocument({ nodes: [{ id: "a", type: "transform", value }], edges: [] });
        fc.pre(parsed.problems.length === 0);
        const workflow = { name, description: name, tags: [name], version: null, document: parsed.document };
        const imported = importWorkflow(exportWorkflow(workflow, "yaml", BASE).text);
        assert.deepEqual(parseDocument(imported.document).document, parsed.document);
        assert.deepEqual([imported.name, imported.description], [name, name]);
      }),
      { numRuns: 300 },
    );
  });

  test("refuses what is no workflow, without hanging", () => {
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${"bcdefghij"
      .split("")
      .map((c, i) => `${c}: &${c} [${`*${"abcdefghij"[i]},`.repeat(9)}1]`)
      .join("\n")}\n`;
    for (const text of ["", "[]", "42", "{", "just words", "a: b", bomb, "x".repeat(2_000_001)]) {
      assert.throws(() => importWorkflow(text), AppError);
    }
  });
});

describe("Arazzo 1.1", () => {
  test("exports satisfy the linter of the specification", async () => {
    const folder = await mkdtemp(join(tmpdir(), "arazzo-"));
    try {
      const files = await Promise.all(
        withTools.map(async (workflow, i) => {
          const file = join(folder, `${i}.arazzo.json`);
          await writeFile(file, JSON.stringify(without(exportWorkflow(workflow, "arazzo", BASE).text)));
          return file;
        }),
      );
      const redocly = fileURLToPath(new URL("../../node_modules/@redocly/cli/bin/cli.js", import.meta.url));
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      const lint = (list: readonly string[]) =>
        promisify(execFile)(process.execPath, [redocly, "lint", ...list, "--format", "summary"], {
          env,
          cwd: folder,
        });
      const foreign = join(folder, "foreign.arazzo.yaml");
      await writeFile(foreign, FOREIGN_ARAZZO);
      await lint([...files, foreign]);
      const wrong = join(folder, "wrong.arazzo.json");
      await writeFile(
        wrong,
        exportWorkflow(withTools[0] ?? workflows[0] ?? assert.fail(), "arazzo", BASE).text.replace(
          '"stepId"',
          '"stepID"',
        ),
      );
      await assert.rejects(lint([wrong]));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test("exports name every step and edge they cannot say", () => {
    for (const workflow of withTools) {
      const { losses, text } = exportWorkflow(workflow, "arazzo", BASE);
      for (const [index, node] of workflow.document.nodes.entries()) {
        if (node.type === "tool") assert.match(text, new RegExp(`"stepId": "${node.id}"`));
        else
          assert.ok(
            losses.some((loss) => loss.pointer === `/nodes/${index}`),
            node.id,
          );
      }
      assert.ok(losses.every((loss) => loss.what.length > 3 && loss.why.length > 3));
    }
    const mapsOnly = workflows.find(({ document }) => document.nodes.every((node) => node.type !== "tool"));
    if (mapsOnly !== undefined)
      assert.throws(() => exportWorkflow(mapsOnly, "arazzo", BASE), /no step that is one/);
  });

  test("our own exports are read back exactly, and without our extension as far as Arazzo says", () => {
    for (const workflow of withTools) {
      const { text } = exportWorkflow(workflow, "arazzo", BASE);
      assert.equal(
        documentDigest(parseDocument(importWorkflow(text).document).document),
        documentDigest(workflow.document),
      );
      const bare = parseDocument(importWorkflow(without(text)).document);
      assert.deepEqual(bare.problems, []);
      const names = (nodes: typeof bare.document.nodes) =>
        nodes.flatMap((node) => (node.type === "tool" ? [`${node.id} ${node.tool}`] : []));
      assert.deepEqual(names(bare.document.nodes).sort(), names(workflow.document.nodes).sort());
    }
  });

  test("a foreign description becomes a valid document, with what was lost named", () => {
    const imported = importWorkflow(FOREIGN_ARAZZO);
    assert.equal(imported.name, "Buy a pet");
    const parsed = parseDocument(imported.document);
    assert.deepEqual(validateDocument(parsed, view).problems, []);
    const find = parsed.document.nodes.find((node) => node.id === "find");
    assert.deepEqual(find?.retry, { maxAttempts: 4, backoffMs: 2000, factor: 1 });
    assert.ok(
      parsed.document.edges.some(
        (edge) => edge.from === "order" && edge.to === "tell" && edge.port === "error",
      ),
    );
    assert.ok(!parsed.document.edges.some((edge) => edge.from === "order" && edge.port === "success"));
    assert.ok(imported.losses.some((loss) => loss.what.includes("success criteria")));
    assert.ok(imported.losses.some((loss) => loss.what.includes("jump back")));
  });
});

describe("Serverless Workflow 1.0.3", () => {
  // The SDK carries the published schema of exactly this version.
  const check = (definition: JsonObject): void => {
    const head = definition["document"];
    assert.ok(isJsonObject(head) && head["dsl"] === "1.0.3");
    serverlessWorkflow.validate("Workflow", definition);
  };

  test("exports satisfy the schema of the specification", () => {
    for (const workflow of workflows) {
      const exported = exportWorkflow(workflow, "serverless", BASE);
      check(without(exported.text));
      check(JSON.parse(exported.text));
    }
    const wrong = without(exportWorkflow(workflows[0] ?? assert.fail(), "serverless", BASE).text);
    assert.throws(() => check({ ...wrong, do: [{ a: { cal: "http" } }] }));
  });

  test("every step is a task, conditions are said in jq, and what cannot be said is named", () => {
    for (const workflow of workflows) {
      const { text, losses } = exportWorkflow(workflow, "serverless", BASE);
      const definition = JSON.stringify(without(text)["do"]);
      for (const node of workflow.document.nodes) assert.ok(definition.includes(`"${node.id}"`), node.id);
      assert.ok(losses.every((loss) => loss.what.length > 3 && loss.why.length > 3));
    }
    const named = workflows.find(({ name }) => name.includes("triage"));
    const triage = exportWorkflow(named ?? assert.fail(), "serverless", BASE);
    assert.match(triage.text, /\$workflow\.input\[\\"payload\\"\]\[\\"severity\\"\] != null/);
    // jq has no check against a schema.
    assert.ok(triage.losses.some((loss) => JSON.stringify(loss).includes("fits")));
  });

  test("our own exports are read back exactly, and without our extension as a valid document", () => {
    for (const workflow of workflows) {
      const { text } = exportWorkflow(workflow, "serverless", BASE);
      assert.equal(
        documentDigest(parseDocument(importWorkflow(text).document).document),
        documentDigest(workflow.document),
      );
      const bare = parseDocument(importWorkflow(without(text)).document);
      assert.deepEqual(bare.problems, []);
    }
  });

  test("a foreign definition becomes a document that can be validated, with what was lost named", () => {
    serverlessWorkflow.validate("Workflow", parse(FOREIGN_SERVERLESS));
    const imported = importWorkflow(FOREIGN_SERVERLESS);
    const parsed = parseDocument(imported.document);
    assert.deepEqual(parsed.problems, []);
    const verdict = validateDocument(parsed, view);
    assert.deepEqual(
      verdict.problems.filter((item) => item.severity === "error"),
      [],
    );
    const types = Object.fromEntries(parsed.document.nodes.map((node) => [node.id, node.type]));
    assert.deepEqual(
      [types["prepare"], types["route"], types["pause"], types["left"], types["send"], types["each"]],
      ["transform", "switch", "wait", "handoff", "handoff", "map"],
    );
    const route = parsed.document.nodes.find((node) => node.id === "route");
    assert.equal(
      route?.type === "switch" && route.cases[0]?.when,
      'inputs.kind == "fast" && inputs.kind != "slow"',
    );
    assert.deepEqual(parsed.document.nodes.find((node) => node.id === "send")?.retry, {
      maxAttempts: 5,
      backoffMs: 1000,
    });
    assert.ok(
      imported.losses.some((loss) => loss.what.includes("select")),
      "the jq that cannot be said is named",
    );
    assert.ok(imported.losses.some((loss) => loss.pointer.includes("told")));
  });
});

describe("Mermaid", () => {
  test("draws every step, and nothing of a document becomes markup", () => {
    for (const workflow of workflows) {
      const { text, losses } = exportWorkflow(workflow, "mermaid", BASE);
      assert.match(text, /flowchart TD/);
      assert.equal(losses.length, 1);
    }
    const evil = parseDocument({
      nodes: [
        { id: "end", type: "transform", title: '"]; click n0 "javascript:alert(1)"\n<script>', value: 1 },
      ],
      edges: [],
    }).document;
    const { text } = exportWorkflow(
      { name: 'x"\n---\nclick', description: "", tags: [], version: null, document: evil },
      "mermaid",
      BASE,
    );
    assert.doesNotMatch(text, /<script>|^\s*click/m);
    assert.equal(text.split("\n").filter((line) => line === "---").length, 2);
    assert.deepEqual(Object.keys(parse(text.split("\n---\n")[0]?.slice(4) ?? "")), ["title"]);
  });
});

describe("any import", () => {
  test("of any JSON gives a document or a clear refusal", () => {
    const shape = fc.oneof(
      fc.record(
        { arazzo: fc.jsonValue(), workflows: fc.jsonValue(), info: fc.jsonValue() },
        { requiredKeys: ["arazzo"] },
      ),
      fc.record({
        document: fc.record(
          { dsl: fc.constant("1.0.0"), name: fc.jsonValue(), metadata: fc.jsonValue() },
          { requiredKeys: ["dsl"] },
        ),
        do: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.dictionary(
              fc.string(),
              fc.dictionary(
                fc.constantFrom(
                  "set",
                  "wait",
                  "switch",
                  "fork",
                  "for",
                  "try",
                  "do",
                  "call",
                  "run",
                  "then",
                  "if",
                ),
                fc.jsonValue(),
              ),
            ),
          ),
        ),
      }),
      fc.record({ nodes: fc.jsonValue(), edges: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(shape, (given) => {
        const value: unknown = JSON.parse(JSON.stringify(given));
        assert.ok(isJsonObject(value));
        try {
          validateDocument(parseDocument(importWorkflow(value).document), view);
        } catch (error) {
          assert.ok(error instanceof AppError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("differences", () => {
  test("say what changed, and nothing when nothing did", () => {
    const one = workflows.find(({ document }) => document.nodes.some(({ id }) => id === "refused"));
    assert.ok(one !== undefined);
    assert.equal(
      diffDocuments(one.document, { ...one.document, ui: { positions: { check: { x: 1, y: 1 } } } }).same,
      true,
    );
    const changed = {
      ...one.document,
      nodes: one.document.nodes
        .map((node) => (node.id === "keep" ? { ...node, timeoutMs: 5 } : node))
        .filter((node) => node.id !== "refused"),
      edges: one.document.edges.filter((edge) => edge.to !== "refused"),
      policy: {},
    };
    const diff = diffDocuments(one.document, changed);
    assert.deepEqual(diff.nodes, {
      added: [],
      removed: ["refused"],
      changed: [{ id: "keep", fields: ["timeoutMs"] }],
    });
    assert.equal(diff.edges.removed.length, 2);
    assert.deepEqual(diff.parts, ["policy"]);
    const formats: readonly ExportFormat[] = ["json", "yaml", "arazzo", "serverless", "mermaid"];
    assert.equal(new Set(formats.map((format) => exportWorkflow(one, format, BASE).fileName)).size, 5);
  });
});
