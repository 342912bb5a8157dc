import { nearestNames } from "../kernel/nearest.ts";
import { AppError } from "../kernel/errors.ts";
import { SIBLING_NAMES } from "../ports/settings.ts";
import { shellWords } from "../kernel/shell.ts";
import { suitectl } from "./command-line.ts";
import type { CommandSpec } from "./spec.ts";
import type { CommandTable } from "./table.ts";

/** What a command is wanted for. */
export interface CommandWish {
  readonly artifactId?: string;
  readonly templateId?: string;
  /** A sibling, a tool of this service, or a group of commands. */
  readonly target?: string;
  readonly action?: string;
  /** True for the command that does it with a key, false for the one that only looks. */
  readonly protected?: boolean;
}

/** A command that does what was wished. */
export interface SuggestedCommand {
  readonly path: string;
  readonly text: string;
  readonly command: CommandSpec;
  /** True when the command, or the tool that it calls, is refused without a key. */
  readonly needsKey: boolean;
  readonly notes: readonly string[];
}

/** The tools of this service, each with what it asks of its caller: `public` or a scope. */
type ToolAccesses = readonly { readonly name: string; readonly access: string }[];

type Written = Omit<SuggestedCommand, "needsKey" | "notes"> & Partial<SuggestedCommand>;

/** What a suggestion is made from. */
interface SuggestionContext {
  readonly tools: ToolAccesses;
  readonly table: CommandTable;
}

const MOST = 500;
const MOST_NAMED = 12;

/** Chooses and writes the command for a wish. Throws `invalid_input` when nothing fits. */
export function suggestCommand(wish: CommandWish, known: SuggestionContext): SuggestedCommand {
  for (const [name, value] of Object.entries(wish)) {
    // Quotes make every text harmless to a shell; these could still mislead the reader of the command.
    if (typeof value === "string" && (value.length > MOST || /^-|[\u0000-\u001f\u007f-\u009f]/.test(value))) {
      throw new AppError(
        "invalid_input",
        `${name} must be a text of at most ${MOST} characters without control characters or a leading dash.`,
      );
    }
  }
  const found = choose(wish, known);
  const readsRecords = found.command.examples.some(({ needs }) => needs.includes("key"));
  const isPublic = found.command.access === "public" && found.needsKey !== true;
  return {
    ...found,
    // A command for everybody reads private records only with a key.
    needsKey:
      found.needsKey ??
      (found.command.access === "key" || (isPublic && readsRecords && wish.protected === true)),
    notes: [
      ...(found.notes ?? []),
      ...(isPublic && readsRecords && found.needsKey === undefined
        ? ["Without a key it shows public records only."]
        : []),
    ],
  };
}

function choose(wish: CommandWish, known: SuggestionContext): Written {
  if (wish.artifactId !== undefined) return forArtifact(wish.artifactId, wish, known);
  if (wish.templateId !== undefined) return forTemplate(wish.templateId, wish, known);
  if (wish.target !== undefined) return forTarget(wish.target, wish, known);
  if (wish.action !== undefined) return forAction(wish.action, wish, known);
  return written(known, "status", []);
}

function forArtifact(
  id: string,
  { target, action, protected: isProtected }: CommandWish,
  known: SuggestionContext,
): Written {
  if (target !== undefined && isSibling(target))
    return handoff(known, target, [id], action, isProtected === true);
  const verb = action ?? (isProtected === true ? "delete" : "show");
  if (verb === "delete") return written(known, "artifacts delete", [id]);
  if (verb === "export") return written(known, "artifacts export", [id], { format: "markdown" });
  return written(known, `artifacts ${verb}`, [id]);
}

function forTemplate(
  id: string,
  { action, protected: isProtected }: CommandWish,
  known: SuggestionContext,
): Written {
  return written(known, `templates ${action ?? (isProtected === true ? "use" : "show")}`, [id]);
}

function forTarget(target: string, wish: CommandWish, known: SuggestionContext): Written {
  const { action, protected: isProtected } = wish;
  const bare = action === undefined && isProtected !== true;
  // `mcp` is both a sibling and a command: with nothing to hand over, the command is meant.
  if (isSibling(target) && !(bare && known.table.find(target)))
    return handoff(known, target, [], action, isProtected === true);
  const access = known.tools.find(({ name }) => name === target)?.access;
  if (access !== undefined) return forTool(known, target, action, access);
  const path = action === undefined ? pathOf(known, target, isProtected === true) : `${target} ${action}`;
  const command = known.table.find(path);
  if (command) return withSampleValues(known, command);
  throw noCommand(known, action === undefined ? target : path);
}

