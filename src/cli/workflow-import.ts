import type { ImportReport, ProposedConnection } from "../../packages/client/client.ts";
import type { Envelope } from "../kernel/envelope.ts";
import { extendConnection } from "../workflows/extending.ts";
import type { Cli } from "./command.ts";
import { privacy } from "./commands/connections.ts";
import { readText } from "./input.ts";
import type { Block } from "./output.ts";
import { note } from "./results.ts";

/** Imports a workflow from a file; with `connect` the connections that it calls are added first. */
export async function importFile(
  cli: Cli,
): Promise<{ readonly envelope: Envelope<ImportReport>; readonly notes: readonly Block[] }> {
  const { smallerArchive } = await import("../formats/har-import.ts");
  const text = smallerArchive(await readText(cli.given.argument("file")));
  const client = cli.client();
  const notes: Block[] = [];
  if (cli.given.flag("connect")) {
    for (const proposed of (await client.run("import_workflow", { text })).data.connections) {
      const { name, kind, title, url, document, state } = proposed;
      if (state === "extend") {
        const added = await extendConnection(proposed, {
          get: (path) => client.rest("GET", path),
          send: (method, path, body) => client.rest(method, path, body),
        });
        notes.push(note(`Added ${added.join(", ")} to the connection ${name}.`));
      }
      if (state !== "new" || url === null) continue;
      await client.run("create_connection", { name, kind, title, url, document, ...privacy(cli) });
      notes.push(note(`Added the connection ${name} (${url}).`));
    }
  }
  const input = { text, save: true, name: cli.given.option("name") };
  const envelope = await client.run("import_workflow", input);
  const { connections, triggers } = envelope.data;
  const starts = triggers.map(({ kind, name = kind }) =>
    note(`Starts with the ${kind} "${name}". Create it with suitectl triggers ${kind}.`),
  );
  return { envelope, notes: [...notes, ...connections.flatMap(connectionNotes), ...starts] };
}

/** What an imported workflow still needs: connections, and credentials for them. */
function connectionNotes({
  name,
  url,
  state,
  document,
  credential,
  adds = [],
}: ProposedConnection): readonly Block[] {
  const count = document.requests.length;
  const requests = count === 1 ? "1 request" : `${count} requests`;
  const lacking =
    url === null
      ? `, whose address is not in the file. Add it with its address before a run.`
      : state === "extend"
        ? ` (${url}), which is there and lacks ${adds.join(", ")}. Import with --connect to add that.`
        : ` (${url}, ${requests}), which is not there. Import with --connect to add it.`;
  return [
    ...(state === "ready" ? [] : [note(`Calls the connection ${name}${lacking}`)]),
    ...(credential === null ? [] : [note(`${name} needs a credential: ${needText(credential)}`)]),
  ];
}

function needText({
  kind,
  in: place,
  parameter,
  hosts,
}: NonNullable<ProposedConnection["credential"]>): string {
  const what = [kind, place, parameter].filter((part) => typeof part === "string" && part !== "").join(" ");
  return `${what} for ${hosts.join(", ")}. Its secret was not taken over.`;
}
