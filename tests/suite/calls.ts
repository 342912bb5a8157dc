import assert from "node:assert/strict";
import type { SiblingName } from "../../src/ports/settings.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { at, listAt, objectsAt, textAt } from "../support/json.ts";

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
  readonly proves: (data: JsonObject, made: Made) => void;
}

/** Sends a packet to a sibling that no tool of its own belongs to. */
function delegated(
  sibling: SiblingName,
  action: string,
  artifact: (nonce: string) => object,
  proves: (result: Json | undefined, resultRef: string) => void,
): SiblingCall {
  return {
    sibling,
    tool: "delegate_artifact",
    args: (nonce) => ({ targetService: sibling, artifact: artifact(nonce), action, dryRun: false }),
    proves: (data) =>
      proves(at(data, "handoff", "evidence", "confirmation", "data"), textAt(data, "resultRef")),
  };
}

/** Every sibling, and every tool that needs one. */
export const SIBLING_CALLS: readonly SiblingCall[] = [
  delegated(
    "root",
    "graph",
    (nonce) => ({ title: nonce }),
    (result, resultRef) => {
      assert.match(resultRef, /\/api\/network\/graph$/);
      assert.ok(objectsAt(result, "nodes").some(({ id }) => id === "root"));
    },
  ),
  delegated(
    "spec",
    "validate",
    (nonce) => ({ title: nonce, schema: { type: "object", required: "not a list" } }),
    (result) =>
      assert.deepEqual([at(result, "valid"), at(result, "errors", 0, "pointer")], [false, "/required"]),
  ),
  delegated(
    "trace",
    "record",
    (nonce) => ({ title: nonce, spans: [{ spanId: "00f067aa0ba902b7", name: nonce }] }),
    (result, resultRef) => {
      assert.equal(at(result, "spanCount"), 1);
      assert.ok(resultRef.endsWith(`/traces/${textAt(result, "traceId")}`));
    },
  ),
  delegated(
    "ai_gateway",
    "draft",
    (nonce) => ({ title: nonce, columns: ["n"], rows: [[1], [2]] }),
    (result) => {
      assert.equal(at(result, "advisory"), true);
      assert.match(textAt(result, "text"), /3 in all/);
    },
  ),
  {
    sibling: "ascii",
    tool: "execute_ascii_conversion",
    args: () => ({ image: PIXELS, resolution: 12 }),
    proves: ({ result }) => assert.match(textAt(result, "text"), /^[ -~]{12}(\n[ -~]{12})*$/),
  },
  {
    sibling: "layout",
    tool: "preview_layout_artifact",
    args: () => ({ document: DOCUMENT, viewport: "mobile" }),
    proves: ({ result }) => assert.match(textAt(result, "html"), /<h1>Page<\/h1>/),
  },
  {
    sibling: "layout",
    tool: "score_layout_artifact",
    args: () => ({ document: DOCUMENT }),
    proves: ({ result }) => assert.equal(at(result, "score"), 100),
  },
  {
    sibling: "layout",
    tool: "export_layout_artifact",
    args: () => ({ document: DOCUMENT, format: "markdown" }),
    proves: ({ result }) => assert.equal(at(result, "content"), "# Page\n\nWords."),
  },
  {
    sibling: "docs",
    tool: "create_docs_report",
    args: (nonce) => ({ artifact: { title: "Report", description: nonce } }),
    proves: (data) => assert.match(textAt(data, "resultRef"), /\/reports\/report_[0-9a-f]{32}\.html$/),
  },
  {
    sibling: "docs",
    tool: "publish_docs_report",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(at(result, "report", "title"), WORKFLOW.name),
  },
  {
    sibling: "docs",
    tool: "publish_artifact",
    args: (_, made) => ({ artifactId: made.artifactId, target: "docs" }),
    proves: ({ result }) => assert.equal(at(result, "report", "status"), "published"),
  },
  {
    sibling: "sheets",
    tool: "create_sheet_export",
    args: (nonce) => ({ artifact: { title: nonce, rows: [{ name: "a", count: 1 }, { name: "b" }] } }),
    proves: ({ result }) =>
      assert.deepEqual([at(result, "sheet", "rowCount"), at(result, "sheet", "columnCount")], [2, 2]),
  },
  {
    sibling: "sheets",
    tool: "create_sheet_report",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(at(result, "sheet", "rowCount"), 2),
  },
  {
    sibling: "catalog",
    tool: "create_catalog_entry",
    args: (nonce) => ({ artifact: { title: `Entry ${nonce}` } }),
    proves: (data) => assert.match(textAt(data, "resultRef"), /^entry_[0-9a-f]{32}$/),
  },
  {
    sibling: "sandbox",
    tool: "trigger_sandbox",
    args: (nonce) => ({ artifact: { title: nonce, script: "[1, 2, 3].map((n) => n * 2)" } }),
    proves: ({ result }) => assert.deepEqual(at(result, "execution", "value"), [2, 4, 6]),
  },
  {
    sibling: "sandbox",
    tool: "trigger_sandbox_validation",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.deepEqual(at(result, "execution", "value", "order"), ["info", "store"]),
  },
  {
    sibling: "evals",
    tool: "trigger_evals",
    args: (nonce) => ({ artifact: { title: "Subject", description: nonce.padEnd(40, ".") } }),
    proves: ({ result }) => assert.equal(listAt(result, "scorecard", "criteria").length, 5),
  },
  {
    sibling: "evals",
    tool: "trigger_eval",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }) => assert.equal(at(result, "scorecard", "score"), 1),
  },
  {
    sibling: "browsercheck",
    tool: "trigger_browsercheck",
    args: (nonce) => ({
      artifact: { title: nonce, html: "<html><body><h1>Hello</h1><img src='data:,'></body></html>" },
    }),
    proves: ({ result }) =>
      assert.ok(objectsAt(result, "check", "findings").some(({ id }) => id === "image-alt")),
  },
  {
    sibling: "browsercheck",
    tool: "trigger_browsercheck_check",
    args: (_, made) => ({ workflowId: made.workflowId }),
    proves: ({ result }, made) =>
      assert.ok(textAt(result, "check", "checkedUrl").startsWith(made.serviceUrl)),
  },
  {
    sibling: "studio",
    tool: "import_studio_design",
    args: (_, made) => ({ designId: made.designId }),
    proves: (data, made) => assert.ok(textAt(data, "resultRef").includes(made.designId)),
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
    proves: ({ result }) => assert.equal(at(result, "structuredContent", "words"), 3),
  },
];
