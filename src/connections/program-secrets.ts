import { AppError } from "../kernel/errors.ts";
import { isSecretName, isToken } from "../kernel/secrets.ts";
import { withoutSurrounding } from "../kernel/text.ts";
import type { ConnectionCommand } from "../model/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { KEPT } from "./input.ts";

const PLACEHOLDER = /\{credential:([a-z][a-z0-9-]{0,62})\}/g;
/** `--name=value`, `NAME=value` of a container, `Name: value` of a header. */
const NAMED = /^(-{0,2}[A-Za-z][\w-]*)(=|: ?)(?=.)/;

/** The command as it is stored: what looks like a secret in it goes to the vault, and its name takes its place. */
export async function sealCommand(
  connection: string,
  given: ConnectionCommand,
  current: ConnectionCommand | null,
  { services, caller }: CallContext,
): Promise<ConnectionCommand> {
  const env: Record<string, string> = {};
  const credentials: Record<string, string> = { ...given.credentials };
  const seal = async (name: string, value: string): Promise<string> => {
    const credential = credentialName(connection, name);
    await services.credentials.keepVariable(credential, connection, value, caller);
    return credential;
  };
  for (const [name, value] of Object.entries(given.env)) {
    const known = current?.env[name];
    if (value === KEPT && known === undefined) {
      throw new AppError("invalid_input", `The variable ${name} has no value that could be kept.`, {
        problems: [{ pointer: `/env/${name}`, message: "Give its value, or the name of a credential." }],
      });
    }
    if (value === KEPT) env[name] = known ?? "";
    else if (isSecretName(name) || isToken(value)) credentials[name] = await seal(name, value);
    else env[name] = value;
  }
  const args: string[] = [];
  for (const [at, arg] of given.args.entries()) {
    const { name, from } = secretIn(arg, given.args[at - 1] ?? "") ?? { name: "", from: arg.length };
    const secret = arg.slice(from);
    args.push(secret === "" ? arg : `${arg.slice(0, from)}{credential:${await seal(name, secret)}}`);
  }
  return { command: given.command, args, env, credentials };
}

/** Where in an argument a secret begins, and what it is called; null when there is none. */
function secretIn(arg: string, before: string): { readonly name: string; readonly from: number } | null {
  if (arg.includes("{credential:") || /^\$\{[^{}]*\}$/.test(arg)) return null;
  const [head = "", name = ""] = NAMED.exec(arg) ?? [];
  if (head !== "" && (isSecretName(name) || isToken(arg.slice(head.length))))
    return { name, from: head.length };
  if (/^--?[A-Za-z]/.test(before) && !before.includes("=") && isSecretName(before) && !arg.startsWith("-"))
    return { name: before, from: 0 };
  const query = URL.parse(arg)?.searchParams ?? new URLSearchParams();
  return isToken(arg) || [...query.keys()].some((key) => isSecretName(key))
    ? { name: "argument", from: 0 }
    : null;
}

function credentialName(connection: string, variable: string): string {
  const word = withoutSurrounding(variable.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), "-");
  return withoutSurrounding(`${connection}-${word}`.slice(0, 63), "-");
}

/** The command as it is started, and the secrets in it. */
export async function openCommand(
  connection: string,
  stored: ConnectionCommand,
  { services, caller }: CallContext,
): Promise<{ readonly command: ConnectionCommand; readonly secrets: readonly string[] }> {
  const secrets: string[] = [];
  const open = async (name: string): Promise<string> => {
    const value = await services.credentials.variable(name, connection, caller);
    secrets.push(value);
    return value;
  };
  const env: Record<string, string> = { ...stored.env };
  for (const [variable, name] of Object.entries(stored.credentials)) env[variable] = await open(name);
  const args: string[] = [];
  for (const arg of stored.args) {
    const values = new Map<string, string>();
    for (const [, name = ""] of arg.matchAll(PLACEHOLDER)) values.set(name, await open(name));
    args.push(arg.replaceAll(PLACEHOLDER, (_whole, name: string) => values.get(name) ?? ""));
  }
  return { command: { ...stored, args, env }, secrets };
}
