import { nearestNames } from "../kernel/nearest.ts";
import { AppError } from "../kernel/errors.ts";
import { SIBLING_NAMES } from "../ports/settings.ts";
import { suitectl } from "./command-line.ts";
import type { CommandSpec } from "./model.ts";
import { COMMANDS, findCommand } from "./table.ts";

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
}

const MOST = 500;

/** Chooses and writes the command for a wish. Throws `invalid_input` when nothing fits. */
export function suggestCommand(wish: CommandWish, isTool: (name: string) => boolean): SuggestedCommand {
  for (const [name, value] of Object.entries(wish)) {
    // Quotes make every text harmless to a shell; these could still mislead whoever reads the command.
    if (typeof value === "string" && (value.length > MOST || /^-|[\u0000-\u001f\u007f-\u009f]/.test(value))) {
      throw new AppError(
        "invalid_input",
        `${name} must be a text of at most ${MOST} characters without control characters or a leading dash.`,
      );
    }
  }
  if (wish.artifactId !== undefined) return forArtifact(wish.artifactId, wish);
  if (wish.templateId !== undefined) return forTemplate(wish.templateId, wish);
  if (wish.target !== undefined) return forTarget(wish.target, wish, isTool);
  return written("status", []);
}

function forArtifact(id: string, { target, action, protected: isProtected }: CommandWish): SuggestedCommand {
  if (target !== undefined && isSibling(target)) return handoff(target, [id], action, isProtected === true);
  const verb = action ?? (isProtected === true ? "delete" : "show");
  if (verb === "delete") return written("artifacts delete", [id]);
  if (verb === "export") return written("artifacts export", [id], { format: "markdown" });
  return written(`artifacts ${verb}`, [id]);
}

function forTemplate(id: string, { action, protected: isProtected }: CommandWish): SuggestedCommand {
  return written(`templates ${action ?? (isProtected === true ? "use" : "show")}`, [id]);
}

function forTarget(target: string, wish: CommandWish, isTool: (name: string) => boolean): SuggestedCommand {
  const { action, protected: isProtected } = wish;
  if (isSibling(target)) return handoff(target, [], action, isProtected === true);
  if (isTool(target)) return written(action === "show" ? "tools show" : "tools call", [target]);
  const path =
    action === undefined ? (findCommand(target) ? target : `${target} list`) : `${target} ${action}`;
  const command = findCommand(path);
  const required = (command?.args ?? []).filter(({ optional }) => optional !== true);
  if (command && required.every(({ name }) => name === "id"))
    return written(
      path,
      required.map(() => "latest"),
    );
  const known = [...SIBLING_NAMES, ...COMMANDS.map((candidate) => candidate.path)];
  const near = nearestNames(path, known);
  throw new AppError("invalid_input", "No command fits this target and action.", {
    nextAction:
      near.length > 0 ? `Did you mean ${near.join(", ")}?` : "list_cli_examples shows what there is.",
    details: { nearest: near },
  });
}

function handoff(
  target: string,
  args: readonly string[],
  action: string | undefined,
  send: boolean,
): SuggestedCommand {
  const options = action === undefined ? {} : { action };
  return written(send ? "handoffs send" : "handoffs preview", [target, ...args], options);
}

function isSibling(name: string): boolean {
  return SIBLING_NAMES.some((known) => known === name);
}

function written(
  path: string,
  args: readonly string[],
  options: Readonly<Record<string, string>> = {},
): SuggestedCommand {
  const command = findCommand(path);
  if (!command) {
    const near = nearestNames(
      path,
      COMMANDS.map((candidate) => candidate.path),
    );
    throw new AppError("invalid_input", `There is no command "${path}".`, {
      ...(near.length > 0 && { nextAction: `Did you mean ${near.join(", ")}?` }),
    });
  }
  try {
    return { path, command, text: suitectl(path, args, options) };
  } catch {
    throw new AppError("invalid_input", `"${path}" does not go with these values.`);
  }
}
