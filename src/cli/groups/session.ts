import { object, objects, text } from "../answers.ts";
import { Client } from "../client.ts";
import type { Cli, Handlers } from "../command.ts";
import { writeKept } from "../credentials.ts";
import { revokeToken, signInWithCode } from "../device-login.ts";
import { Failure } from "../failure.ts";
import { readStdin } from "../input.ts";
import type { Cell, Result } from "../output.ts";
import { canAsk, Prompter } from "../prompt.ts";

/** Keys, who one is, and how the service does. */
export const handlers: Handlers = { login, logout, status };

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
  await new Client(url, key).get("/livez");
  const kept = cli.kept();
  const file = writeKept(cli.folder, { ...kept, current: url, keys: { ...kept.keys, [url]: key } });
  return {
    envelope: { ok: true, data: { url, file, accepted: true } },
    view: [
      {
        kind: "note",
        text: `The service at ${url} accepts the key. It is kept in ${file}, readable by you alone.`,
      },
    ],
  };
}

async function signIn(cli: Cli, url: string): Promise<Result> {
  if (!cli.given.flag("device") && !canAsk()) {
    throw new Failure("usage", "There is no key on standard input.", {
      next: "Pipe the key in, or sign in with a browser: suitectl login --device",
    });
  }
  const token = await signInWithCode(url, (text) => cli.output.note(text));
  const kept = cli.kept();
  const { [url]: _replaced, ...keys } = kept.keys;
  const file = writeKept(cli.folder, { current: url, keys, tokens: { ...kept.tokens, [url]: token } });
  return {
    envelope: { ok: true, data: { url, file, accepted: true } },
    view: [
      { kind: "note", text: `You are signed in at ${url}. It is kept in ${file}, readable by you alone.` },
    ],
  };
}

async function askKey(url: string): Promise<string> {
  if (!canAsk()) return (await readStdin()).trim();
  const prompter = new Prompter();
  try {
    return (
      await prompter.hidden(`API key for ${url} (not shown; empty to sign in with a browser): `)
    ).trim();
  } finally {
    prompter.close();
  }
}

async function logout(cli: Cli): Promise<Result> {
  const url = cli.url();
  const { current, keys, tokens } = cli.kept();
  const { [url]: key, ...otherKeys } = keys;
  const { [url]: token, ...otherTokens } = tokens;
  const revoked = token !== undefined && (await revokeToken(url, token));
  const forgotten = key !== undefined || token !== undefined;
  if (forgotten) {
    const kept = { current: current === url ? null : current, keys: otherKeys, tokens: otherTokens };
    writeKept(cli.folder, kept);
  }
  const said =
    token !== undefined
      ? revoked
        ? `You are signed out of ${url}.`
        : `Your sign-in at ${url} is forgotten here; the service could not be asked to end it.`
      : key === undefined
        ? `No key is kept for ${url}.`
        : `The key for ${url} is forgotten here; it still works until it is revoked.`;
  return {
    envelope: { ok: true, data: { url, forgotten, revoked } },
    view: [{ kind: "note", text: said }],
  };
}

async function status(cli: Cli): Promise<Result> {
  const client = cli.client();
  const [health, storage, keyState] = await Promise.all([
    client.call("get_health"),
    client.call("get_storage_status"),
    keyVerdict(cli),
  ]);
  const database = object(storage.data["database"]);
  const checks = objects(health.data["checks"]);
  const data = {
    url: client.url,
    service: health.data["service"] ?? null,
    version: health.data["version"] ?? null,
    status: health.data["status"] ?? null,
    storage: {
      mode: storage.data["mode"] ?? null,
      kind: database["kind"] ?? null,
      ready: database["ready"] ?? null,
    },
    checks: [...checks],
    key: keyState,
  };
  const facts: (readonly [string, Cell])[] = [
    ["service", `${text(data.service)} ${text(data.version)}`],
    ["address", client.url],
    ["health", text(data.status)],
    ...checks.map(
      (check) => [text(check["name"]), `${text(check["status"])}: ${text(check["detail"])}`] as const,
    ),
    ["key", keyState],
  ];
  const healthy = data.status === "healthy";
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
    await cli.client().get("/livez");
    return `accepted (from ${key.from === "login" ? "suitectl login" : key.from})`;
  } catch (error) {
    if (error instanceof Failure && error.exit === "refused") return `not accepted (from ${key.from})`;
    throw error;
  }
}
