import { startApp, type App } from "./app.ts";
import { ConfigError, helpText, loadSettings } from "./config.ts";
import { AppError } from "./kernel/errors.ts";
import { SERVICE } from "./kernel/service.ts";
import type { Settings } from "./ports/settings.ts";

/** Starts the service from the command line and the environment; ends the process on a wrong setting. */
export async function start(): Promise<void> {
  const settings = readSettings();
  if (settings === "help") process.stdout.write(helpText());
  else if (settings === "version") process.stdout.write(`${SERVICE.version}\n`);
  else await run(settings);
}

function readSettings(): Settings | "help" | "version" {
  try {
    return loadSettings();
  } catch (error) {
    if (error instanceof ConfigError) return stop(error.message, 2);
    throw error;
  }
}

async function run(settings: Settings): Promise<void> {
  const app = await startApp(settings).catch((error: unknown) => stop(reasonOf(error, settings), 1));
  const key = await app.keyring.firstKey();
  const { baseUrl } = app.services.settings;
  process.stdout.write(`Workflow-UI ${SERVICE.version} serves ${baseUrl}\n`);
  if (key !== null) process.stdout.write(`API key, shown this once: ${key}\n`);
  stopOnSignals(app);
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

function reasonOf(error: unknown, settings: Settings): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return `Port ${settings.port} on ${settings.host} is in use; set PORT to another one.`;
  if (code === "EACCES" || code === "EADDRNOTAVAIL")
    return `Cannot listen on ${settings.host}:${settings.port}.`;
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : "The service could not start.";
}

function stop(message: string, status: 1 | 2): never {
  process.stderr.write(`workflow-ui: ${message}\n`);
  process.exit(status);
}
