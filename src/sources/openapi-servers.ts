import { isObject } from "../kernel/json.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { ApiDescription, Operation } from "./openapi.ts";

/** The addresses of an operation, and the form that chooses between them. */
export function serversOf(
  api: ApiDescription,
  operation: Operation,
): { urls: string[]; variables: Record<string, string>; schema: Record<string, unknown> | null } {
  const { document, baseUrl } = api;
  if (api.dialect === "swagger-2.0") {
    const host = typeof document["host"] === "string" ? document["host"] : null;
    const base = typeof document["basePath"] === "string" ? document["basePath"] : "";
    const { schemes } = document;
    const scheme =
      Array.isArray(schemes) && schemes.includes("https")
        ? "https"
        : Array.isArray(schemes)
          ? String(schemes[0])
          : "https";
    return {
      urls: [host === null ? `${baseUrl}${base}` : `${scheme}://${host}${base}`],
      variables: {},
      schema: null,
    };
  }
  const lists = [operation.definition["servers"], operation.item["servers"], document["servers"]].find(
    (list) => Array.isArray(list) && list.length > 0,
  );
  const servers = Array.isArray(lists) ? lists.filter(isObject) : [];
  const urls = servers.flatMap(({ url }) => (typeof url === "string" ? [absolute(url, baseUrl)] : []));
  if (urls.length === 0) return { urls: [baseUrl], variables: {}, schema: null };
  const properties: Record<string, unknown> = {};
  const variables: Record<string, string> = {};
  if (urls.length > 1) properties["url"] = { type: "string", title: "Server", enum: urls, default: urls[0] };
  for (const server of servers) {
    const given = isObject(server["variables"]) ? server["variables"] : {};
    for (const [name, variable] of Object.entries(given)) {
      if (!isObject(variable) || Object.hasOwn(properties, name)) continue;
      const { default: standard, enum: listed, description } = variable;
      if (typeof standard === "string") variables[name] = standard;
      properties[name] = {
        type: "string",
        ...(typeof description === "string" && { description }),
        ...(Array.isArray(listed) && listed.length > 0 && { enum: listed }),
        ...(typeof standard === "string" && { default: standard }),
      };
    }
  }
  if (Object.keys(properties).length === 0) return { urls, variables, schema: null };
  return {
    urls,
    variables,
    schema: { type: "object", title: "Server", properties, additionalProperties: false },
  };
}

/** Server addresses may be relative to the description's own; templates are kept as they are. */
function absolute(url: string, baseUrl: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || url.startsWith("{")) return withoutTrailing(url, "/");
  return withoutTrailing(`${withoutTrailing(baseUrl, "/")}/${url.replace(/^\/+/, "")}`, "/");
}
