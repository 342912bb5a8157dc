import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { exportArazzo } from "./arazzo-export.ts";
import { importArazzo } from "./arazzo-import.ts";
import type { Exported, ExportFormat, Imported, Portable } from "./format.ts";
import { exportMermaid } from "./mermaid.ts";
import { boundedText, exportNative, importNative, readText } from "./native.ts";
import { importCurl } from "./curl-import.ts";
import { importHar, isHar } from "./har-import.ts";
import { isCurl } from "./http/curl.ts";
import { importN8n, isN8n } from "./n8n-import.ts";
import { importPostman, isPostman } from "./postman-import.ts";
import { objectAt } from "./reading.ts";
import { exportServerless } from "./serverless-export.ts";
import { importServerless } from "./serverless-import.ts";

/** Writes a workflow in a format. `baseUrl` is where calls of this service's tools go in other formats. */
export function exportWorkflow(workflow: Portable, format: ExportFormat, baseUrl: string): Exported {
  if (format === "arazzo") return exportArazzo(workflow, baseUrl);
  if (format === "serverless") return exportServerless(workflow, baseUrl);
  return format === "mermaid" ? exportMermaid(workflow) : exportNative(workflow, format);
}

/** Reads a workflow from text in any of the formats that can be read; the format follows from its content. */
export function importWorkflow(source: string | JsonObject): Imported {
  if (typeof source === "string" && isCurl(source)) return importCurl(boundedText(source));
  const given = typeof source === "string" ? readText(source) : source;
  // Postman's own API wraps a collection.
  const collection = objectAt(given, "collection");
  if (isPostman(given)) return importPostman(given);
  if (isPostman(collection)) return importPostman(collection);
  if (isHar(given)) return importHar(given);
  if (isN8n(given)) return importN8n(given);
  if (given["arazzo"] !== undefined) return importArazzo(given);
  if (given["document"] !== undefined && given["do"] !== undefined) return importServerless(given);
  if (given["nodes"] !== undefined || given["schemaVersion"] !== undefined) {
    const isJson = typeof source !== "string" || source.trimStart().startsWith("{");
    return importNative(given, isJson ? "json" : "yaml");
  }
  throw new AppError("invalid_input", "This is no workflow in a format that is read here.", {
    nextAction:
      "Give suite.workflow.v1 (JSON or YAML), Arazzo 1.x, Serverless Workflow 1.0.x, an n8n workflow, a Postman collection (v2), a HAR file or curl commands.",
  });
}
