import { EXIT_CODES } from "../commands/conventions.ts";
import { AppError } from "../kernel/errors.ts";
import { Client } from "./client.ts";
import { chosenUrl, type Cli, type Given, type Handlers } from "./command.ts";
import { readKept, type Kept } from "./credentials.ts";
import { configFolder, serviceUrl, type Variables } from "./environment.ts";
import { exitOfCode, Failure } from "./failure.ts";
import { Output, type Mode } from "./output.ts";
import { createProgress } from "./progress.ts";

/** The commands by the first word of their paths, loaded when one of them is used. */
const GROUPS: Readonly<Record<string, () => Promise<Handlers>>> = {
  login: async () => (await import("./groups/session.ts")).handlers,
  logout: async () => (await import("./groups/session.ts")).handlers,
  status: async () => (await import("./groups/session.ts")).handlers,
  doctor: async () => (await import("./groups/doctor.ts")).handlers,
  mcp: async () => (await import("./groups/mcp.ts")).handlers,
  completion: async () => (await import("./groups/completion.ts")).handlers,
  demo: async () => (await import("./groups/demo.ts")).handlers,
  tools: async () => (await import("./groups/tools.ts")).handlers,
  form: async () => (await import("./groups/form.ts")).handlers,
  forms: async () => (await import("./groups/form.ts")).handlers,
  workflows: async () => (await import("./groups/workflows.ts")).handlers,
  templates: async () => (await import("./groups/templates.ts")).handlers,
  runs: async () => (await import("./groups/runs.ts")).handlers,
  approvals: async () => (await import("./groups/approvals.ts")).handlers,
  artifacts: async () => (await import("./groups/artifacts.ts")).handlers,
  handoffs: async () => (await import("./groups/handoffs.ts")).handlers,
  provenance: async () => (await import("./groups/provenance.ts")).handlers,
  keys: async () => (await import("./groups/keys.ts")).handlers,
  people: async () => (await import("./groups/people.ts")).handlers,
  groups: async () => (await import("./groups/people-groups.ts")).handlers,
  audit: async () => (await import("./groups/audit.ts")).handlers,
  tokens: async () => (await import("./groups/tokens.ts")).handlers,
  call: async () => (await import("./groups/call.ts")).handlers,
  connections: async () => (await import("./groups/connections.ts")).handlers,
  vault: async () => (await import("./groups/vault.ts")).handlers,
  webhooks: async () => (await import("./groups/webhooks.ts")).handlers,
  retention: async () => (await import("./groups/retention.ts")).handlers,
  events: async () => (await import("./groups/events.ts")).handlers,
  db: async () => (await import("./groups/db.ts")).handlers,
};

/** The handlers of a command's group. */
export async function handlersOf(path: string): Promise<Handlers> {
  const [group = ""] = path.split(" ");
  return (await GROUPS[group]?.()) ?? {};
}

/** Runs one command and gives its exit status. */
export async function execute(given: Given, variables: Variables): Promise<number> {
  const output = new Output({ mode: modeOf(given), colors: wantsColors(given, variables) });
  try {
    const handler = (await handlersOf(given.spec.path))[given.spec.path];
    if (handler === undefined) throw new TypeError(`"${given.spec.path}" has no handler`);
    const result = await handler(createCli(given, output, variables));
    if (result === undefined || typeof result === "number") return result ?? EXIT_CODES.ok.code;
    await output.print(result);
    return result.status ?? EXIT_CODES.ok.code;
  } catch (error) {
    const failure = failureFrom(error);
    await output.fail(failure);
    return failure.status;
  }
}

function createCli(given: Given, output: Output, variables: Variables): Cli {
  const folder = configFolder(variables);
  let kept: Kept | null = null;
  const readOnce = (): Kept => (kept ??= readKept(folder));
  const url = (): string => {
    const option = given.option("url");
    const origin = option !== undefined ? "--url" : variables["SUITE_URL"] ? "SUITE_URL" : "The kept address";
    return serviceUrl(chosenUrl(option, variables, readOnce), origin);
  };
  const key: Cli["key"] = () => {
    const variable = variables["SUITE_API_KEY"]?.trim();
    if (variable !== undefined && variable !== "") return { value: variable, from: "SUITE_API_KEY" };
    const value = readOnce().keys[url()] ?? readOnce().tokens[url()]?.access;
    return value === undefined ? null : { value, from: "login" };
  };
  // A sign-in has tokens that are replaced as they end.
  const renew = (): (() => Promise<string | null>) | undefined => {
    const address = url();
    if (key()?.from !== "login" || readOnce().keys[address] !== undefined) return undefined;
    return async () => (await import("./device-login.ts")).freshToken(folder, address);
  };
  return {
    given,
    output,
    variables,
    folder,
    kept: readOnce,
    url,
    key,
    client: ({ isQuiet = false, keepAlive = false } = {}) =>
      new Client(url(), key()?.value ?? null, {
        keepAlive,
        renew: renew(),
        ...(!isQuiet && { progress: createProgress(output.paintError) }),
      }),
  };
}

function modeOf(given: Given): Mode {
  const wanted = (["json", "yaml", "quiet"] as const).filter((mode) => given.flag(mode));
  return wanted[0] ?? "human";
}

function wantsColors(given: Given, variables: Variables): boolean {
  const refused =
    given.flag("no-color") || (variables["NO_COLOR"] ?? "") !== "" || variables["TERM"] === "dumb";
  return !refused;
}

function failureFrom(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof AppError) {
    const problems = (error.info.problems ?? []).map(({ pointer, message }) => `${pointer}: ${message}`);
    return new Failure(exitOfCode(error.code), error.message, { next: error.info.nextAction, problems });
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Failure("failed", `Unexpected: ${detail}`, {
    next: "This is a mistake in suitectl; please report it.",
  });
}