/** A verb alone names a command when only one group has it. */
function forAction(action: string, wish: CommandWish, known: SuggestionContext): Written {
  const [only, ...others] = known.table.commands.filter(
    ({ path }) => path.endsWith(` ${action}`) && !known.table.find(action),
  );
  if (only !== undefined && others.length === 0) return withSampleValues(known, only);
  if (only === undefined) return forTarget(action, { protected: wish.protected ?? false }, known);
  const paths = [only, ...others].map(({ path }) => path);
  throw new AppError("invalid_input", `Several commands do "${action}"; target must say which group.`, {
    nextAction: `Set target to one of ${paths.map((path) => path.split(" ")[0]).join(", ")}.`,
    details: { nearest: paths },
  });
}

function forTool(
  known: SuggestionContext,
  name: string,
  action: string | undefined,
  access: string,
): Written {
  if (action === "show") return { ...written(known, "tools show", [name]), needsKey: false };
  return {
    ...written(known, "tools call", [name]),
    needsKey: access !== "public",
    notes: [
      ...(access === "public" ? [] : [`The key must hold the scope "${access}".`]),
      `Arguments are given with --args JSON; suitectl tools show ${name} names them.`,
    ],
  };
}

/** The command meant by a path or by a group alone: the one that lists, or with `protected` the first with a key. */
function pathOf(known: SuggestionContext, target: string, isProtected: boolean): string {
  if (known.table.find(target)) return target;
  const ofGroup = known.table.commands.filter(({ path }) => path.startsWith(`${target} `));
  const list = known.table.find(`${target} list`) ?? ofGroup[0];
  if (list === undefined) return `${target} list`;
  const keyed = isProtected && list.access !== "key" && ofGroup.find(({ access }) => access === "key");
  return (keyed || list).path;
}

/** A command with the values of its own example, which a test runs; `latest` or a name in capitals without one. */
function withSampleValues(known: SuggestionContext, command: CommandSpec): Written {
  const { path, args = [] } = command;
  const required = args.filter(({ optional }) => optional !== true);
  if (required.every(({ name }) => name === "id"))
    return written(
      known,
      path,
      required.map(() => "latest"),
    );
  // An example's own arguments stand before its options.
  const sample = command.examples
    .map(({ text }) => text)
    .find(
      (text) => text.startsWith(`suitectl ${path} `) && argumentsIn(text, path).length >= required.length,
    );
  const values =
    sample === undefined
      ? required.map(({ name, choices }) => choices?.[0] ?? (name === "id" ? "latest" : name.toUpperCase()))
      : argumentsIn(sample, path);
  const text = sample ?? suitectl(known.table, path, values);
  return { path, command, text, notes: [`Replace the sample values ${values.join(", ")} by your own.`] };
}

/** What stands between a command's words and its options. */
function argumentsIn(line: string, path: string): readonly string[] {
  const words = shellWords(line.split("\n", 1)[0] ?? "").slice(1 + path.split(" ").length);
  const end = words.findIndex((word) => /^-.|^[<>]/.test(word));
  return end === -1 ? words : words.slice(0, end);
}

function handoff(
  known: SuggestionContext,
  target: string,
  args: readonly string[],
  action: string | undefined,
  send: boolean,
): Written {
  const options = action === undefined ? {} : { action };
  return written(known, send ? "handoffs send" : "handoffs preview", [target, ...args], options);
}

function isSibling(name: string): boolean {
  return SIBLING_NAMES.some((known) => known === name);
}

function written(
  known: SuggestionContext,
  path: string,
  args: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Written {
  const command = known.table.find(path);
  if (!command) throw noCommand(known, path);
  try {
    return { path, command, text: suitectl(known.table, path, args, options) };
  } catch {
    throw new AppError("invalid_input", `"${path}" does not go with these values.`, {
      nextAction: `suitectl ${path} --help shows what it takes.`,
    });
  }
}

/** Names what was probably meant: what is spelt alike, commands with one of the words, else those of the same group. */
function noCommand(known: SuggestionContext, wanted: string): AppError {
  const paths = known.table.commands.map(({ path }) => path);
  const words = wanted.split(" ").filter((word) => word.length > 3);
  const groups = new Set(
    nearestNames(wanted.split(" ")[0] ?? "", new Set(paths.map((path) => path.split(" ")[0] ?? "")), 1),
  );
  const near = new Set([
    ...nearestNames(wanted, [...paths, ...SIBLING_NAMES, ...known.tools.map(({ name }) => name)]),
    ...paths.filter((path) => words.some((word) => path.split(" ").at(-1) === word)),
    ...paths.filter((path) => groups.has(path.split(" ")[0] ?? "")),
  ]);
  const nearest = [...near].slice(0, MOST_NAMED);
  return new AppError("invalid_input", `There is no command "${wanted}".`, {
    nextAction:
      nearest.length > 0 ? `Did you mean ${nearest.join(", ")}?` : "list_cli_examples shows what there is.",
    details: { nearest },
  });
}
