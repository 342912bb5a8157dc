import type { FormDocument, FormExample } from "./document.ts";
import { stringifyExact } from "./exact.ts";
import { setOwn, type FormValue } from "./json.ts";
import { buildRequest, curlOf, hasRequest, quote } from "./request.ts";

const LARGEST_SCHEMA = 8_000;

/** The ways to send one value: as JSON, over JSON-RPC, with curl and with suitectl. `endpoint` is our JSON-RPC address. */
export function renderExamples(form: FormDocument, value: FormValue, endpoint: string): FormExample[] {
  const examples: FormExample[] = [
    { kind: "json", title: "The value as JSON", text: stringifyExact(value, "  ") },
  ];
  const call = callFor(form, value);
  if (call) {
    const rpc: FormValue = { jsonrpc: "2.0", id: 1, method: "tools/call", params: call.params };
    examples.push({ kind: "json-rpc", title: call.title, text: stringifyExact(rpc, "  ") });
    if (!hasRequest(form.source)) {
      const key = call.protected ? [`-H "Authorization: Bearer $SUITE_API_KEY"`] : [];
      const lines = [
        `curl -X POST ${quote(endpoint)}`,
        "-H 'Content-Type: application/json'",
        "-H 'Accept: application/json, text/event-stream'",
        ...key,
        `--data-raw ${quote(stringifyExact(rpc))}`,
      ];
      examples.push({ kind: "curl", title: call.title, text: lines.join(" \\\n  ") });
    }
    examples.push({
      kind: "suitectl",
      title: call.title,
      text: `suitectl tools call ${call.tool} --args ${quote(stringifyExact(call.args))}`,
    });
  }
  if (hasRequest(form.source)) {
    const request = buildRequest(form.source.request, value);
    examples.push({ kind: "curl", title: "The request itself", text: curlOf(request) });
  }
  return examples;
}

interface Call {
  readonly tool: string;
  readonly title: string;
  readonly args: FormValue;
  readonly params: FormValue;
  readonly protected: boolean;
}

/** The call of this service that takes the value: the tool itself, or the check of a schema's required fields. */
function callFor(form: FormDocument, value: FormValue): Call | null {
  const { source } = form;
  const make = (tool: string, title: string, args: FormValue, isProtected: boolean): Call => ({
    tool,
    title,
    args,
    params: { name: tool, arguments: args },
    protected: isProtected,
  });
  if (source.kind === "mcp_tool" || source.kind === "ascii_conversion") {
    const name = source.ref ?? "";
    if (source.server === undefined) return make(name, "Call the tool", value, source.protected === true);
    return make("execute_mcp_tool", "Call the tool through this service", { name, arguments: value }, true);
  }
  const args: Record<string, FormValue> = {};
  setOwn(args, "schema", form.validation.schema);
  setOwn(args, "value", value);
  if (JSON.stringify(form.validation.schema).length > LARGEST_SCHEMA) return null;
  const isObject =
    typeof form.validation.schema === "object" &&
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value);
  return isObject ? make("validate_form_input", "Check the required fields", args, false) : null;
}
