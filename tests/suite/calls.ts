import assert from "node:assert/strict";
import type { SiblingName } from "../../src/ports/settings.ts";

const PIXELS =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const DOCUMENT = {
  title: "Page",
  blocks: [
    { type: "heading", level: 1, text: "Page" },
    { type: "text", text: "Words." },
  ],
};

/** The workflow that the siblings score, walk, publish and export. */
export const WORKFLOW = {
  name: "Suite check",
  description: "A workflow that the siblings score, walk, publish and export in tests.",
  nodes: [
    { id: "info", type: "tool", tool: "get_health", with: {} },
    { id: "store", type: "tool", tool: "get_storage_status", with: {} },
  ],
  edges: [{ id: "e1", from: "info", to: "store" }],
};

/** What the calls are about, made before the first of them. */
export interface Made {
  readonly serviceUrl: string;
  readonly workflowId: string;
  readonly artifactId: string;
  readonly designId: string;
}

/** A call of a tool that needs a sibling: whom it needs, what it is called with, and what proves that the sibling did it. */
export interface SiblingCall {
  readonly sibling: SiblingName;
  readonly tool: string;
  readonly args: (nonce: string, made: Made) => object;
  // oxlint-disable-next-line typescript/no-explicit-any -- each sibling's result has a shape of its own
  readonly proves: (data: any, made: Made) => void;
}

/** Sends a packet to a sibling that no tool of its own belongs to. */
function delegated(
  sibling: SiblingName,
  action: string,
  artifact: (nonce: string) => object,
  // oxlint-disable-next-line typescript/no-explicit-any -- each sibling's result has a shape of its own
  proves: (result: any, resultRef: string) => void,
): SiblingCall {
  return {
    sibling,
    tool: "delegate_artifact",
    args: (nonce) => ({ targetService: sibling, artifact: artifact(nonce), action, dryRun: false }),
    proves: ({ handoff, resultRef }) => proves(handoff.evidence.confirmation.data, resultRef),
  };
}

