import { enableCompileCache } from "node:module";
import { resolve } from "node:path";
import type { App } from "./app.ts";
import type { Settings } from "./ports/settings.ts";

// Before anything else is loaded: stripped and compiled modules are kept between starts.
enableCompileCache();

const { ConfigError, loadSettings } = await import("./config.ts");
const { helpText, VERSION_TEXT } = await import("./config-table.ts");
const { SERVICE } = await import("./kernel/service.ts");

const settings = readSettings();
if (settings === "help") process.stdout.write(helpText());
else if (settings === "version") process.stdout.write(VERSION_TEXT);
else await run(settings);

function readSettings(): Settings | "help" | "version" {
  try {
    return loadSettings();
  } catch (error) {
    if (error instanceof ConfigError) return stop(error.message, 2);
    throw error;
  }
}

async function run(given: Settings): Promise<void> {
  const { startApp } = await import("./app.ts");
  const app = await startApp(given).catch((error: unknown) => stop(reasonOf(error, given), 1));
  const owner = await welcome(app, given).catch((error: unknown) => {
    // A full disk: what is stored can be read, and writing works again when there is room.
    process.stderr.write(`workflow-ui: ${reasonOf(error, given)}\n`);
    return null;
  });
  stopOnSignals(app);
  const { baseUrl } = app.services.settings;
  process.stdout.write(`Data: ${placeOf(given.databaseUrl)}\n`);
  process.stdout.write(`${SERVICE.title} ${SERVICE.build} serves ${baseUrl}\n`);
  if (given.opensBrowser) {
    const { openBrowser } = await import("./gateway/open-browser.ts");
    openBrowser(owner ?? baseUrl);
  }
  const { releaseStartMemory } = await import("./gateway/idle-memory.ts");
  void app.settled.then(releaseStartMemory);
}

/** What an operator needs of a service that was never used; gives the address that makes the owner. */
async function welcome({ keyring, people }: App, { role }: Settings): Promise<string | null> {
  const key = await keyring.firstKey();
  if (key !== null) process.stdout.write(`API key, shown this once: ${key}\n`);
  const owner = role === "worker" ? null : await people.ownerLink();
  if (owner !== null) process.stdout.write(`Create the owner in a browser, once: ${owner.url}\n`);
  return owner?.url ?? null;
}

/** Where the records are, for people: the file, or the server without the password. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  if (url?.protocol === "sqlite:") return resolve(databaseUrl.replace(/^sqlite:(\/\/(?=\/))?/, ""));
  return url === null ? "nothing is kept" : `${url.host}${url.pathname}`;
}

/** The first signal drains, a second one ends at once. */
function stopOnSignals(app: App): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    app.services.log.info("stopping", { signal });
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        app.services.log.error("stop failed", {}, error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}

function reasonOf(error: unknown, given: Settings): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return `Port ${given.port} on ${given.host} is in use; set PORT to another one.`;
  if (code === "EACCES" || code === "EADDRNOTAVAIL") return `Cannot listen on ${given.host}:${given.port}.`;
  if (!(error instanceof Error)) return "The service could not start.";
  const place = placeOf(given.databaseUrl);
  const isNamed = code !== "storage_unavailable" || error.message.includes(place);
  return isNamed ? error.message : `${error.message} The database is ${place}.`;
}

function stop(message: string, status: 1 | 2): never {
  process.stderr.write(`workflow-ui: ${message}\n`);
  process.exit(status);
}
