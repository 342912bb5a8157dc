import { basename } from "node:path";
import {
  compileForm,
  isFormDocument,
  portabilityNotes,
  TRUSTED_BOUNDS,
  withCompanions,
  type FormDocument,
} from "../../../packages/forms/src/index.ts";
import { uiHints, withHints } from "../../../packages/forms/src/hints.ts";
import { digestOf } from "../../kernel/canonical-json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Cli } from "../command.ts";
import { Failure } from "../failure.ts";
import { readDocument } from "../input.ts";

/** The form that the command line names: of a tool, an operation, an event or a schema. */
export async function loadForm(cli: Cli): Promise<FormDocument> {
  const { given } = cli;
  const tool = given.optionalArgument("tool");
  const [schema, operation, event] = [
    given.option("schema"),
    given.option("operation"),
    given.option("event"),
  ];
  const named = [tool, schema, operation, event].filter((name) => name !== undefined);
  if (named.length !== 1) {
    throw new Failure("usage", named.length === 0 ? "Which form?" : "Name one form, not several.", {
      next: "Give the name of a tool, or --schema FILE, --operation ID or --event NAME.",
    });
  }
  if (schema !== undefined) {
    const hints = given.option("hints");
    const whole = withCompanions(await readDocument(schema), await companions(given.list("companion")));
    return formOfSchema(hints === undefined ? whole : withHints(whole, await readDocument(hints)), undefined);
  }
  if (tool !== undefined) return render(cli, "render_mcp_tool_form", { toolName: tool });
  const service = given.option("service");
  const where = service === undefined ? {} : { serviceBaseUrl: service };
  if (event !== undefined) return render(cli, "render_webhook_schema_form", { eventName: event, ...where });
  const [, method, path] = /^([A-Za-z]+) +(\/.*)$/.exec(operation ?? "") ?? [];
  const which =
    method === undefined || path === undefined ? { operationId: operation ?? "" } : { method, path };
  return render(cli, "render_openapi_operation_form", { ...which, ...where });
}

/** Documents by their addresses: their own `$id`, or the name of their file. */
async function companions(files: readonly string[]): Promise<JsonObject> {
  const found = await Promise.all(
    files.map(async (file) => {
      const document = await readDocument(file);
      const address = document["$id"] ?? document["id"];
      return [typeof address === "string" ? address : basename(file), document] as const;
    }),
  );
  return Object.fromEntries(found);
}

async function render(cli: Cli, tool: string, args: JsonObject): Promise<FormDocument> {
  const { data } = await cli.client().call(tool, args, { "svc/content": "structured" });
  const { form } = data;
  if (!isFormDocument(form))
    throw new Failure("unavailable", "The service sent a form that this program does not know.");
  return form;
}

/** The form of a schema, made on this machine. */
export function formOfSchema(schema: JsonObject, title: string | undefined): FormDocument {
  const result = compileForm(schema, {
    formId: `form_${digestOf(schema).slice(7, 31)}`,
    source: { kind: "json_schema" },
    bounds: TRUSTED_BOUNDS,
    notes: portabilityNotes,
    hints: uiHints,
    ...(title !== undefined && { title }),
  });
  if ("form" in result && result.form) return result.form;
  throw new Failure(
    "usage",
    "refusal" in result && result.refusal ? result.refusal.message : "This is not a JSON Schema.",
  );
}
