import { existsSync } from "node:fs";
import type { JsonObject } from "../../kernel/json.ts";
import { jsonBlock, listResult, next, object, recordResult, resolveId, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { readDocument } from "../input.ts";
import { agree } from "../prompt.ts";

const SHOWN = [
  "id",
  "title",
  "type",
  "description",
  "privacy",
  "version",
  "digest",
  "createdAt",
  "updatedAt",
];

/** Saved artifacts. */
export const handlers: Handlers = {
  async "artifacts list"(cli) {
    const cursor = cli.given.option("cursor");
    const envelope = await cli
      .client()
      .call("list_artifacts", {}, cursor === undefined ? {} : { "svc/cursor": cursor });
    return listResult(cli, envelope, "artifacts", [
      ["ID", "id"],
      ["TITLE", "title"],
      ["TYPE", "type"],
      ["PRIVACY", "privacy"],
      ["VERSION", "version"],
      ["SAVED", "createdAt"],
    ]);
  },
  async "artifacts show"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "artifact");
    const envelope = await cli.client().call("get_artifact", { id });
    const artifact = object(envelope.data["artifact"]);
    return recordResult(envelope, artifact, SHOWN, [
      { kind: "text", text: "" },
      jsonBlock(artifact["content"] ?? artifact),
    ]);
  },
  async "artifacts save"(cli) {
    const { given } = cli;
    const title = given.option("title");
    const artifact = {
      ...(await readDocument(given.argument("file"))),
      ...(title !== undefined && { title }),
    };
    const envelope = await cli.client().call("save_artifact", { artifact });
    const saved = object(envelope.data["artifact"]);
    return recordResult(envelope, saved, SHOWN, [next(`suitectl artifacts share ${text(saved["id"])}`)]);
  },
  async "artifacts export"(cli) {
    const format = cli.given.option("format") ?? "json";
    const artifact = await artifactOf(cli, cli.given.argument("artifact"));
    const envelope = await cli.client().call("export_artifact", { artifact, format });
    return { envelope, view: [{ kind: "text", text: text(envelope.data["text"]) }] };
  },
  async "artifacts share"(cli) {
    const artifact = await artifactOf(cli, cli.given.argument("artifact"));
    const envelope = await cli.client().call("create_share_packet", { artifact });
    const packet = object(envelope.data["packet"]);
    const link = text(packet["link"]);
    if (cli.given.flag("link"))
      return { envelope, ids: [link], view: [{ kind: "text", text: link || text(packet["linkNote"]) }] };
    const commands = object(packet["suitectl"]);
    return {
      envelope,
      ids: [link],
      view: [
        {
          kind: "facts",
          facts: [
            ["title", text(packet["title"])],
            ["link", link],
            ["note", text(packet["delivery"])],
          ],
        },
        { kind: "text", text: `\n${text(packet["markdown"])}` },
        { kind: "text", text: `\nSave it elsewhere:\n\n${text(commands["save"])}` },
      ],
    };
  },
  async "artifacts delete"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "artifact");
    await agree(`Delete the artifact ${id}? Its content is no longer served.`, cli.given.flag("yes"));
    const envelope = await cli.client().call("delete_artifact", { id });
    return recordResult(envelope, object(envelope.data["artifact"]), ["id", "deletedAt", "version"]);
  },
};

/** The artifact that a person means: in a file, on standard input, or saved. */
export async function artifactOf(cli: Cli, given: string): Promise<JsonObject> {
  if (given === "-" || existsSync(given)) return readDocument(given);
  const id = await resolveId(cli, given, "artifact");
  const { data } = await cli.client().call("get_artifact", { id });
  return object(data["artifact"]);
}
