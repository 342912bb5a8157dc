import type { Connection, DefinitionHead, InputOf } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import { isObject } from "../../kernel/json.ts";
import { isSameSource } from "../../kernel/same-source.ts";
import { CONNECTION_KINDS, type ConnectionKind } from "../../model/connection-states.ts";
import type { Cli } from "../command.ts";
import { yesOption } from "../conventions.ts";
import { fieldsOf, toolOf } from "../definition-fields.ts";
import { Failure } from "../failure.ts";
import { list } from "../from-operation.ts";
import { jsonOption, readText } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree } from "../asking.ts";
import { line, note, plainResult, table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const nameArgument = argument("name", "The connection.", { kind: "connection" });
const definitionArgument = argument("definition", "The operation.");
const kindOption = { choices: CONNECTION_KINDS };
const allowPrivate = option(
  "--private",
  "Allow exactly the host and port of its address, although they are private.",
);

/** Connections: servers and APIs that people bring. */
export const connections = group("connections", {
  list: list({
    summary: "Every connection with its health.",
    examples: [example("All connections")],
    operation: "list_connections",
    input: () => ({}),
    rows: "connections",
    columns: {
      NAME: "name",
      KIND: "kind",
      TITLE: "title",
      STATE: "state",
      ACTIVE: ({ definitions }) => definitions["active"] ?? 0,
      WAITING: ({ definitions }) => definitions["quarantined"] ?? 0,
      CREDENTIAL: "credential",
      ADDRESS: ({ url, command, baseUrl }) => url ?? command ?? baseUrl,
    },
    id: "name",
  }),
  tools: list({
    summary: "Search the operations of all connections.",
    options: [
      option("--search <TEXT>", "Only those whose name, title or description has all words."),
      option("--limit <N>", "At most N results, 1 to 100."),
    ],
    examples: [example("The names of the first operations, one a line", "--quiet")],
    operation: "search_connected_tools",
    input: ({ given }) => ({ q: given.option("search"), limit: given.integer("limit", 1, 100) }),
    rows: "tools",
    columns: { TOOL: "id", EFFECT: "effect", TITLE: "title" },
  }),
  fields: {
    summary: "The fields of an operation, with types and which are required.",
    args: [argument("tool", "connection:name of the operation.", { kind: "connected" })],
    examples: [example("What a call takes", "sample:notify", ["connection"])],
    async run(cli) {
      const { data } = await cli.client().run("get_definition", toolOf(cli));
      const fields = fieldsOf(data.definition.inputSchema).map(({ path, type, required, description }) => ({
        field: path.join("."),
        type: Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : "",
        required,
        description,
      }));
      const columns = {
        FIELD: ({ field }: (typeof fields)[number]) => `--${field}`,
        TYPE: "type",
        "": ({ required }: (typeof fields)[number]) => (required ? "required" : ""),
        MEANING: "description",
      } as const;
      const ids = fields.map(({ field }) => `--${field}`);
      return { envelope: { ok: true, data: { fields } }, ids, view: [table(columns, fields)] };
    },
  },
  probe: {
    summary: "Look at an address and say what it is.",
    args: [argument("address", "The address of an API, its description or an MCP server.")],
    options: [
      option("--kind <KIND>", "What it may be; mcp also sends a POST, as MCP servers want it.", kindOption),
      allowPrivate,
    ],
    async run(cli) {
      const { given } = cli;
      const input = { url: given.argument("address"), kind: given.choice("kind", CONNECTION_KINDS) };
      const envelope = await reaching(cli.client().run("probe_address", { ...input, ...privacy(cli) }));
      return plainResult(envelope, [envelope.data.kind]);
    },
  },
  add: {
    summary: "Add an MCP server, an API or own requests under a short name.",
    args: [argument("name", "A short name: lower-case letters, digits and hyphens.")],
    options: [
      option("--kind <KIND>", "What it is; probed when left out.", kindOption),
      option(
        "--address <URL>",
        "The MCP endpoint, the API description, or the base address of own requests.",
      ),
      option("--document <FILE>", "The API description or the requests; - is standard input.", {
        kind: "file",
      }),
      option("--command <PROGRAM>", "The program of an MCP server on the service's machine."),
      option("--command-arg <TEXT...>", "One argument of the program."),
      option(
        "--env <NAME...>",
        "A variable for the program: NAME from this environment, or NAME=CREDENTIAL from the vault.",
      ),
      option("--base-url <URL>", "Where calls go instead of what the description says."),
      option("--title <TEXT>", "What people call it."),
      option("--credential <NAME>", "The credential that calls use.", { kind: "credential" }),
      option("--another", "Add it although a connection leads to the same address."),
      allowPrivate,
    ],
    examples: [
      example(
        "Own requests from standard input",
        "hooks --kind http --address https://hooks.example.com --document -",
        [],
        {
          stdin:
            '{"requests":[{"name":"notify","method":"POST","path":"/notify","body":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}}]}',
        },
      ),
    ],
    run: add,
  },
  show: {
    summary: "A connection with its definitions and what waits to be accepted.",
    args: [nameArgument],
    examples: [example("What a connection offers", "sample", ["connection"])],
    run: async (cli) => definitionsResult(cli, await cli.client().run("get_connection", named(cli))),
  },
  test: {
    summary:
      "Test a connection: whether it answers, takes its credential and still offers what was accepted.",
    args: [nameArgument],
    examples: [example("Ask whether it works", "sample", ["connection"])],
    async run(cli) {
      const envelope = await cli.client().run("test_connection", named(cli));
      const { test } = envelope.data;
      return { ...plainResult({ ok: true, data: test }, [test.state]), envelope };
    },
  },
  sync: {
    summary: "Read a connection again; what is new or changed waits to be accepted.",
    args: [nameArgument],
    examples: [example("Read it again", "sample", ["connection"])],
    run: async (cli) => definitionsResult(cli, await cli.client().run("sync_connection", named(cli))),
  },
  accept: {
    summary: "Accept a definition that waits, or all of them; show a hidden one again.",
    args: [nameArgument, { ...definitionArgument, optional: true }],
    options: [option("--digest <SHA256>", "Accept exactly the definition that was looked at.")],
    examples: [example("Accept everything that waits", "sample", ["connection"])],
    async run(cli) {
      if (cli.given.optionalArgument("definition") === undefined)
        return plainResult(await cli.client().run("accept_definitions", named(cli)));
      const input = { ...definitionOf(cli), digest: cli.given.option("digest") };
      return plainResult(await cli.client().run("accept_definition", input));
    },
  },
  hide: {
    summary: "Hide a definition: it cannot be called.",
    args: [nameArgument, definitionArgument],
    examples: [example("Nobody can call it until it is accepted again", "sample notify", ["connection"])],
    run: async (cli) => plainResult(await cli.client().run("hide_definition", definitionOf(cli))),
  },
  edit: {
    summary: "Rename or describe a definition, fix arguments, correct effect and idempotency.",
    args: [nameArgument, definitionArgument],
    options: [
      option(
        "--set <JSON>",
        "name, title, description, effect, idempotent, idempotencyHeader, fixedArguments; null takes back.",
      ),
    ],
    examples: [
      example("Correct what a definition can change", 'sample notify --set \'{"effect":"write"}\'', [
        "connection",
      ]),
    ],
    async run(cli) {
      const set = cli.given.option("set");
      if (set === undefined) {
        throw new Failure("usage", "What should change?", { next: 'Add --set \'{"effect": "read"}\'.' });
      }
      const edit = await jsonOption(set, "--set");
      return plainResult(await cli.client().run("update_definition", { ...edit, ...definitionOf(cli) }));
    },
  },
  calls: list({
    summary: "The last calls of a definition, newest first.",
    args: [nameArgument, definitionArgument],
    examples: [example("The history of a definition", "sample notify", ["connection"])],
    operation: "list_definition_calls",
    input: definitionOf,
    rows: "calls",
    columns: {
      ID: "id",
      AT: "at",
      BY: "by",
      OUTCOME: "outcome",
      STATUS: "httpStatus",
      MS: "elapsedMs",
    },
  }),
  record: {
    summary: "Create a draft workflow from your last calls.",
    options: [
      option("--limit <N>", "How many calls, 1 to 20."),
      option("--reject <ID...>", "A guessed reference that is wrong."),
    ],
    async run(cli) {
      const input = { limit: cli.given.integer("limit", 1, 20), reject: cli.given.list("reject") };
      return plainResult(await cli.client().run("record_calls", input));
    },
  },
  remove: {
    summary: "Remove a connection with its definitions and history.",
    args: [nameArgument],
    options: [yesOption],
    examples: [example("Remove it without being asked", "sample --yes", ["connection"])],
    async run(cli) {
      const { name } = named(cli);
      await agree(
        `Remove the connection ${name}? Workflows that use it no longer run.`,
        cli.given.flag("yes"),
      );
      const envelope = await cli.client().run("remove_connection", { name });
      return { envelope, ids: [name], view: [line(`${name} is removed.`)] };
    },
  },
});

function named(cli: Cli): { readonly name: string } {
  return { name: cli.given.argument("name") };
}

function definitionOf(cli: Cli): { readonly connection: string; readonly definition: string } {
  return { connection: cli.given.argument("name"), definition: cli.given.argument("definition") };
}

/** Whether a private address was allowed. */
export function privacy(cli: Cli): { readonly allowPrivateOrigin?: true } {
  return cli.given.flag("private") ? { allowPrivateOrigin: true } : {};
}

/** A private address is refused with the option that allows it. */
async function reaching<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Failure) || codeOf(error) !== "blocked") throw error;
    throw new Failure(error.exit, error.message, {
      ...error.info,
      next: "Add --private to let this connection reach exactly this host and port.",
    });
  }
}

