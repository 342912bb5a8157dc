import type { FormValue } from "#forms/index.ts";
import type { ToolInfo } from "../api/queries.ts";
import { printText, wireText } from "../forms/logic.ts";

/** One way to make the same call elsewhere. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** The call as curl, JSON-RPC, suitectl and TypeScript. The key is a variable in all of them. */
export function snippets(tool: ToolInfo, args: FormValue, origin: string): readonly Snippet[] {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(tool.name)},"arguments":${wireText(args)}}}`;
  const header = tool.isProtected ? `  -H "Authorization: Bearer $SVC_API_KEY" \\\n` : "";
  const keyed = tool.isProtected ? ", Authorization: `Bearer ${process.env.SVC_API_KEY}`" : "";
  return [
    {
      title: "curl",
      text: `curl -s ${origin}/api/mcp \\\n  -H "Content-Type: application/json" \\\n${header}  -d ${shellQuote(body)}`,
    },
    { title: "suitectl", text: `suitectl call ${tool.name} --json ${shellQuote(wireText(args))}` },
    { title: "JSON-RPC", text: indented(tool.name, args) },
    {
      title: "TypeScript",
      text: `const response = await fetch("${origin}/api/mcp", {
  method: "POST",
  headers: { "Content-Type": "application/json"${keyed} },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "${tool.name}", arguments: ${printText(args).replaceAll("\n", "\n    ")} },
  }),
});
const { result } = await response.json();
const { ok, data } = result.structuredContent;`,
    },
  ];
}

function indented(name: string, args: FormValue): string {
  return printText({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