/** Every sibling, and every tool that needs one. */
export const SIBLING_CALLS: readonly SiblingCall[] = [
  delegated(
    "root",
    "graph",
    (nonce) => ({ title: nonce }),
    ({ nodes }, resultRef) => {
      assert.match(resultRef, /\/api\/network\/graph$/);
      assert.ok(nodes.some(({ id }: { id: string }) => id === "root"));
    },
  ),
  delegated(
    "spec",
    "validate",
    (nonce) => ({ title: nonce, schema: { type: "object", required: "not a list" } }),
    ({ valid, errors }) => assert.deepEqual([valid, errors[0].pointer], [false, "/required"]),
  ),
  delegated(
    "trace",
    "record",
    (nonce) => ({ title: nonce, spans: [{ spanId: "00f067aa0ba902b7", name: nonce }] }),
    ({ spanCount, traceId }, resultRef) => {
      assert.equal(spanCount, 1);
      assert.ok(resultRef.endsWith(`/traces/${traceId}`));
    },
  ),
  delegated(
    "ai_gateway",
    "draft",
    (nonce) => ({ title: nonce, columns: ["n"], rows: [[1], [2]] }),
    ({ text, advisory }) => {
      assert.equal(advisory, true);
      assert.match(text, /3 in all/);
    },
  ),
  {
    sibling: "ascii",
    tool: "execute_ascii_conversion",
    args: () => ({ image: PIXELS, resolution: 12 }),
    proves: ({ result }) => assert.match(result["text"], /^[ -~]{12}(\n[ -~]{12})*$/),
  },
  {
    sibling: "layout",
    tool: "preview_layout_artifact",
    args: () => ({ document: DOCUMENT, viewport: "mobile" }),
    proves: ({ result }) => assert.match(result["html"], /<h1>Page<\/h1>/),
  },
  {
    sibling: "layout",
    tool: "score_layout_artifact",
    args: () => ({ document: DOCUMENT }),
    proves: ({ result }) => assert.equal(result["score"], 100),
  },
  {
    sibling: "layout",
    tool: "export_layout_artifact",
    args: () => ({ document: DOCUMENT, format: "markdown" }),
    proves: ({ result }) => assert.equal(result["content"], "# Page\n\nWords."),
  },
  {
    sibling: "docs",
    tool: "create_docs_report",
    args: (nonce) => ({ artifact: { title: "Report", description: nonce } }),
    proves: ({ resultRef }) => assert.match(resultRef, /\/reports\/report_[0-9a-f]{32}\.html$/),
  },
  {
    sibling: "docs",
    tool: "publish_docs_report",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(result["report"]["title"], WORKFLOW.name),
  },
  {
    sibling: "docs",
    tool: "publish_artifact",
    args: (_, made) => ({ artifactId: made.artifactId, target: "docs" }),
    proves: ({ result }) => assert.equal(result["report"]["status"], "published"),
  },
  {
    sibling: "sheets",
    tool: "create_sheet_export",
    args: (nonce) => ({ artifact: { title: nonce, rows: [{ name: "a", count: 1 }, { name: "b" }] } }),
    proves: ({ result }) =>
      assert.deepEqual([result["sheet"]["rowCount"], result["sheet"]["columnCount"]], [2, 2]),
  },
  {
    sibling: "sheets",
    tool: "create_sheet_report",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(result["sheet"]["rowCount"], 2),
  },
  {
    sibling: "catalog",
    tool: "create_catalog_entry",
    args: (nonce) => ({ artifact: { title: `Entry ${nonce}` } }),
    proves: ({ resultRef }) => assert.match(resultRef, /^entry_[0-9a-f]{32}$/),
  },
  {
    sibling: "sandbox",
    tool: "trigger_sandbox",
    args: (nonce) => ({ artifact: { title: nonce, script: "[1, 2, 3].map((n) => n * 2)" } }),
    proves: ({ result }) => assert.deepEqual(result["execution"]["value"], [2, 4, 6]),
  },
  {
    sibling: "sandbox",
    tool: "trigger_sandbox_validation",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.deepEqual(result["execution"]["value"]["order"], ["info", "store"]),
  },
  {
    sibling: "evals",
    tool: "trigger_evals",
    args: (nonce) => ({ artifact: { title: "Subject", description: nonce.padEnd(40, ".") } }),
    proves: ({ result }) => assert.equal(result["scorecard"]["criteria"].length, 5),
  },
  {
    sibling: "evals",
    tool: "trigger_eval",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(result["scorecard"]["score"], 1),
  },
  {
    sibling: "browsercheck",
    tool: "trigger_browsercheck",
    args: (nonce) => ({
      artifact: { title: nonce, html: "<html><body><h1>Hello</h1><img src='data:,'></body></html>" },
    }),
    proves: ({ result }) =>
      assert.ok(result["check"]["findings"].some(({ id }: { id: string }) => id === "image-alt")),
  },
  {
    sibling: "browsercheck",
    tool: "trigger_browsercheck_check",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }, made) => assert.ok(result["check"]["checkedUrl"].startsWith(made.serviceUrl)),
  },
  {
    sibling: "studio",
    tool: "import_studio_design",
    args: (_, made) => ({ designId: made.designId }),
    proves: ({ resultRef }, made) => assert.ok(String(resultRef).includes(made.designId)),
  },
  {
    sibling: "mcp",
    tool: "sync_network_tools",
    args: () => ({}),
    proves: ({ server }) => assert.equal(server, "mcp"),
  },
  {
    sibling: "mcp",
    tool: "execute_mcp_tool",
    args: () => ({ name: "mcp:count_words", arguments: { text: "one two three" } }),
    proves: ({ result }) => assert.equal(result["structuredContent"]["words"], 3),
  },
];
