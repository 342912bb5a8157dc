import type { JsonObject } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { extendConnection } from "../../workflows/extending.ts";
import { object, objects, text } from "../answers.ts";
import type { Cli } from "../command.ts";
import { readText } from "../input.ts";
import { privacy } from "./connections.ts";
import type { Block } from "../output.ts";

const IMPORT = "/api/svc/workflows/import";

/** Imports a workflow from a file; with `connect` the connections that it calls are added first. */
export async function importFile(cli: Cli): Promise<{
  readonly envelope: Awaited<ReturnType<ReturnType<Cli["client"]>["post"]>>;
  readonly notes: readonly Block[];
}> {
  const name = cli.given.option("name");
  const { smallerArchive } = await import("../../workflows/formats/har-import.ts");
  const given = smallerArchive(await readText(cli.given.argument("file")));
  const client = cli.client();
  const notes: Block[] = [];
  if (cli.given.flag("connect")) {
    const read = await client.post(IMPORT, { text: given });
    for (const connection of objects(read.data["connections"])) {
      const { name: called, kind, title, url, document, state } = connection;
      if (state === "extend") {
        const added = await extendConnection(connection, {
          get: async (path) => (await client.get(path)).data,
          send: (method, path, body) =>
            method === "PATCH" ? client.patch(path, body) : client.post(path, body),
        });
        notes.push({ kind: "note", text: `Added ${added.join(", ")} to the connection ${text(called)}.` });
      }
      if (state !== "new" || typeof url !== "string") continue;
      const body = {
        name: text(called),
        kind: text(kind),
        title: text(title),
        url,
        document: object(document),
        ...privacy(cli),
      };
      await client.post("/api/svc/connections", body);
      notes.push({ kind: "note", text: `Added the connection ${text(called)} (${url}).` });
    }
  }
  const envelope = await client.post(IMPORT, {
    text: given,
    save: true,
    ...(name !== undefined && { name }),
  });
  return { envelope, notes: [...notes, ...connectionBlocks(envelope.data)] };
}

/** What an imported workflow still needs: connections, and credentials for them. */
function connectionBlocks(data: JsonObject): readonly Block[] {
  return objects(data["connections"]).flatMap((connection) => {
    const name = text(connection["name"]);
    const requests = objects(object(connection["document"])["requests"]).length;
    const needs = isJsonObject(connection["credential"]) ? connection["credential"] : null;
    const hosts = Array.isArray(needs?.["hosts"]) ? needs["hosts"].join(", ") : "";
    return [
      ...(connection["state"] === "ready"
        ? []
        : [
            {
              kind: "note",
              text:
                connection["url"] === null
                  ? `Calls the connection ${name}, whose address is not in the file. Add it with its address before a run.`
                  : connection["state"] === "extend"
                    ? `Calls the connection ${name} (${text(connection["url"])}), which is there and lacks ${Array.isArray(connection["adds"]) ? connection["adds"].join(", ") : ""}. Import with --connect to add that.`
                    : `Calls the connection ${name} (${text(connection["url"])}, ${requests === 1 ? "1 request" : `${requests} requests`}), which is not there. Import with --connect to add it.`,
            } as const,
          ]),
      ...(needs === null
        ? []
        : [
            {
              kind: "note",
              text: `${name} needs a credential: ${[text(needs["kind"]), text(needs["in"]), text(needs["parameter"])].filter((part) => part !== "").join(" ")} for ${hosts}. Its secret was not taken over.`,
            } as const,
          ]),
    ];
  });
}
