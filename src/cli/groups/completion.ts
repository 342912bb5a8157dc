import { completionScript } from "../../commands/completion.ts";
import type { Handlers } from "../command.ts";

/** Completion scripts. */
export const handlers: Handlers = {
  completion({ given, output }) {
    const shell = given.argument("shell");
    if (shell === "bash" || shell === "zsh" || shell === "fish") output.write(completionScript(shell));
    return 0;
  },
};
