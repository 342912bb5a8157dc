import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { CredentialNeed, HttpBody, HttpCall, Pair } from "./http/call.ts";
import { quote } from "./http/collector.ts";
import { referenceTo, valueOf } from "./http/placeholders.ts";
import type { Losses } from "./http/sequence.ts";
import type { N8nScope, N8nValues } from "./n8n-values.ts";
import { listAt, objectAt, textAt } from "./reading.ts";

/** Options of the node that the service does by itself, or that say nothing about the request. */
const HANDLED = new Set(["timeout", "allowUnauthorizedCerts", "redirect"]);

/** The request of an HTTP Request node, in each of its generations. */
export function n8nCall(node: JsonObject, values: N8nValues, scope: N8nScope, losses: Losses): HttpCall {
  const parameters = objectAt(node, "parameters");
  const options = objectAt(parameters, "options");
  for (const option of Object.keys(options)) {
    if (HANDLED.has(option)) continue;
    losses.lose({
      pointer: `${scope.pointer}/parameters/options/${option}`,
      what: `The option ${quote(option)} of ${quote(scope.node)}.`,
      why:
        option === "pagination"
          ? "One page is asked for; use a map step for more."
          : "The service's own HTTP settings are used.",
    });
  }
  if (options["allowUnauthorizedCerts"] === true)
    losses.lose({
      pointer: `${scope.pointer}/parameters/options/allowUnauthorizedCerts`,
      what: "That wrong certificates are accepted.",
      why: "Certificates are always checked.",
    });
  const sends = (flag: string): boolean => parameters[flag] !== false && parameters[flag] !== undefined;
  const query = [
    ...(sends("sendQuery") ? pairs(parameters, "queryParameters", "parameters", values, scope) : []),
    ...pairs(parameters, "queryParametersUi", "parameter", values, scope),
    ...jsonPairs(parameters["jsonQuery"] ?? parameters["queryParametersJson"], values, scope),
  ];
  const headers = [
    ...(sends("sendHeaders") ? pairs(parameters, "headerParameters", "parameters", values, scope) : []),
    ...pairs(parameters, "headerParametersUi", "parameter", values, scope),
    ...jsonPairs(parameters["jsonHeaders"] ?? parameters["headerParametersJson"], values, scope),
  ];
  const method = textAt(parameters, "method") || textAt(parameters, "requestMethod") || "GET";
  return {
    name: textAt(node, "name"),
    description: textAt(node, "notes"),
    method: method.startsWith("=") ? "POST" : method.toUpperCase(),
    url: values.template(parameters["url"], scope),
    query,
    headers,
    body: bodyOf(parameters, values, scope, losses),
    needs: needsOf(node, parameters, scope.pointer),
    pointer: scope.pointer,
  };
}

function pairs(
  parameters: JsonObject,
  group: string,
  list: string,
  values: N8nValues,
  scope: N8nScope,
): readonly Pair[] {
  return listAt(objectAt(parameters, group), list).flatMap((item, index) =>
    isJsonObject(item) && textAt(item, "name") !== ""
      ? [
          {
            name: textAt(item, "name"),
            value: values.template(item["value"], scope),
            pointer: `${scope.pointer}/parameters/${group}/${list}/${index}`,
          },
        ]
      : [],
  );
}

function jsonPairs(given: Json | undefined, values: N8nValues, scope: N8nScope): readonly Pair[] {
  if (typeof given !== "string" || given === "") return [];
  try {
    const object: unknown = JSON.parse(given.replace(/^=/, ""));
    if (!isJsonObject(object)) return [];
    return Object.entries(object).map(([name, value]) => ({
      name,
      value: values.template(typeof value === "string" && value.includes("{{") ? `=${value}` : value, scope),
      pointer: scope.pointer,
    }));
  } catch {
    values.asked(given.slice(0, 200), scope);
    return [];
  }
}

function bodyOf(parameters: JsonObject, values: N8nValues, scope: N8nScope, losses: Losses): HttpBody | null {
  const at = `${scope.pointer}/parameters`;
  const legacy = pairs(parameters, "bodyParametersUi", "parameter", values, scope);
  const legacyJson = parameters["bodyParametersJson"];
  if (parameters["sendBody"] !== true && legacy.length === 0 && legacyJson === undefined) return null;
  const kind = textAt(parameters, "contentType") || textAt(parameters, "bodyContentType") || "json";
  const fields = [...pairs(parameters, "bodyParameters", "parameters", values, scope), ...legacy];
  if (kind === "json") {
    const text = textAt(parameters, "specifyBody") === "json" ? parameters["jsonBody"] : legacyJson;
    if (text !== undefined) {
      const value = values.json(text, scope);
      if (value !== undefined) return { kind: "json", value, contentType: "application/json" };
      const asked = values.asked(
        typeof text === "string" ? text.replace(/^=/, "").slice(0, 300) : "body",
        scope,
      );
      return { kind: "json", value: referenceTo(asked), contentType: "application/json" };
    }
    const members = fields.map(({ name, value, pointer }) => [
      name,
      valueOf(value, () => loseLong(pointer, losses)),
    ]);
    return { kind: "json", value: Object.fromEntries(members), contentType: "application/json" };
  }
  if (kind === "form-urlencoded" || kind === "multipart-form-data") {
    listAt(objectAt(parameters, "bodyParameters"), "parameters").forEach((item, index) => {
      if (isJsonObject(item) && item["parameterType"] === "formBinaryData")
        losses.lose({
          pointer: `${at}/bodyParameters/parameters/${index}`,
          what: `The file of the field ${quote(textAt(item, "name"))}.`,
          why: "Give its content in the step.",
        });
    });
    return {
      kind: "fields",
      fields,
      contentType: kind === "form-urlencoded" ? "application/x-www-form-urlencoded" : "multipart/form-data",
    };
  }
  if (kind === "binaryData") {
    losses.lose({
      pointer: at,
      what: "The binary data that is sent.",
      why: "Give it as the body of the step.",
    });
    return { kind: "text", text: [""], contentType: "application/octet-stream" };
  }
  return {
    kind: "text",
    text: values.template(parameters["body"], scope),
    contentType: textAt(parameters, "rawContentType") || "text/plain",
  };
}

function loseLong(pointer: string, losses: Losses): void {
  losses.lose({
    pointer,
    what: "A long text with values in it.",
    why: "Its values stay as names in braces.",
  });
}

function needsOf(node: JsonObject, parameters: JsonObject, pointer: string): readonly CredentialNeed[] {
  const credentials = objectAt(node, "credentials");
  const kind =
    textAt(parameters, "genericAuthType") ||
    textAt(parameters, "nodeCredentialType") ||
    Object.keys(credentials)[0] ||
    "";
  const authentication = textAt(parameters, "authentication");
  if (kind === "" || authentication === "none") return [];
  const called = textAt(objectAt(credentials, kind), "name").slice(0, 100) || kind;
  const at = `${pointer}/credentials/${kind}`;
  if (/basic/i.test(kind)) return [{ kind: "basic", called, pointer: at }];
  if (/bearer/i.test(kind)) return [{ kind: "bearer", called, pointer: at }];
  if (/header/i.test(kind)) return [{ kind: "apiKey", in: "header", called, pointer: at }];
  if (/query/i.test(kind)) return [{ kind: "apiKey", in: "query", called, pointer: at }];
  if (/oauth2/i.test(kind)) return [{ kind: "oauth2", called, pointer: at }];
  return [{ kind: "other", called, pointer: at }];
}
