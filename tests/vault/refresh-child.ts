import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";

/* A replica that refreshes a token as soon as it runs, to be killed while it does. */
const [name = "", resource = ""] = process.argv.slice(2);
const settings = loadSettings([]);
if (typeof settings === "string") throw new TypeError("settings expected");
const app = await startApp(settings);
await app.services.credentials.authorize(name, new URL(resource), {
  caller: { kind: "key", id: "operator", scopes: new Set(["admin"]) },
  signal: AbortSignal.timeout(60_000),
  refresh: true,
});
await app.close();
