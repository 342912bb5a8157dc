import process from "node:process";
import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";

/* The service, which kills itself when it passes a named point for the n-th time: `KILL_AT=in_transaction:3`. */

const [point, times] = (process.env["KILL_AT"] ?? "").split(":");
let left = Number(times);
const settings = loadSettings();
if (typeof settings === "string") throw new TypeError("settings expected");
const { services } = await startApp(settings, {
  engine: {
    fault(passed) {
      if (passed !== point) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    },
  },
});
process.stdout.write(`This serves ${services.settings.baseUrl}\n`);
