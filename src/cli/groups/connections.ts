import type { Envelope } from "../../kernel/envelope.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { isSameSource } from "../../kernel/same-source.ts";
import { cell, jsonBlock, listResult, object, objects, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption, readText } from "../input.ts";
import type { Block, Result } from "../output.ts";
import { agree } from "../prompt.ts";
import { fieldsOf } from "./call.ts";

const ROOT = "/api/svc/connections";

/** Connections: servers and APIs that people bring. */
export const handlers: Handlers = {
  async "connections list"(cli) {
    return listResult(
      cli,
      await cli.client().get(ROOT),
      "connections",
      [
        ["NAME", "name"],
        ["KIND", "kind"],
        ["TITLE", "title"],
        ["STATE", "state"],
        ["ACTIVE", (row) => object(row["definitions"])["active"] ?? 0],
        ["WAITING", (row) => object(row["definitions"])["quarantined"] ?? 0],
        ["CREDENTIAL", "credential"],
        ["ADDRESS", (row) => row["url"] ?? row["command"] ?? row["baseUrl"]],
      ],
      "name",
    );
  },
  async "connections tools"(cli) {
    const query = { q: cli.given.option("search"), limit: cli.given.integer("limit", 1, 100) };
    const envelope = await cli.client().get(`${ROOT}/tools`, query);
    return listResult(cli, envelope, "tools", [
      ["TOOL", "id"],
      ["EFFECT", "effect"],
      ["TITLE", "title"],
    ]);
  },
  async "connections fields"(cli) {
    const id = cli.given.argument("tool");
    const cut = id.indexOf(":");
    const [connection, name] = [id.slice(0, cut), id.slice(cut + 1)].map(encodeURIComponent);
    const { data } = await cli.client().get(`${ROOT}/${connection}/definitions/${name}`);
    const fields = fieldsOf(object(object(data["definition"])["inputSchema"]));
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
    const envelope = await reaching(cli.client().post(`${ROOT}/probe`, { url, ...privacy(cli) }));
    return { envelope, ids: [text(envelope.data["kind"])], view: [jsonBlock(envelope.data)] };
  },
  "connections add": add,
  async "connections show"(cli) {
    const envelope = await cli.client().get(pathOf(cli));
    return definitionsResult(cli, envelope);
  },
  async "connections test"(cli) {
    const envelope = await cli.client().post(`${pathOf(cli)}/test`);
    const test = object(envelope.data["test"]);
    return { envelope, ids: [text(test["state"])], view: [jsonBlock(test)] };
  },
  async "connections sync"(cli) {
    return definitionsResult(cli, await cli.client().post(`${pathOf(cli)}/sync`));
  },
  async "connections accept"(cli) {
    const definition = cli.given.optionalArgument("definition");
    const digest = cli.given.option("digest");
    const path =
      definition === undefined ? pathOf(cli) : `${pathOf(cli)}/definitions/${encodeURIComponent(definition)}`;
    const envelope = await cli.client().post(`${path}/accept`, digest === undefined ? {} : { digest });
    return { envelope, ids: [], view: [jsonBlock(envelope.data)] };
  },
  async "connections hide"(cli) {
    const envelope = await cli.client().post(`${definitionPath(cli)}/hide`);
    return { envelope, ids: [], view: [jsonBlock(envelope.data)] };
  },
  async "connections edit"(cli) {
    const set = cli.given.option("set");
    if (set === undefined) {
      throw new Failure("usage", "What should change?", { next: 'Add --set \'{"effect": "read"}\'.' });
    }
    const envelope = await cli.client().patch(definitionPath(cli), await jsonOption(set, "--set"));
    return { envelope, ids: [], view: [jsonBlock(envelope.data)] };
  },
  async "connections calls"(cli) {
    return listResult(cli, await cli.client().get(`${definitionPath(cli)}/calls`), "calls", [
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
    const envelope = await cli.client().post(`${ROOT}/record`, {
      ...(limit !== undefined && { limit }),
      reject: [...cli.given.list("reject")],
    });
    return { envelope, ids: [], view: [jsonBlock(envelope.data)] };
  },
  async "connections remove"(cli) {
    const name = cli.given.argument("name");
    await agree(`Remove the connection ${name}? Workflows that use it no longer run.`, cli.given.flag("yes"));
    const envelope = await cli.client().remove(pathOf(cli));
    return { envelope, ids: [name], view: [{ kind: "text", text: `${name} is removed.` }] };
  },
};

function pathOf(cli: Cli): string {
  return `${ROOT}/${encodeURIComponent(cli.given.argument("name"))}`;
}

function definitionPath(cli: Cli): string {
  return `${pathOf(cli)}/definitions/${encodeURIComponent(cli.given.argument("definition"))}`;
}

/** Whether a private address was allowed. */
export function privacy(cli: Cli): JsonObject {
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
  const body: JsonObject = {
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
  return definitionsResult(cli, await reaching(cli.client().post(ROOT, body)));
}

/** A variable of a program. Its value never stands in a command line: it comes from the environment or the vault. */
function variableOf(cli: Cli, word: string): readonly [string, Json] {
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
): Promise<{ readonly kind: string; readonly existing: readonly string[] }> {
  const { given } = cli;
  const stated = given.option("kind");
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
  const { data } = await reaching(cli.client().post(`${ROOT}/probe`, { url, ...privacy(cli) }));
  const found = text(data["kind"]);
  if (found === "mcp" || found === "openapi")
    return { kind: found, existing: objects(data["existing"]).map((row) => text(row["name"])) };
  throw new Failure("failed", "Neither an API description nor an MCP server was found at this address.", {
    next: "Name the address of the description, use --kind mcp for an MCP server (it is asked with a POST), or --kind http with --document.",
  });
}

async function leadingTo(cli: Cli, kind: string, url: string | undefined): Promise<readonly string[]> {
  if (url === undefined) return [];
  const rows = objects((await cli.client().get(ROOT)).data["connections"]);
  return rows
    .filter((row) => {
      const known = { kind: text(row["kind"]), url: text(row["url"]), baseUrl: text(row["baseUrl"]) };
      return isSameSource(known, { kind, url });
    })
    .map((row) => text(row["name"]));
}

/** One connection for an address is enough; a second one is made on purpose only. */
function refuseSecond(name: string): Failure {
  return new Failure("failed", `The connection ${name} leads to this address already.`, {
    next: `Look at it with "suitectl connections show ${name}", read it again with "suitectl connections sync ${name}", or add a second one with --another.`,
  });
}

/** More definitions than this scroll away on a terminal. */
const MOST_LISTED = 100;

function definitionsResult(cli: Cli, envelope: Envelope): Result {
  const definitions = objects(envelope.data["definitions"]);
  const listed = cli.output.isTerminal ? definitions.slice(0, MOST_LISTED) : definitions;
  const left = definitions.length - listed.length;
  const { title, state, kind } = object(envelope.data["connection"]);
  const view: Block[] = [
    {
      kind: "facts",
      facts: [
        ["connection", cell(title)],
        ["kind", cell(kind)],
        ["state", cell(state)],
        ["definitions", definitions.length],
      ],
    },
    { kind: "text", text: "" },
    {
      kind: "table",
      columns: ["DEFINITION", "EFFECT", "STATE", "TITLE"],
      rows: listed.map((row) => [
        cell(row["name"]),
        cell(row["effect"]),
        cell(row["state"]),
        cell(row["title"]),
      ]),
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
  return { envelope, ids: definitions.map((row) => text(row["name"])), view };
}
