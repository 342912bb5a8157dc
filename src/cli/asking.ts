import process from "node:process";
import { Failure } from "./failure.ts";
import type { Prompter } from "./prompt.ts";

/** True when a person can be asked: both ends are a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on the terminal, and gives it back afterwards. */
export async function asking<T>(work: (prompter: Prompter) => Promise<T>): Promise<T> {
  // Most commands ask nothing: what reads lines is loaded when one does.
  const { Prompter: Opened } = await import("./prompt.ts");
  const prompter = new Opened();
  try {
    return await work(prompter);
  } finally {
    prompter.close();
  }
}

/** Agrees with `--yes`, asks on a terminal, and refuses elsewhere: nothing risky happens by accident in a script. */
export async function agree(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!canAsk()) {
    throw new Failure("usage", "This needs your agreement.", { next: "Add --yes when no one can be asked." });
  }
  if (!(await asking((prompter) => prompter.confirm(question))))
    throw new Failure("interrupted", "Nothing was done.");
}
