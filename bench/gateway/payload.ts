import { Type } from "typebox";
import { createCatalog, type Registry } from "../../src/gateway/catalog.ts";
import { createLists } from "../../src/gateway/lists.ts";
import { isObject } from "../../src/kernel/json.ts";
import { defineTool } from "../../src/ports/operations.ts";
import { prompts, resources, tools } from "../../src/registry.ts";
import { inputOf } from "../../src/model/common.ts";
import { jsonObject } from "../../src/tools/shapes.ts";

/** The text that every server answers `tools/call` with: 1 KB of data. */
const FILLING = "x".repeat(1_024 - '{"ok":true,"data":{"text":""}}'.length);

/** The benchmarked tool. */
export const BENCH_TOOL = "bench_one_kilobyte";

const benchTool = defineTool({
  name: BENCH_TOOL,
  title: "One kilobyte",
  description: "Returns an envelope of 1,024 bytes; for the benchmark of the gateway.",
  input: inputOf({
    id: Type.String({ description: "Anything." }),
    limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })),
  }),
  output: jsonObject(),
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => ({ text: FILLING }),
});

/** The real registry and one tool whose result is 1 KB. */
export const benchRegistry: Registry = { tools: [...tools, benchTool], resources, prompts };

const envelope = { ok: true, data: { text: FILLING } };

/** The result of the benchmarked `tools/call`, as every server sends it. */
export const callResult = {
  content: [{ type: "text" as const, text: JSON.stringify(envelope) }],
  structuredContent: envelope,
  isError: false,
};

/** The bytes of `tools/list` as we serialise them. */
export function listBytes(): Buffer {
  return createLists(createCatalog(benchRegistry), { listsOutputs: true, listsTemplates: true }).tools.legacy;
}

/** The declarations of `tools/list` as objects, for servers that serialise them themselves. */
export function listedTools(): { name: string; inputSchema: { type: "object" } }[] {
  const parsed: unknown = JSON.parse(listBytes().toString());
  return isObject(parsed) && Array.isArray(parsed["tools"]) ? parsed["tools"] : [];
}

/** The request bodies. */
export const REQUESTS = {
  call: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: benchTool.name, arguments: { id: "workflow_01", limit: 20 } },
  }),
  list: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
} as const;
