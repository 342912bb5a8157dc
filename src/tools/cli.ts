import { Type } from "typebox";
import { suggestCommand } from "../cli/suggest.ts";
import { exampleView, loadTable } from "../cli/table.ts";
import { AppError } from "../kernel/errors.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { inputOf } from "../model/common.ts";

const { defineTool, declared } = toolList();

const example = Type.Object({
  id: Type.String({ description: "What get_cli_example takes." }),
  title: Type.String(),
  command: Type.String({ description: "The command's words after suitectl." }),
  summary: Type.String(),
  text: Type.String({ description: "What to paste into a shell." }),
  access: Type.String({ enum: ["offline", "public", "key", "database"] }),
  needs: Type.Array(Type.String(), { description: "What must be there before it works." }),
  interactive: Type.Boolean({ description: "True when it asks questions on a terminal." }),
});

defineTool({
  name: "list_cli_examples",
  title: "List suitectl examples",
  description:
    "Lists examples of the command line suitectl, each ready to paste into a shell, with the command it belongs to and what it needs: a running service, a key, a database, a terminal. They are made from the program's own command table, and a test runs every one. Runs nothing.",
  input: inputOf({}),
  output: Type.Object({ examples: Type.Array(example), count: Type.Integer({ minimum: 1 }) }),
  access: "public",
  effect: "none",
  run: async () => {
    const examples = (await loadTable()).examples.map(exampleView);
    return { examples, count: examples.length };
  },
});

defineTool({
  name: "get_cli_example",
  title: "Get a suitectl example",
  description:
    "Gives one suitectl example by its id, ready to paste into a shell, with what it needs before it works. An unknown id is answered with the nearest ones. Runs nothing; list_cli_examples shows all of them.",
  input: inputOf({ id: Type.String({ description: "The id of the example, such as workflows-run." }) }),
  output: Type.Object({ example }),
  access: "public",
  effect: "none",
  run: async ({ id }) => {
    const { examples } = await loadTable();
    const found = examples.find((entry) => entry.example.id === id);
    if (found) return { example: exampleView(found) };
    const near = nearestNames(
      id,
      examples.map((entry) => entry.example.id),
    );
    throw new AppError("not_found", "There is no suitectl example with this id.", {
      nextAction:
        near.length > 0 ? `Did you mean ${near.join(", ")}?` : "list_cli_examples shows all of them.",
      details: { nearest: near },
    });
  },
});

defineTool({
  name: "generate_suitectl_command",
  title: "Write a suitectl command",
  description:
    "Writes the suitectl command for an artifact, a template, a service of the suite, a tool or a group of commands: always the same text for the same wish, quoted for a shell and checked against the program's own command table. With `protected` it is the command that does it with a key, without it the one that only looks or previews. Runs nothing, and no command ever contains a key.",
  input: inputOf({
    artifactId: Type.Optional(Type.String({ description: "The artifact it is about." })),
    templateId: Type.Optional(Type.String({ description: "The workflow template it is about." })),
    target: Type.Optional(
      Type.String({
        description:
          "A service of the suite to hand the artifact to, a tool of this service, or a group such as runs.",
      }),
    ),
    action: Type.Optional(
      Type.String({
        description:
          "What to do: a verb of the group such as export, or the capability asked of a service of the suite.",
      }),
    ),
    protected: Type.Optional(
      Type.Boolean({ description: "True for the command that changes something and needs a key." }),
    ),
  }),
  output: Type.Object({
    command: Type.String({ description: "What to paste into a shell." }),
    path: Type.String(),
    summary: Type.String(),
    access: Type.String(),
    needsKey: Type.Boolean(),
    executed: Type.Boolean(),
    notes: Type.Array(Type.String()),
  }),
  access: "public",
  effect: "none",
  run: async (args, { services }) => {
    const known = { tools: services.catalog.tools, table: await loadTable() };
    const { path, text, command, needsKey, notes } = suggestCommand(args, known);
    return {
      command: text,
      path,
      summary: command.summary,
      access: needsKey ? "key" : command.access,
      needsKey,
      executed: false,
      notes: [
        `The service is looked for at --url, then SUITE_URL; this one is ${services.settings.baseUrl}.`,
        ...notes,
        ...(needsKey ? ["Log in with suitectl login first, or set SUITE_API_KEY."] : []),
      ],
    };
  },
});

/** The tools of this domain. */
export const cliTools: readonly Tool[] = declared;