function codeOf({ info }: Failure): unknown {
  const data = info.envelope?.data;
  const error = isObject(data) ? data["error"] : undefined;
  return isObject(error) ? error["code"] : undefined;
}

async function add(cli: Cli): Promise<Result> {
  const { given } = cli;
  const url = given.option("address");
  const document = given.option("document");
  const command = given.option("command");
  const baseUrl = given.option("base-url");
  const title = given.option("title");
  const credential = given.option("credential");
  const {
    kind,
    existing: [existing],
  } = await lookedAt(cli, url);
  if (existing !== undefined && !given.flag("another")) throw refuseSecond(existing);
  const body: InputOf<"create_connection"> = {
    name: given.argument("name"),
    kind,
    ...(url !== undefined && { url }),
    ...(document !== undefined && { document: await readText(document) }),
    ...(command !== undefined && {
      command,
      args: [...given.list("command-arg")],
      env: Object.fromEntries(given.list("env").map((word) => variableOf(cli, word))),
    }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(title !== undefined && { title }),
    ...(credential !== undefined && { credential }),
    ...privacy(cli),
  };
  const added = cli.client().run("create_connection", body);
  // A program has no address that could be private.
  return definitionsResult(cli, await (command === undefined ? reaching(added) : added));
}

/** A variable of a program. Its value never stands in a command line: it comes from the environment or the vault. */
function variableOf(cli: Cli, word: string): readonly [string, string | { readonly credential: string }] {
  const [name = "", credential] = word.split("=");
  if (credential !== undefined) return [name, { credential }];
  const value = cli.variables[name];
  if (value === undefined) throw new Failure("usage", `The environment variable ${name} is not set.`);
  return [name, value];
}

/** What is to be added: its kind, and the connections that lead to the same address already. */
async function lookedAt(
  cli: Cli,
  url: string | undefined,
): Promise<{ readonly kind: ConnectionKind; readonly existing: readonly string[] }> {
  const { given } = cli;
  const stated = given.choice("kind", CONNECTION_KINDS);
  const kind =
    stated ??
    (given.option("command") !== undefined
      ? "mcp"
      : given.option("document") !== undefined
        ? "openapi"
        : undefined);
  if (kind !== undefined) return { kind, existing: await leadingTo(cli, kind, url) };
  if (url === undefined) {
    throw new Failure("usage", "Where is it?", { next: "Add --address, --document or --command." });
  }
  const { data } = await reaching(cli.client().run("probe_address", { url, ...privacy(cli) }));
  if (data.kind !== "http") return { kind: data.kind, existing: data.existing.map((row) => row.name) };
  throw new Failure("failed", "Neither an API description nor an MCP server was found at this address.", {
    next: "Name the address of the description, use --kind mcp for an MCP server (it is asked with a POST), or --kind http with --document.",
  });
}

async function leadingTo(cli: Cli, kind: string, url: string | undefined): Promise<readonly string[]> {
  if (url === undefined) return [];
  const { connections } = (await cli.client().run("list_connections", {})).data;
  return connections.filter((row) => isSameSource(row, { kind, url })).map((row) => row.name);
}

/** One connection for an address is enough; a second one is made on purpose only. */
function refuseSecond(name: string): Failure {
  return new Failure("failed", `The connection ${name} leads to this address already.`, {
    next: `Show it with "suitectl connections show ${name}", read it again with "suitectl connections sync ${name}", or add a second one with --another.`,
  });
}

/** More definitions than this scroll away on a terminal. */
const MOST_LISTED = 100;

function definitionsResult(
  cli: Cli,
  envelope: Envelope<{
    readonly connection?: Connection | undefined;
    readonly definitions?: readonly DefinitionHead[] | undefined;
  }>,
): Result {
  const { connection, definitions = [] } = envelope.data;
  const listed = cli.output.isTerminal ? definitions.slice(0, MOST_LISTED) : definitions;
  const left = definitions.length - listed.length;
  const more = `${left} more: find one with "suitectl connections tools --search WORD", or add --json.`;
  const view: readonly Block[] = [
    {
      kind: "facts",
      facts: [
        ["connection", connection?.title],
        ["kind", connection?.kind],
        ["state", connection?.state],
        ["definitions", definitions.length],
      ],
    },
    line(""),
    table({ DEFINITION: "name", EFFECT: "effect", STATE: "state", TITLE: "title" }, listed),
    ...(left === 0 ? [] : [note(more)]),
  ];
  return { envelope, ids: definitions.map((row) => row.name), view };
}
