import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";

/* A replica that refreshes a token as soon as it runs, to be killed while it does. */
const [name = "", resource = ""] = process.argv.slice(2);
const settings = loadSettings([]);
if (typeof settings === "string") throw new TypeError("settings expected");
const app = await startApp(settings);
const options = {
  caller: { kind: "key", id: "operator", scopes: new Set(["admin"] as const) },
  signal: AbortSignal.timeout(60_000),
} as const;
const refused = await app.services.credentials.authorize(name, new URL(resource), options);
await app.services.credentials.authorize(name, new URL(resource), { ...options, refused });
await app.close();
