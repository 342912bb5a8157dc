import type { JsonObject } from "../kernel/json.ts";
import type { Cli } from "./command.ts";
import { readText } from "./input.ts";
import { resolveId } from "./newest.ts";
import type { Result } from "./output.ts";
import { note } from "./results.ts";
import { isFile } from "./workflow-file.ts";

/** What differs between two workflows, each stored or in a file. */
export async function diffWorkflows(cli: Cli): Promise<Result> {
  const [{ parseDocument }, { diffDocuments }] = await Promise.all([
    import("../workflows/document.ts"),
    import("../workflows/diff.ts"),
  ]);
  const documentOf = async (name: string): Promise<JsonObject> => {
    const given = cli.given.argument(name);
    if (isFile(given)) {
      const text = await readText(given);
      return (await cli.client().run("import_workflow", { text })).data.document;
    }
    const id = await resolveId(cli, given, "workflow");
    return (await cli.client().run("get_workflow", { id })).data.workflow.document;
  };
  const before = parseDocument(await documentOf("before")).document;
  const data = diffDocuments(before, parseDocument(await documentOf("after")).document);
  const { same, nodes, edges, parts } = data;
  const wayOf = ({ from, port, to }: (typeof edges.added)[number]): string => `${from} -${port}-> ${to}`;
  const rows = [
    ...nodes.removed.map((id) => ["-", "step", id, ""]),
    ...nodes.added.map((id) => ["+", "step", id, ""]),
    ...nodes.changed.map(({ id, fields }) => ["~", "step", id, fields.join(", ")]),
    ...edges.removed.map((edge) => ["-", "edge", wayOf(edge), ""]),
    ...edges.added.map((edge) => ["+", "edge", wayOf(edge), ""]),
    ...parts.map((part) => ["~", part, "", ""]),
  ];
  return {
    envelope: { ok: true, data },
    view: same
      ? [note("They run the same.")]
      : [{ kind: "table", columns: ["", "WHAT", "NAME", "CHANGED"], rows }],
    ...(!same && { status: 1 }),
  };
}
