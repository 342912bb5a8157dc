import type { JsonObject } from "../../kernel/json.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { object, objects, text } from "../answers.ts";
import type { Cli } from "../command.ts";
import { readText } from "../input.ts";
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
        const added = await extend(cli, connection);
        notes.push({ kind: "note", text: `Added ${added.join(", ")} to the connection ${text(called)}.` });
      }
      if (state !== "new" || typeof url !== "string") continue;
      await client.post("/api/svc/connections", {
        name: text(called),
        kind: text(kind),
        title: text(title),
        url,
        document: object(document),
      });
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

/** Adds the requests that a connection does not have, and accepts them for the person who imports. */
async function extend(cli: Cli, connection: JsonObject): Promise<readonly string[]> {
  const client = cli.client();
  const path = `/api/svc/connections/${encodeURIComponent(text(connection["name"]))}`;
  const adds = Array.isArray(connection["adds"]) ? connection["adds"].map(text) : [];
  const known = objects(object(object((await client.get(path)).data["connection"])["document"])["requests"]);
  const more = objects(object(connection["document"])["requests"]).filter((request) =>
    adds.includes(text(request["name"])),
  );
  await client.patch(path, { document: { requests: [...known, ...more] } });
  for (const name of adds) await client.post(`${path}/definitions/${encodeURIComponent(name)}/accept`, {});
  return adds;
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
