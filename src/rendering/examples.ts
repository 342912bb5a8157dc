import type { FormDocument, FormExample } from "../../packages/forms/src/compile/document.ts";
import { findRefusal, PUBLIC_BOUNDS } from "../../packages/forms/src/compile/bounds.ts";
import { stringifyExact } from "../../packages/forms/src/values/exact.ts";
import { isRecord, type FormValue } from "../../packages/forms/src/values/json.ts";
import { schemaForValue } from "../../packages/forms/src/check/schema-for-value.ts";
import { buildRequest, curlOf, hasRequest, quote } from "../../packages/forms/src/values/request.ts";

/** A larger schema goes into a call only as far as it concerns the value. */
const LARGEST_SCHEMA = 4_000;

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
  const checked = checkArguments(form, value);
  if (checked === null) return null;
  const title = checked.lean
    ? "Check the required fields, against the part of the schema that concerns this value"
    : "Check the required fields";
  return make("validate_form_input", title, checked.args, false);
}

/** What validate_form_input is given for a value; null when no schema that it takes would say anything. */
function checkArguments(
  form: FormDocument,
  value: FormValue,
): { readonly args: FormValue; readonly lean: boolean } | null {
  const { schema, dialect } = form.validation;
  const isWhole = isRecord(value) && isRecord(schema);
  if (isWhole && JSON.stringify(schema).length <= LARGEST_SCHEMA)
    return { args: { schema, value }, lean: false };
  const lean = schemaForValue(schema, value, dialect);
  if (lean === undefined || findRefusal(lean, PUBLIC_BOUNDS)) return null;
  if (isRecord(value)) return { args: { schema: isRecord(lean) ? lean : {}, value }, lean: true };
  // The tool takes objects; any other value is checked as the member of one.
  return {
    args: { schema: { type: "object", properties: { value: lean }, required: ["value"] }, value: { value } },
    lean: true,
  };
}
