import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { sha256Hex } from "../../../src/kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

/** The canonical gateway: an MCP server on the official SDK. */
export const mcp: SiblingDefinition = {
  name: "mcp",
  routes(context) {
    const handler = createMcpHandler(() => gateway(context));
    return (["GET", "POST", "DELETE"] as const).map((method) => ({
      method,
      path: "/api/mcp",
      isProtected: false,
      handle: ({ headers, raw }) =>
        handler.fetch(
          new Request(`${context.url}/api/mcp`, {
            method,
            headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
              typeof value === "string" ? [[name, value]] : [],
            ),
            ...(method === "POST" && { body: Buffer.from(raw) }),
          }),
        ),
    }));
  },
  async work(packet, context) {
    if (packet.capability !== "describe") {
      throw new Refusal(
        422,
        "unsupported",
        "Tools are called over MCP; a packet can ask to describe the gateway.",
      );
    }
    return {
      status: "completed",
      resultRef: `${context.url}/api/mcp`,
      result: { endpoint: `${context.url}/api/mcp`, tools: [...TOOL_NAMES] },
    };
  },
};

const TOOL_NAMES = [
  "get_svc_status",
  "list_suite_services",
  "hash_text",
  "count_words",
  "read_json_pointer",
] as const;

function gateway(context: SiblingContext): McpServer {
  const server = new McpServer({ name: "suite-gateway", version: "0.10.0" });
  const answer = (output: Record<string, unknown>) => ({
    content: [{ type: "text" as const, text: JSON.stringify(output) }],
    structuredContent: output,
  });
  const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

  server.registerTool(
    "get_svc_status",
    {
      title: "Service status",
      description:
        "Asks the workflow service whether it is ready and has it render its own info tool as a form.",
      inputSchema: z.object({}),
      annotations: { ...readOnly, openWorldHint: true },
    },
    async () => answer(await serviceStatus(context.peers()["svc"])),
  );
  server.registerTool(
    "list_suite_services",
    {
      title: "Suite services",
      description: "Lists the services of the suite that this gateway knows, with their addresses.",
      inputSchema: z.object({}),
      annotations: readOnly,
    },
    () => answer({ services: Object.entries(context.peers()).map(([name, url]) => ({ name, url })) }),
  );
  server.registerTool(
    "hash_text",
    {
      title: "Hash text",
      description: "Gives the SHA-256 digest of a text in hexadecimal, and its length in bytes.",
      inputSchema: z.object({ text: z.string().max(100_000).describe("The text to hash.") }),
      annotations: readOnly,
    },
    ({ text }) => answer({ sha256: sha256Hex(text), bytes: Buffer.byteLength(text) }),
  );
  server.registerTool(
    "count_words",
    {
      title: "Count words",
      description: "Counts the words, sentences and characters of a text in a language.",
      inputSchema: z.object({
        text: z.string().max(100_000).describe("The text to count."),
        language: z.string().max(20).default("en").describe("BCP 47 language tag."),
      }),
      annotations: readOnly,
    },
    ({ text, language }) => {
      const words = [...new Intl.Segmenter(language, { granularity: "word" }).segment(text)];
      const sentences = [...new Intl.Segmenter(language, { granularity: "sentence" }).segment(text)];
      return answer({
        words: words.filter(({ isWordLike }) => isWordLike === true).length,
        sentences: sentences.length,
        characters: text.length,
      });
    },
  );
  server.registerTool(
    "read_json_pointer",
    {
      title: "Read JSON Pointer",
      description: "Reads the part of a JSON document that an RFC 6901 pointer names.",
      inputSchema: z.object({
        document: z.record(z.string(), z.unknown()).describe("The document."),
        pointer: z.string().max(1_000).describe("The pointer, such as /items/0/name."),
      }),
      annotations: readOnly,
    },
    ({ document, pointer }) => {
      const part = pointed(document, pointer);
      return part === undefined
        ? { content: [{ type: "text" as const, text: "Nothing is at this pointer." }], isError: true }
        : answer({ value: part });
    },
  );
  return server;
}

/** Asks the service itself; says that nothing is known when it cannot be asked. */
async function serviceStatus(url: string | undefined): Promise<JsonObject> {
  const unknown = { formId: null, fields: 0, renderStatus: "unknown" };
  if (url === undefined) return { ...unknown, status: "not_configured" };
  try {
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    const rendered = await fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "render_mcp_tool_form", arguments: { toolName: "render_json_schema_form" } },
      }),
      signal: AbortSignal.timeout(3_000),
    });
    const form = formIn(await rendered.json());
    return {
      status: ready.ok ? "ready" : "not_ready",
      formId: form?.["formId"] ?? null,
      fields: Array.isArray(form?.["fields"]) ? form["fields"].length : 0,
      renderStatus: form === null ? "not_rendered" : "rendered",
    };
  } catch {
    return { ...unknown, status: "unreachable" };
  }
}

function formIn(answer: unknown): JsonObject | null {
  if (!isJsonObject(answer) || !isJsonObject(answer["result"])) return null;
  const envelope = answer["result"]["structuredContent"];
  if (!isJsonObject(envelope) || !isJsonObject(envelope["data"])) return null;
  const { data } = envelope;
  return isJsonObject(data["form"]) ? data["form"] : data;
}

function pointed(document: unknown, pointer: string): unknown {
  if (pointer === "") return document;
  if (!pointer.startsWith("/")) return undefined;
  let at: unknown = document;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = /^(?:0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
