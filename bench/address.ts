import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** Where a service that was just started listens, as it says itself. */
export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((done, fail) => {
    child.once("exit", (status) => fail(new Error(`the service ended with ${status}`)));
    if (child.stdout === null) return fail(new Error("the service has no output"));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = / serves (http\S+)/.exec(line)?.[1];
      if (url !== undefined) done(url);
    });
  });
}
