import { EXIT_CODES } from "./conventions.ts";
import { AppError } from "../kernel/errors.ts";
import { Client } from "./client.ts";
import { chosenUrl, type Cli, type Given } from "./command.ts";
import { readCredentials, type StoredCredentials } from "./credentials.ts";
import { configFolder, serviceUrl, type Variables } from "./environment.ts";
import { exitOfCode, Failure } from "./failure.ts";
import { Output, type Mode } from "./output.ts";
import { createProgress } from "./progress.ts";

/** Runs one command and gives its exit status. */
export async function execute(given: Given, variables: Variables): Promise<number> {
  const output = new Output({ mode: modeOf(given), colors: wantsColors(given, variables) });
  try {
    const result = await given.spec.run(createCli(given, output, variables));
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
  let kept: StoredCredentials | null = null;
  const readOnce = (): StoredCredentials => (kept ??= readCredentials(folder));
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
