import { isJson, type Json, type JsonObject } from "../../kernel/json.ts";
import { nearestNames } from "../../kernel/nearest.ts";
import { cell, jsonBlock, object, objects, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { jsonOption } from "../input.ts";
import type { Block, Cell, Result } from "../output.ts";

/** Listing, looking at and calling tools. */
export const handlers: Handlers = { "tools list": list, "tools show": show, "tools call": call };

async function allTools(cli: Cli): Promise<readonly JsonObject[]> {
  // The info document says of each tool whether it needs a key; tools/list does not.
  return objects((await cli.client().get("/api/mcp")).data["tools"]);
}

function needsKey(tool: JsonObject): boolean {
  return tool["protected"] === true;
}

async function list(cli: Cli): Promise<Result> {
  const { given } = cli;
  const search = given.option("search")?.toLowerCase() ?? "";
  const tools = (await allTools(cli)).filter(
    (tool) =>
      `${text(tool["name"])} ${text(tool["description"])}`.toLowerCase().includes(search) &&
      (!given.flag("protected") || needsKey(tool)) &&
      (!given.flag("public") || !needsKey(tool)),
  );
  return {
    envelope: { ok: true, data: { tools } },
    ids: tools.map((tool) => text(tool["name"])),
    view: [
      {
        kind: "table",
        columns: ["TOOL", "ACCESS", "WHAT IT DOES"],
        rows: tools.map((tool) => [
          text(tool["name"]),
          needsKey(tool) ? "key" : "public",
          firstSentence(tool),
        ]),
      },
    ],
  };
}

function firstSentence(tool: JsonObject): string {
  return /^.*?[.!?](?= |$)/.exec(text(tool["description"]))?.[0] ?? text(tool["description"]);
}

async function show(cli: Cli): Promise<Result> {
  const name = cli.given.argument("tool");
  const tool = found(name, await allTools(cli));
  const schema = object(tool["inputSchema"]);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const parameters = Object.entries(object(schema["properties"])).map(
    ([parameter, property]): readonly Cell[] => {
      const { type, description, enum: options, minimum, maximum } = object(property);
      const limits = Array.isArray(options)
        ? options.join(" | ")
        : minimum !== undefined || maximum !== undefined
          ? `${text(type)} ${cell(minimum) ?? ""}..${cell(maximum) ?? ""}`
          : cell(type);
      return [parameter, limits, required.includes(parameter) ? "required" : "", text(description)];
    },
  );
  const view: Block[] = [
    {
      kind: "facts",
      facts: [
        ["tool", name],
        ["access", needsKey(tool) ? "key" : "public"],
        ["does", text(tool["description"])],
      ],
    },
  ];
  if (parameters.length > 0) {
    view.push({ kind: "text", text: "" });
    view.push({ kind: "table", columns: ["PARAMETER", "TYPE", "", "MEANING"], rows: parameters });
  }
  return { envelope: { ok: true, data: { tool } }, ids: [name], view };
}

function found(name: string, tools: readonly JsonObject[]): JsonObject {
  const tool = tools.find((candidate) => candidate["name"] === name);
  if (tool) return tool;
  const near = nearestNames(
    name,
    tools.map((candidate) => text(candidate["name"])),
  );
  throw new Failure("missing", `There is no tool named "${name.slice(0, 100)}".`, {
    next: near.length > 0 ? `Did you mean ${near.join(", ")}?` : "suitectl tools list names them all.",
  });
}

async function call(cli: Cli): Promise<Result> {
  const { given } = cli;
  const name = given.argument("tool");
  const whole = given.option("args");
  const single = given.list("arg");
  const args = {
    ...(whole !== undefined && (await jsonOption(whole, "--args"))),
    ...(single.length > 0 && typedArguments(single, found(name, await allTools(cli)))),
  };
  const meta = given.option("meta");
  const envelope = await cli
    .client()
    .call(name, args, meta === undefined ? undefined : await jsonOption(meta, "--meta"));
  const id = envelope.data["id"];
  return { envelope, ids: typeof id === "string" ? [id] : [], view: [jsonBlock(envelope.data)] };
}

/** `name=value` pairs, each read by what the tool's schema says of it. */
function typedArguments(pairs: readonly string[], tool: JsonObject): JsonObject {
  const properties = object(object(tool["inputSchema"])["properties"]);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      if (at < 1) throw new Failure("usage", "--arg is written NAME=VALUE.");
      if (!Object.hasOwn(properties, name)) {
        throw new Failure("usage", `${text(tool["name"])} has no parameter "${name.slice(0, 60)}".`, {
          next: `It takes ${Object.keys(properties).join(", ") || "none"}.`,
        });
      }
      const type = object(properties[name])["type"];
      return [name, type === "string" ? pair.slice(at + 1) : parsedValue(pair.slice(at + 1), name)];
    }),
  );
}

function parsedValue(value: string, name: string): Json {
  try {
    const parsed: unknown = JSON.parse(value);
    if (isJson(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw new Failure("usage", `The value of ${name} is not JSON.`, {
    next: 'Write numbers, true, [1, 2] or {"a": 1}.',
  });
}
