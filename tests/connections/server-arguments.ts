import { join } from "node:path";

/*
 * What the tools of the official MCP servers are called with. Those that are not named here take the example of their
 * form. The order matters: what is read was written before.
 */

/** Arguments, or how they are made for the first, second and third call. */
export type Arguments = Readonly<Record<string, unknown>> | ((time: number) => object);

/** For server-everything. */
export const EVERYTHING: Readonly<Record<string, Arguments>> = {
  "gzip-file-as-resource": {
    name: "a.gz",
    data: "data:text/plain;base64,aGVsbG8=",
    outputType: "resourceLink",
  },
  "trigger-long-running-operation": { duration: 1, steps: 2 },
};

/** For server-filesystem in a folder with the files a.txt and m0.txt. */
export function fileArguments(folder: string, copyName: string): Readonly<Record<string, Arguments>> {
  const path = join(folder, "a.txt");
  const copy = join(folder, copyName);
  return {
    write_file: { path: copy, content: "hello" },
    edit_file: { path: copy, edits: [{ oldText: "hello", newText: "hello" }] },
    create_directory: { path: join(folder, "sub") },
    move_file: (time) => {
      const [from, to] = [join(folder, `m${time}.txt`), join(folder, `m${time + 1}.txt`)];
      return { source: from, destination: to };
    },
    directory_tree: { path: folder },
    get_file_info: { path },
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    read_file: { path },
    read_media_file: { path },
    read_multiple_files: { paths: [path] },
    read_text_file: { path, head: 1 },
    search_files: { path: folder, pattern: "*.txt" },
  };
}

const entity = { name: "Rex", entityType: "dog", observations: ["barks"] };
const relation = { from: "Rex", to: "Rex", relationType: "knows" };

/** For server-memory. */
export const MEMORY: Readonly<Record<string, Arguments>> = {
  create_entities: { entities: [entity] },
  create_relations: { relations: [relation] },
  add_observations: { observations: [{ entityName: "Rex", contents: ["runs"] }] },
  delete_observations: { deletions: [{ entityName: "Rex", observations: ["runs"] }] },
  delete_relations: { relations: [relation] },
  open_nodes: { names: ["Rex"] },
  search_nodes: { query: "dog" },
  read_graph: {},
  delete_entities: { entityNames: ["nobody"] },
};
