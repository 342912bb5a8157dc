import type { Envelope } from "../../kernel/envelope.ts";
import type { Connection, DefinitionHead, InputOf } from "../../../packages/client/client.ts";
import { isSameSource } from "../../kernel/same-source.ts";
import { CONNECTION_KINDS, type ConnectionKind } from "../../model/connection-states.ts";
import { jsonBlock, listResult, object, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption, readText } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree } from "../prompt.ts";
import { fieldsOf } from "./call.ts";

/** Connections: servers and APIs that people bring. */
export const handlers: Handlers = {
  async "connections list"(cli) {
    return listResult(
      cli,
      await cli.client().run("list_connections", {}),
      "connections",
      [
        ["NAME", "name"],
        ["KIND", "kind"],
        ["TITLE", "title"],
        ["STATE", "state"],
        ["ACTIVE", (row) => row.definitions["active"] ?? 0],
        ["WAITING", (row) => row.definitions["quarantined"] ?? 0],
        ["CREDENTIAL", "credential"],
        ["ADDRESS", (row) => row.url ?? row.command ?? row.baseUrl],
      ],
      "name",
    );
  },
  async "connections tools"(cli) {
    const query = { q: cli.given.option("search"), limit: cli.given.integer("limit", 1, 100) };
    const envelope = await cli.client().run("search_connected_tools", query);
    return listResult(cli, envelope, "tools", [
      ["TOOL", "id"],
      ["EFFECT", "effect"],
      ["TITLE", "title"],
    ]);
  },
  async "connections fields"(cli) {
    const id = cli.given.argument("tool");
    const cut = id.indexOf(":");
    const [connection, definition] = [id.slice(0, cut), id.slice(cut + 1)];
    const { data } = await cli.client().run("get_definition", { connection, definition });
    const fields = fieldsOf(data.definition.inputSchema);
    const listed = fields.map(({ path, type, required, description }) => ({
      field: path.join("."),
      type: Array.isArray(type) ? type.join(" or ") : text(type),
      required,
      description,
    }));
    const view: Block = {
      kind: "table",
      columns: ["FIELD", "TYPE", "", "MEANING"],
      rows: listed.map((field) => [
        `--${field.field}`,
        field.type,
        field.required ? "required" : "",
        field.description,
      ]),
    };
    const ids = listed.map(({ field }) => `--${field}`);
    return { envelope: { ok: true, data: { fields: listed } }, ids, view: [view] };
  },
  async "connections probe"(cli) {
    const url = cli.given.argument("address");
    const envelope = await reaching(cli.client().run("probe_address", { url, ...privacy(cli) }));
    return shown(envelope, [envelope.data.kind]);
  },
  "connections add": add,
  async "connections show"(cli) {
    return definitionsResult(cli, await cli.client().run("get_connection", named(cli)));
  },
  async "connections test"(cli) {
    const envelope = await cli.client().run("test_connection", named(cli));
    const { test } = envelope.data;
    return { envelope, ids: [test.state], view: [jsonBlock(test)] };
  },
  async "connections sync"(cli) {
    return definitionsResult(cli, await cli.client().run("sync_connection", named(cli)));
  },
  async "connections accept"(cli) {
    const definition = cli.given.optionalArgument("definition");
    if (definition === undefined) return shown(await cli.client().run("accept_definitions", named(cli)));
    const input = { ...definitionOf(cli), digest: cli.given.option("digest") };
    return shown(await cli.client().run("accept_definition", input));
  },
  async "connections hide"(cli) {
    return shown(await cli.client().run("hide_definition", definitionOf(cli)));
  },
  async "connections edit"(cli) {
    const set = cli.given.option("set");
    if (set === undefined) {
      throw new Failure("usage", "What should change?", { next: 'Add --set \'{"effect": "read"}\'.' });
    }
    const edit = object(await jsonOption(set, "--set"));
    return shown(await cli.client().run("update_definition", { ...edit, ...definitionOf(cli) }));
  },
  async "connections calls"(cli) {
    const envelope = await cli.client().run("list_definition_calls", definitionOf(cli));
    return listResult(cli, envelope, "calls", [
      ["ID", "id"],
      ["AT", "at"],
      ["BY", "by"],
      ["OUTCOME", "outcome"],
      ["STATUS", "httpStatus"],
      ["MS", "elapsedMs"],
    ]);
  },
  async "connections record"(cli) {
    const limit = cli.given.integer("limit", 1, 20);
    return shown(await cli.client().run("record_calls", { limit, reject: cli.given.list("reject") }));
  },
  async "connections remove"(cli) {
    const name = cli.given.argument("name");
    await agree(`Remove the connection ${name}? Workflows that use it no longer run.`, cli.given.flag("yes"));
    const envelope = await cli.client().run("remove_connection", { name });
    return { envelope, ids: [name], view: [{ kind: "text", text: `${name} is removed.` }] };
  },
};

function named(cli: Cli): { readonly name: string } {
  return { name: cli.given.argument("name") };
}

function definitionOf(cli: Cli): { readonly connection: string; readonly definition: string } {
  return { connection: cli.given.argument("name"), definition: cli.given.argument("definition") };
}

/** The answer as it is. */
function shown(envelope: Envelope<object>, ids: readonly string[] = []): Result {
  return { envelope, ids, view: [jsonBlock(envelope.data)] };
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

function codeOf({ info }: Failure): string {
  return text(object(info.envelope?.data["error"])["code"]);
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
  return definitionsResult(cli, await reaching(cli.client().run("create_connection", body)));
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
    next: `Look at it with "suitectl connections show ${name}", read it again with "suitectl connections sync ${name}", or add a second one with --another.`,
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
  const view: Block[] = [
    {
      kind: "facts",
      facts: [
        ["connection", connection?.title],
        ["kind", connection?.kind],
        ["state", connection?.state],
        ["definitions", definitions.length],
      ],
    },
    { kind: "text", text: "" },
    {
      kind: "table",
      columns: ["DEFINITION", "EFFECT", "STATE", "TITLE"],
      rows: listed.map((row) => [row.name, row.effect, row.state, row.title]),
    },
    ...(left === 0
      ? []
      : [
          {
            kind: "note",
            text: `${left} more: find one with "suitectl connections tools --search WORD", or add --json.`,
          } as const,
        ]),
  ];
  return { envelope, ids: definitions.map((row) => row.name), view };
}
