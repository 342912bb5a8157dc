import type { JsonObject } from "../../kernel/json.ts";
import { jsonBlock, listResult, next, object, recordResult, text } from "../answers.ts";
import type { Handlers } from "../command.ts";

/** Ready-made workflows. */
export const handlers: Handlers = {
  async "templates list"(cli) {
    const limit = cli.given.integer("limit", 1, 100);
    const cursor = cli.given.option("cursor");
    const envelope = await cli
      .client()
      .call(
        "list_templates",
        { ...(limit !== undefined && { limit }) },
        cursor === undefined ? {} : { "svc/cursor": cursor },
      );
    return listResult(cli, envelope, "templates", [
      ["ID", "id"],
      ["NAME", "name"],
      ["STEPS", "steps"],
      ["NEEDS", "needs"],
      ["SOURCE", "source"],
    ]);
  },
  async "templates show"(cli) {
    const envelope = await cli.client().call("get_template", { id: cli.given.argument("id") });
    const template = object(envelope.data["template"]);
    return recordResult(
      envelope,
      template,
      ["id", "name", "description", "tags", "needs", "steps", "source", "digest"],
      [
        { kind: "text", text: "\nInputs to try it with:" },
        jsonBlock(template["exampleInputs"]),
        next(`suitectl templates use ${text(template["id"])}`),
      ],
    );
  },
  async "templates use"(cli) {
    const { given } = cli;
    const [name, owner] = [given.option("name"), given.option("owner")];
    const args: JsonObject = {
      templateId: given.argument("id"),
      ...(name !== undefined && { name }),
      ...(owner !== undefined && { owner }),
    };
    const envelope = await cli.client().call("instantiate_template", args);
    const workflow = object(envelope.data["workflow"]);
    return recordResult(
      envelope,
      workflow,
      ["id", "name", "status", "visibility", "owner"],
      [
        next(
          `suitectl workflows plan ${text(workflow["id"])}`,
          `suitectl workflows run ${text(workflow["id"])} --watch`,
        ),
      ],
    );
  },
};
