import { Type } from "typebox";
import { AppError, invalidValue, type Problem } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { argumentProblems } from "../kernel/schema-words.ts";
import { freeObject, freeValue, inputOf } from "../model/common.ts";
import { defineTool, type Tool } from "../ports/operations.ts";
import { objectsIn, partOf, pick, problemLine } from "./answers.ts";
import { call } from "./call.ts";
import { connect } from "./connect.ts";
import { described } from "./describe.ts";
import { Finder, ENTRY_KINDS, RECORDS } from "./find.ts";
import { formLink, onSuccess, READ, WANTED } from "./parts.ts";

const finder = new Finder();

const find = defineTool({
  ...READ,
  name: "find",
  title: "Find tools and records",
  description:
    "Search own tools, connected tools (server:tool), workflows, templates and artifacts by words. Start here; then describe, then call.",
  examples: [{ query: "create order", cursor: "0" }],
  input: inputOf({
    query: Type.String({ minLength: 1, maxLength: 300, description: "Words, e.g. create github issue" }),
    kinds: Type.Optional(Type.Array(Type.Enum([...ENTRY_KINDS]), { minItems: 1 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Default 8" })),
    cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,6}$" })),
  }),
  async run({ query, kinds = [...ENTRY_KINDS], limit = 8, cursor = "0" }, { context }) {
    const { hits, cut } = await finder.find(query, kinds, context);
    const from = Number(cursor);
    const page = hits.slice(from, from + limit);
    const older = cut.map((kind) => ` Only the newest ${RECORDS} ${kind}s were searched; list gives all.`);
    const text =
      page.length === 0
        ? `Nothing found for "${query}". Try fewer or other words.`
        : `Best first: ${page.map(({ name }) => name).join(", ")}.`;
    return {
      text: text + older.join(""),
      hits: page,
      total: hits.length,
      nextCursor: from + limit < hits.length ? String(from + limit) : null,
    };
  },
});

const describe = defineTool({
  ...READ,
  name: "describe",
  title: "Describe a tool or workflow",
  description: "Arguments schema, effect and an example of a tool, a connected tool or a workflow.",
  input: inputOf({
    name: Type.String({
      maxLength: 300,
      description: "As find gave it: a tool, server:tool or a workflow id",
    }),
    detail: Type.Optional(Type.Enum(["summary", "full"], { description: "full: the output schema too" })),
  }),
  run: async ({ name, detail }, { context }) => described(name, detail === "full", context),
});

const renderForm = defineTool({
  ...READ,
  name: "render_form",
  ui: "ui://svc/form",
  title: "Form for a person",
  description: "A form for a person to fill in: of a tool or of a JSON Schema. Gives its fields and a link.",
  examples: [{ tool: "save_artifact" }],
  input: inputOf({
    tool: Type.Optional(Type.String({ description: "A tool or server:tool" })),
    schema: Type.Optional(freeObject("A JSON Schema.", "A JSON Schema instead of a tool")),
    title: Type.Optional(Type.String({ maxLength: 200 })),
    ...WANTED,
  }),
  rules: ({ tool, schema }) =>
    (tool === undefined) === (schema === undefined)
      ? [
          {
            pointer: "",
            message: "Give either tool or schema.",
            expected: "tool or schema",
            fix: 'Add "tool" or "schema", not both.',
          },
        ]
      : [],
  async run({ tool, schema = {}, title, ...wanted }, { context }) {
    const { services } = context;
    const link = tool === undefined ? null : formLink(tool, context);
    const envelope =
      tool === undefined
        ? await services.catalog.call(
            "render_json_schema_form",
            { schema, ...(title !== undefined && { title }) },
            context,
          )
        : await services.catalog.call("render_mcp_tool_form", { toolName: tool }, context);
    return onSuccess(envelope, ({ form = null, formId = null, stored }) => {
      const fields = isJsonObject(form) ? objectsIn(form["fields"]) : [];
      const { value, omitted } = partOf(
        wanted.detail === "full" || wanted.select !== undefined
          ? form
          : {
              fields: fields.map((field) =>
                pick(field, ["name", "path", "label", "type", "widget", "required", "options", "help"]),
              ),
            },
        wanted,
      );
      return {
        text: `Form with ${fields.length} fields${link === null ? "" : `: ${link}`}`,
        formId,
        form: value,
        ...(link === null ? pick({ stored: stored ?? null }, ["stored"]) : { link }),
        ...(omitted !== undefined && { omitted }),
      };
    });
  },
});

const checkValue = defineTool({
  ...READ,
  name: "check_value",
  title: "Check a value",
  description:
    "Validate a value against a JSON Schema, or arguments against a tool's schema: all problems at once.",
  examples: [{ value: { artifact: { title: "Report" } }, tool: "save_artifact" }],
  input: inputOf({
    value: freeValue("The caller's own.", "Any JSON value"),
    schema: Type.Optional(freeObject("A JSON Schema.", "A JSON Schema")),
    tool: Type.Optional(Type.String({ description: "Or a tool or server:tool" })),
  }),
  async run({ value, schema, tool }, { context }) {
    const known = tool === undefined ? null : await described(tool, false, context, "/tool");
    const against = known === null ? schema : known["inputSchema"];
    if (!isJsonObject(against)) throw invalidValue("schema", "a JSON Schema, or tool the name of a tool");
    const { catalog, validator, clock } = context.services;
    const ruled = (name: string, input: JsonObject): readonly Problem[] =>
      catalog.tool(name)?.rules?.({ ...input }, clock.now()) ?? [];
    // The schema of a caller is checked by the tool that validates with it.
    const wrong = tool === undefined ? ruled("validate_form_input", { schema: against, value }) : [];
    if (wrong.length > 0)
      throw new AppError("invalid_input", "The schema is not a JSON Schema.", { problems: wrong });
    const { errors } = await validator.validate(against, value, context.signal);
    const found =
      errors.length === 0 && tool !== undefined && isJsonObject(value)
        ? ruled(tool, value)
        : argumentProblems(against, value, errors);
    const problems = found.map((problem) => ({ ...problem }));
    return {
      text:
        problems.length === 0
          ? tool === undefined
            ? "Valid."
            : `It fits the schema of ${tool}.`
          : [`${problems.length} problems:`, ...problems.map(problemLine)].join("\n"),
      valid: problems.length === 0,
      problems,
    };
  },
});

/** Finding, understanding and calling. */
export const callTools: readonly Tool[] = [find, describe, call, renderForm, checkValue, connect];
