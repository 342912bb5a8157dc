import { type FormDocument, type FormValue, printText } from "@workflow-ui/forms";
import { renderExamples } from "#rendering/examples.ts";

/** One way to make the same call elsewhere. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

const TITLES = { json: "JSON", "json-rpc": "JSON-RPC", curl: "curl", suitectl: "suitectl" } as const;

/** The call as JSON, JSON-RPC, curl, suitectl and TypeScript. The key is a variable in all of them. */
export function snippets(form: FormDocument, args: FormValue, origin: string): readonly Snippet[] {
  const shared = renderExamples(form, args, `${origin}/api/mcp`).map((example) => ({
    title: TITLES[example.kind],
    text: example.text,
  }));
  return [...shared, { title: "TypeScript", text: typescript(form, args, origin) }];
}

function typescript(form: FormDocument, args: FormValue, origin: string): string {
  const key = form.source.protected === true ? ", Authorization: `Bearer ${process.env.SUITE_API_KEY}`" : "";
  return `const response = await fetch("${origin}/api/mcp", {
  method: "POST",
  headers: { "Content-Type": "application/json"${key} },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "${form.source.ref ?? ""}", arguments: ${printText(args).replaceAll("\n", "\n    ")} },
  }),
});
const { result } = await response.json();
const { ok, data } = result.structuredContent;`;
}
