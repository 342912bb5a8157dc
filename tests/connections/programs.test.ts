import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import { textOr, type JsonObject } from "../../src/kernel/json.ts";
import { at, foundAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask } from "../vault/support.ts";
import { rest, type RestAnswer } from "./rest.ts";

/* One program serves many callers: what one call does to it is not what the others get. */

const PROGRAM = fileURLToPath(new URL("./moody-program.mjs", import.meta.url));

describe("a program that several callers use", () => {
  let service: TestService;

  before(async () => {
    service = await startService({ settings: { programEnvironment: { PATH: process.env["PATH"] ?? "" } } });
    for (const name of ["moody", "crowded", "talkative"]) {
      const added = await rest(service, "POST", "", {
        name,
        kind: "mcp",
        command: process.execPath,
        args: [PROGRAM],
        env: { REGION: "sk-hidden-value-1" },
      });
      assert.equal(added.status, 201, JSON.stringify(added.body));
    }
  });
  after(() => service.close());

  const use = (name: string, given: object = {}, more: object = {}, connection = "moody") =>
    rest(service, "POST", `/${connection}/call/${name}`, { arguments: given, ...more });
  const textOf = ({ body }: RestAnswer<JsonObject>): string =>
    textOr(foundAt(body.data["content"], 0, "text"), JSON.stringify(body));

  it("goes on for the others when one call times out", async () => {
    const first = textOf(await use("echo", { value: "a" }));
    const slow = use("echo", { value: "late", ms: 1_500 });
    const timedOut = await use("sleep", {}, { timeoutMs: 300 });
    assert.equal(timedOut.body.data.error.code, "timed_out", JSON.stringify(timedOut.body));
    const pid = first.split(" ").at(-1);
    assert.equal(textOf(await slow), `late of ${pid}`, "the call at work went on");
    assert.equal(textOf(await use("echo", { value: "b" })), `b of ${pid}`, "it is the same program");
  });

  it("has the end of its error output in the error when it dies, without its environment", async () => {
    const { body } = await use("die");
    assert.equal(body.ok, false);
    const { upstream } = body.data.error.details;
    assert.equal(at(upstream, "from"), "moody");
    assert.match(textAt(upstream, "text"), /^fatal: the licence key \[credential\] is not valid$/);
  });

  it("talks to each caller in a conversation of its own", async () => {
    const made = await ask(service, "POST", "/api/svc/keys", { name: "other", scopes: ["run"] });
    const other = made.data.token;
    assert.equal(textOf(await use("remember", { value: "mine" })), "mine");
    const theirs = await rest({ ...service, key: other }, "POST", "/moody/call/remember", {
      arguments: { value: "theirs" },
    });
    assert.equal(textOf(theirs), "theirs");
    assert.equal(textOf(await use("remember", { value: "again" })), "mine,again");
  });

  it("is read again when it says that its list changed, and what is new waits to be accepted", async () => {
    assert.equal(textOf(await use("grow")), "grown");
    let state = "";
    for (let waited = 0; state === "" && waited < 600; waited++) {
      await new Promise((done) => setTimeout(done, 50));
      const { definitions } = (await rest(service, "GET", "/moody/definitions")).body.data;
      const grown = definitions.find(({ name }) => name === "grown");
      state = grown?.state ?? "";
    }
    assert.equal(state, "quarantined");
  });

  it("gets its secrets from the vault, and they are shown nowhere", async () => {
    const secrets = {
      env: "canary-one-1234",
      flag: "canary-two-1234",
      url: "postgres://me:canary-three-1@db/x",
    };
    const body = {
      kind: "mcp",
      command: process.execPath,
      args: [PROGRAM, `--api-key=${secrets.flag}`, "--password", "canary-four", secrets.url, "--plain=text"],
      env: {
        API_TOKEN: secrets.env,
        DATABASE: "postgres://me:canary-five-1@db/x",
        REGION: "eu",
      },
    };
    const texts: string[] = [];
    const kept = async (answer: Promise<{ status: number; body: unknown }>, status = 200): Promise<void> => {
      const { status: given, body: shown } = await answer;
      texts.push(JSON.stringify(shown));
      assert.equal(given, status, texts.at(-1));
    };
    await kept(rest(service, "POST", "", { name: "keyed", ...body }), 201);
    const digest = (value: string): string => createHash("sha256").update(value).digest("hex");
    const surroundings = async () => JSON.parse(textOf(await use("surroundings", {}, {}, "keyed")));
    let seen = await surroundings();
    assert.equal(seen.token, digest(secrets.env));
    assert.equal(seen.args, digest(body.args.slice(1).join(" ")));
    assert.equal(seen.region, "eu");
    texts.push(JSON.stringify(seen));
    assert.equal(seen.home, seen.cwd, "home and working folder are one");
    assert.equal(seen.mode, "700");
    assert.equal(path.basename(seen.cwd), "keyed", "and its own");
    await kept(rest(service, "GET", "/keyed"));
    await kept(rest(service, "GET", ""));
    await kept(rest(service, "GET", "/calls"));
    const { data: vault, text } = await ask(service, "GET", "/api/svc/credentials");
    texts.push(text);
    const held = vault.credentials.filter(
      ({ kind, hosts }) => kind === "environment" && hosts.includes("keyed"),
    );
    assert.deepEqual(
      held.map(({ name, hosts }) => [name, ...hosts]),
      ["api-key", "api-token", "argument", "database", "password"].map((word) => [`keyed-${word}`, "keyed"]),
    );
    assert.doesNotMatch(texts.join("\n"), /canary|Y2FuYXJ5/);
    const env = {
      API_TOKEN: { credential: "keyed-api-token" },
      DATABASE: { credential: "keyed-database" },
      REGION: { set: true },
    };
    assert.deepEqual((await rest(service, "GET", "/keyed")).body.data.connection.env, env);
    const changed = { command: body.command, args: [PROGRAM, "again"], env };
    await kept(rest(service, "PATCH", "/keyed", changed));
    seen = await surroundings();
    assert.deepEqual([seen.token, seen.region, seen.args], [digest(secrets.env), "eu", digest("again")]);
  });

  it("gets no secret that is for another program, and an address gets none of a program", async () => {
    const command = { kind: "mcp", command: process.execPath, args: [PROGRAM] };
    const taken = await rest(service, "POST", "", {
      ...command,
      name: "taker",
      env: { STOLEN: { credential: "keyed-api-token" } },
    });
    assert.equal(taken.body.data.error.code, "blocked", JSON.stringify(taken.body));
    const sent = await rest(service, "POST", "", {
      name: "sender",
      kind: "mcp",
      url: "https://keyed/",
      credential: "keyed-api-token",
    });
    assert.equal(sent.body.data.error.code, "blocked", JSON.stringify(sent.body));
    assert.match(sent.body.data.error.message, /given to programs/);
  });

  it("that lists 6,000 tools is refused, and one that sends 20,000 messages is ended", async () => {
    await use("listed", { value: 6_000 }, {}, "crowded");
    const synced = await rest(service, "POST", "/crowded/sync");
    assert.equal(synced.body.data.error.code, "too_large", JSON.stringify(synced.body));
    assert.match(synced.body.data.error.message, /lists 6011; 5000 are allowed/);
    const flooded = await use("flood", {}, {}, "talkative");
    assert.equal(flooded.body.ok, false);
    assert.match(flooded.body.data.error.message, /more than 10000 messages within a minute/);
  });

  it("keeps the shape of an answer within the bound, its bytes past it, and pictures as pictures", async () => {
    const within = await use("values", { value: 40_000 });
    assert.equal(at(within.body.data["structuredContent"], "items", 39_999, "at"), 39_999);
    const past = await use("values", { value: 200_000 });
    assert.equal(past.body.ok, true, JSON.stringify(past.body).slice(0, 500));
    const { structuredContent } = past.body.data;
    assert.match(textAt(structuredContent, "artifact"), /^artifact/);
    assert.match(textAt(structuredContent, "note"), /has \d+ values; up to 100000 values/);
    const picture = await use("picture");
    assert.equal(at(picture.body.data["content"], 0, "kept", "mediaType"), "image/png");
  });

  it("gives integers that a number here would change as texts, and says which", async () => {
    const { data } = (await use("ids")).body;
    assert.deepEqual(data.structuredContent, {
      id: "9007199254740993",
      ids: ["-9223372036854775807"],
      even: 9007199254740994,
      small: 1,
    });
    assert.deepEqual(data.problems, [
      {
        code: "integers_as_text",
        pointer: "/structuredContent",
        message:
          "Integers that a number here would change are given as texts: 9007199254740993, -9223372036854775807.",
      },
    ]);
    assert.doesNotMatch(JSON.stringify(data), /numbers_/);
  });
});
