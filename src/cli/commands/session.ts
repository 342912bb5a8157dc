import type { Cli } from "../command.ts";
import { writeCredentials } from "../credentials.ts";
import { Failure } from "../failure.ts";
import { readStdin } from "../input.ts";
import type { Cell, Result } from "../output.ts";
import { canAsk, asking } from "../asking.ts";
import { note } from "../results.ts";
import { example, group, option } from "../spec.ts";

/** Keys, who one is, and how the service does. */
export const session = group("", {
  login: {
    summary: "Keep an API key for a service, or sign in as a person.",
    about:
      "With --device it shows an address and a code: open the address in any browser, sign in, type the code and choose what suitectl may do; the tokens are kept and renewed. Without it, it reads the key from a hidden prompt, or from standard input when that is not a terminal; never from the command line, where process lists and the history would show it. The service is asked whether it accepts the key before it is kept, in the system's config folder with mode 600.",
    access: "public",
    options: [option("--device", "Sign in as a person with a browser, on this or another machine.")],
    examples: [
      example("Sign in as a person with a browser", "--device", ["terminal"], { id: "login-device" }),
      example("Type the key into a hidden prompt", "", ["terminal"]),
      example("Take the key from a file", "< key.txt", ["key-file"], { id: "login-from-file" }),
    ],
    run: login,
  },
  logout: {
    summary: "Forget the kept key of a service; a sign-in is ended at the service too.",
    access: "offline",
    examples: [example("Forget the key of the current service")],
    run: logout,
  },
  status: {
    summary: "Whether the service runs, what it can keep, and what the key may do.",
    access: "public",
    examples: [
      example("Look at the service"),
      example("The same for a script", "--json", [], { id: "status-json" }),
    ],
    run: status,
  },
});

async function login(cli: Cli): Promise<Result> {
  const url = cli.url();
  const key = cli.given.flag("device") ? "" : await askKey(url);
  if (key === "") return signIn(cli, url);
  if (!/^[\x21-\x7e]{8,512}$/.test(key)) {
    throw new Failure("usage", "That is not an API key.", {
      next: "The service prints a key at its first start; suitectl keys create makes another.",
    });
  }
  if (!/^https:|^http:\/\/(127\.|localhost|\[::1\])/.test(url)) {
    cli.output.note("This address is not encrypted: others on the network can read the key.");
  }
  // A path that anybody may read refuses a key that is not valid, and needs no scope.
  const { Client } = await import("../client.ts");
  await new Client(url, key).run("get_liveness", {});
  const kept = cli.kept();
  const file = writeCredentials(cli.folder, { ...kept, current: url, keys: { ...kept.keys, [url]: key } });
  return {
    envelope: { ok: true, data: { url, file, accepted: true } },
    view: [note(`The service at ${url} accepts the key. It is kept in ${file}, readable by you alone.`)],
  };
}

async function signIn(cli: Cli, url: string): Promise<Result> {
  if (!cli.given.flag("device") && !canAsk()) {
    throw new Failure("usage", "There is no key on standard input.", {
      next: "Pipe the key in, or sign in with a browser: suitectl login --device",
    });
  }
  const { signInWithCode } = await import("../device-login.ts");
  const token = await signInWithCode(url, (text) => cli.output.note(text));
  const kept = cli.kept();
  const { [url]: _replaced, ...keys } = kept.keys;
  const file = writeCredentials(cli.folder, { current: url, keys, tokens: { ...kept.tokens, [url]: token } });
  return {
    envelope: { ok: true, data: { url, file, accepted: true } },
    view: [note(`You are signed in at ${url}. It is kept in ${file}, readable by you alone.`)],
  };
}

async function askKey(url: string): Promise<string> {
  if (!canAsk()) return (await readStdin()).trim();
  const question = `API key for ${url} (not shown; empty to sign in with a browser): `;
  return (await asking((prompter) => prompter.hidden(question))).trim();
}

async function logout(cli: Cli): Promise<Result> {
  const url = cli.url();
  const { current, keys, tokens } = cli.kept();
  const { [url]: key, ...otherKeys } = keys;
  const { [url]: token, ...otherTokens } = tokens;
  const { revokeToken } = await import("../device-login.ts");
  const revoked = token !== undefined && (await revokeToken(url, token));
  const forgotten = key !== undefined || token !== undefined;
  if (forgotten) {
    const kept = { current: current === url ? null : current, keys: otherKeys, tokens: otherTokens };
    writeCredentials(cli.folder, kept);
  }
  const outcome =
    token !== undefined
      ? revoked
        ? `You are signed out of ${url}.`
        : `Your sign-in at ${url} is forgotten here; the service could not be asked to end it.`
      : key === undefined
        ? `No key is kept for ${url}.`
        : `The key for ${url} is forgotten here; it still works until it is revoked.`;
  return {
    envelope: { ok: true, data: { url, forgotten, revoked } },
    view: [note(outcome)],
  };
}

async function status(cli: Cli): Promise<Result> {
  const client = cli.client();
  const [ready, health, storage, keyState] = await Promise.all([
    client.answer("get_readiness", {}),
    client.run("get_health", {}),
    client.run("get_storage_status", {}),
    keyVerdict(cli),
  ]);
  const { service, version, status: state, checks } = health.data;
  const { mode, database } = storage.data;
  // One that is not ready says neither.
  const { version: build, schema, onHold } = ready.ok ? ready.data : {};
  const data = {
    url: client.url,
    service,
    version,
    ...(ready.ok && { build, schema, onHold }),
    status: state,
    storage: { mode, kind: database.kind, ready: database.ready },
    checks,
    key: keyState,
  };
  const facts: (readonly [string, Cell])[] = [
    ["service", `${service} ${build ?? version}`],
    ...(schema === undefined ? [] : [["schema", schema] as const]),
    ["address", client.url],
    ["health", state],
    ...checks.map((check) => [check.name, `${check.status}: ${check.detail}`] as const),
    ["key", keyState],
  ];
  const healthy = state === "healthy";
  return {
    envelope: { ok: healthy, data },
    view: [{ kind: "facts", facts }],
    ...(!healthy && { status: 6 }),
  };
}

async function keyVerdict(cli: Cli): Promise<string> {
  const key = cli.key();
  if (key === null) return "none; public commands only";
  try {
    await cli.client().run("get_liveness", {});
    return `accepted (from ${key.from === "login" ? "suitectl login" : key.from})`;
  } catch (error) {
    if (error instanceof Failure && error.exit === "refused") return `not accepted (from ${key.from})`;
    throw error;
  }
}
