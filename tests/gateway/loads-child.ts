import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

/* Given to a child process with --import: writes the address of every loaded module, `thread` for every new thread, and at the end the modules of Node itself, to the file named by `?to=`. */

const file = new URL(import.meta.url).searchParams.get("to");
if (file !== null) {
  registerHooks({
    load(url, context, next) {
      appendFileSync(file, `${url}\n`);
      return next(url, context);
    },
  });
  subscribe("worker_threads", () => appendFileSync(file, "thread\n"));
  process.on("exit", () => appendFileSync(file, `${String(Reflect.get(process, "moduleLoadList"))}\n`));
}
