import { DEFAULT_URL, EXIT_CODES, PROGRAM, VARIABLES } from "../cli/conventions.ts";
import { usageOf } from "../cli/reference.ts";
import { exampleView, loadTable } from "../cli/table.ts";
import { SERVICE } from "../kernel/service.ts";
import type { Resource } from "../ports/definitions.ts";

/** The resources of this domain. */
export const cliResources: readonly Resource[] = [
  {
    uri: "svc://cli",
    name: "svc-cli",
    title: "CLI integration status",
    description:
      "The command line suitectl: its commands, exit statuses and variables, and how it finds this service.",
    read: async ({ services }) => {
      const { commands, examples } = await loadTable();
      return {
        status: "available",
        program: PROGRAM,
        version: SERVICE.version,
        comesWith: "the package of this service (bin/suitectl.mjs); npx suitectl runs it in a clone",
        serviceUrl: services.settings.baseUrl,
        defaultUrl: DEFAULT_URL,
        keys: "From SUITE_API_KEY or suitectl login (mode 600); never from the command line.",
        commands: commands.map((command) => ({
          command: command.path,
          usage: usageOf(command),
          summary: command.summary,
          access: command.access,
        })),
        exitStatus: Object.values(EXIT_CODES).map((code) => ({ ...code })),
        variables: VARIABLES.map((variable) => ({ ...variable })),
        examples: { uri: "svc://cli/examples", count: examples.length },
      };
    },
  },
  {
    uri: "svc://cli/examples",
    name: "svc-cli-examples",
    title: "suitectl examples",
    description: "Every suitectl example, ready to paste, with what it needs; each of them is run by a test.",
    read: async () => ({ program: PROGRAM, examples: (await loadTable()).examples.map(exampleView) }),
  },
];
