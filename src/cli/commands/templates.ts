import { cursorOption, limitOption } from "../conventions.ts";
import { list, record, toolPage } from "../from-operation.ts";
import { jsonBlock, line, next } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

/** Ready-made workflows. */
export const templates = group("templates", {
  list: list({
    summary: "Ready-made workflows.",
    access: "public",
    options: [limitOption, cursorOption],
    examples: [example("All templates")],
    operation: "list_templates",
    ...toolPage,
    rows: "templates",
    columns: { ID: "id", NAME: "name", STEPS: "steps", NEEDS: "needs", SOURCE: "source" },
  }),
  show: record({
    summary: "One template with its document and inputs to try it with.",
    access: "public",
    args: [argument("id", "The id of the template.")],
    examples: [example("What a template does", "form-intake-approval")],
    operation: "get_template",
    input: ({ given }) => ({ id: given.argument("id") }),
    record: "template",
    fields: ["id", "name", "description", "tags", "needs", "steps", "source", "digest"],
    more: ({ template: { id, exampleInputs } }) => [
      line("\nInputs to try it with:"),
      jsonBlock(exampleInputs),
      next(`suitectl templates use ${id}`),
    ],
  }),
  use: record({
    summary: "Store a new private draft made from a template.",
    args: [argument("id", "The id of the template.")],
    options: [
      option("--name <NAME>", "The name of the new workflow."),
      option("--owner <WHO>", "Who looks after it."),
    ],
    examples: [example("Create a workflow from a template", "discovery-audit --name 'Weekly audit'")],
    operation: "instantiate_template",
    input: ({ given }) => ({
      templateId: given.argument("id"),
      name: given.option("name"),
      owner: given.option("owner"),
    }),
    record: "workflow",
    fields: ["id", "name", "status", "visibility", "owner"],
    more: ({ workflow: { id } }) => [
      next(`suitectl workflows plan ${id}`, `suitectl workflows run ${id} --watch`),
    ],
  }),
});
