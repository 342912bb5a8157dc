import { existsSync } from "node:fs";
import type { JsonObject } from "../../kernel/json.ts";
import type { Cli } from "../command.ts";
import { cursorOption, recordId, yesOption } from "../conventions.ts";
import { byId, list, record, toolPage } from "../from-operation.ts";
import { readDocument } from "../input.ts";
import { resolveId } from "../newest.ts";
import { jsonBlock, line, next } from "../results.ts";
import { argument, example, group, option, type ArgumentSpec } from "../spec.ts";

/** A small artifact, as a person writes it. */
export const NOTE = '{"title":"Release notes","type":"note","description":"What changed and why."}';
const FORMATS = ["json", "yaml", "markdown"] as const;
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
] as const;

/** The argument that names an artifact. */
export const artifactSource: ArgumentSpec = argument(
  "artifact",
  "The id of a saved artifact (`latest` is the newest), a JSON or YAML file, or - for standard input.",
  { kind: "file" },
);

/** Saved artifacts. */
export const artifacts = group("artifacts", {
  list: list({
    summary: "Saved artifacts, newest first.",
    access: "public",
    options: [cursorOption],
    examples: [example("The newest artifacts")],
    operation: "list_artifacts",
    input: () => ({}),
    meta: toolPage.meta,
    rows: "artifacts",
    columns: {
      ID: "id",
      TITLE: "title",
      TYPE: "type",
      PRIVACY: "privacy",
      VERSION: "version",
      SAVED: "createdAt",
    },
  }),
  show: record({
    summary: "One saved artifact and how it is kept.",
    access: "public",
    args: [recordId("artifact")],
    examples: [example("The newest artifact", "latest", ["key", "artifact"])],
    operation: "get_artifact",
    input: byId("artifact"),
    record: "artifact",
    fields: SHOWN,
    more: ({ artifact }) => [line(""), jsonBlock(artifact["content"] ?? artifact)],
  }),
  save: record({
    summary: "Save an artifact on the server.",
    args: [argument("file", "The artifact as JSON or YAML; - is standard input.", { kind: "file" })],
    options: [option("--title <TITLE>", "Its title, instead of the file's.")],
    examples: [
      example("Save a note", "-", [], {
        stdin: NOTE,
      }),
    ],
    operation: "save_artifact",
    async input({ given }) {
      const title = given.option("title");
      const read = await readDocument(given.argument("file"));
      return { artifact: { ...read, ...(title !== undefined && { title }) } };
    },
    record: "artifact",
    fields: SHOWN,
    more: ({ artifact }) => [next(`suitectl artifacts share ${artifact.id}`)],
  }),
  export: {
    summary: "Print an artifact as JSON, YAML or Markdown.",
    access: "public",
    args: [artifactSource],
    options: [option("--format <FORMAT>", "json when left out.", { choices: FORMATS })],
    examples: [
      example("The newest artifact as Markdown", "latest --format markdown > artifact.md", [
        "key",
        "artifact",
      ]),
      example("An artifact that is not saved, as YAML", "- --format yaml", [], {
        id: "artifacts-export-stdin",
        stdin: NOTE,
      }),
    ],
    async run(cli) {
      const format = cli.given.choice("format", FORMATS) ?? "json";
      const artifact = await artifactOf(cli, cli.given.argument("artifact"));
      const envelope = await cli.client().run("export_artifact", { artifact, format });
      return { envelope, view: [line(envelope.data.text)] };
    },
  },
  share: {
    summary: "Everything needed to pass an artifact on: texts, calls, commands and a link.",
    access: "public",
    args: [artifactSource],
    options: [option("--link", "Print the link and nothing else.")],
    examples: [example("A link to the newest artifact", "latest --link", ["key", "artifact"])],
    async run(cli) {
      const artifact = await artifactOf(cli, cli.given.argument("artifact"));
      const envelope = await cli.client().run("create_share_packet", { artifact });
      const { title, link, linkNote, delivery, markdown, suitectl } = envelope.data.packet;
      const ids = [link ?? ""];
      if (cli.given.flag("link")) return { envelope, ids, view: [line(link ?? linkNote)] };
      return {
        envelope,
        ids,
        view: [
          {
            kind: "facts",
            facts: [
              ["title", title],
              ["link", link],
              ["note", delivery],
            ],
          },
          line(`\n${markdown}`),
          line(`\nSave it elsewhere:\n\n${suitectl.save}`),
        ],
      };
    },
  },
  delete: record({
    summary: "Delete a saved artifact; a tombstone and its provenance stay.",
    args: [recordId("artifact")],
    options: [yesOption],
    examples: [example("Delete the newest artifact", "latest --yes", ["artifact"])],
    operation: "delete_artifact",
    input: byId("artifact"),
    confirm: ({ id }) => `Delete the artifact ${id}? Its content is no longer served.`,
    record: "artifact",
    fields: ["id", "deletedAt", "version"],
  }),
});

/** The artifact that a person means: in a file, on standard input, or saved. */
export async function artifactOf(cli: Cli, given: string): Promise<JsonObject> {
  if (given === "-" || existsSync(given)) return readDocument(given);
  const id = await resolveId(cli, given, "artifact");
  return (await cli.client().run("get_artifact", { id })).data.artifact;
}
