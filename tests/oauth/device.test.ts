import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startCliWorld, SUITECTL, type CliWorld } from "../cli/support.ts";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { callWith, post } from "./support.ts";

const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

describe("sign-in with a code", () => {
  let world: CliWorld;
  let owner: Member;
  let editor: Member;

  before(async () => {
    world = await startCliWorld();
    owner = await makeOwner(world.service);
    editor = await addMember(world.service, owner, "editor");
  });
  after(() => world.close());

  const begin = async () =>
    (await post(world.service, "/oauth/device", { client_id: "suitectl", scope: "run write approve" })).json;
  const poll = (deviceCode: string) =>
    post(world.service, "/oauth/token", {
      grant_type: DEVICE_GRANT,
      client_id: "suitectl",
      device_code: deviceCode,
    });
  const decide = (code: string, decision: object) =>
    editor.visitor.ask("POST", "/api/svc/oauth/codes/decide", { code, ...decision });

  it("waits, gives tokens once, and refuses what the role does not hold", async () => {
    const begun = await begin();
    assert.equal((await poll(begun.device_code)).json.error, "authorization_pending");
    const looked = await editor.visitor.ask("POST", "/api/svc/oauth/codes/look", { code: begun.user_code });
    assert.equal(looked.data.client.name, "suitectl");
    assert.equal((await decide(begun.user_code, { scopes: ["approve"] })).status, 400);
    const decisions = await Promise.all(
      Array.from({ length: 5 }, () => decide(begun.user_code, { scopes: ["run", "write"] })),
    );
    assert.equal(decisions.filter(({ status }) => status === 200).length, 1);
    const clients = await editor.visitor.ask("GET", "/api/svc/oauth/clients");
    assert.equal(clients.data.clients.length, 1, "a decision that came too late leaves nothing");
    const { status, json } = await poll(begun.device_code);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal((await callWith(world.service, json.access_token)).status, 200);
    assert.equal((await poll(begun.device_code)).status, 400);
    assert.equal((await callWith(world.service, json.access_token)).status, 401, "a replay ends the sign-in");
  });

  it("says no, and stops who guesses codes", async () => {
    const begun = await begin();
    assert.equal((await decide(begun.user_code, { denied: true })).status, 200);
    assert.equal((await poll(begun.device_code)).json.error, "access_denied");
    const answers: number[] = [];
    for (let guess = 0; guess < 25; guess++)
      answers.push((await decide(`BBBB-BB${guess}`, { denied: true })).status);
    assert.ok(answers.includes(404));
    assert.equal(answers.at(-1), 429);
  });

  it("suitectl login --device keeps tokens for its owner alone, renews them; logout ends them", async () => {
    const person = await addMember(world.service, owner, "editor", "cli@example.com");
    const child = spawn(process.execPath, [SUITECTL, "login", "--device"], {
      env: { ...process.env, ...world.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let shown = "";
    const code = Promise.withResolvers<string>();
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        shown += text;
        const found = /code ([A-Z]{4}-[A-Z]{4})/.exec(shown)?.[1];
        if (found !== undefined) code.resolve(found);
      });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    void ended.then(() => code.reject(new Error(shown)));
    const decided = await person.visitor.ask("POST", "/api/svc/oauth/codes/decide", {
      code: await code.promise,
      scopes: ["run", "write", "read-private"],
    });
    assert.equal(decided.status, 200, decided.text);
    assert.equal(await ended, 0, shown);
    assert.ok(shown.includes(`${world.service.url}/device`));
    const file = join(world.folder, "config", "workflow-ui", "suitectl.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await world.run(["status"])).status, 0);
    // The token is over: two commands at the same time renew it once.
    const kept = JSON.parse(readFileSync(file, "utf8"));
    const before = kept.tokens[world.service.url];
    kept.tokens[world.service.url] = { ...before, expiresAt: "2020-01-01T00:00:00.000Z" };
    writeFileSync(file, JSON.stringify(kept));
    const both = await Promise.all([world.run(["status"]), world.run(["status"])]);
    for (const { status, stdout, stderr } of both) {
      assert.equal(status, 0, stderr);
      assert.match(stdout, /accepted \(from suitectl login\)/);
    }
    const renewed = JSON.parse(readFileSync(file, "utf8")).tokens[world.service.url];
    assert.notEqual(renewed.refresh, before.refresh);
    assert.equal((await callWith(world.service, renewed.access)).status, 200);
    const out = await world.run(["logout"]);
    assert.equal(out.status, 0, out.stderr);
    assert.equal((await callWith(world.service, renewed.access)).status, 401);
    assert.ok(!readFileSync(file, "utf8").includes(renewed.refresh));
  });

  it("refuses too many codes of one address as OAuth writes errors", async () => {
    let answer = await post(world.service, "/oauth/device", { client_id: "suitectl" });
    for (let n = 0; n < 60 && answer.status !== 429; n++)
      answer = await post(world.service, "/oauth/device", { client_id: "suitectl" });
    assert.equal(answer.status, 429);
    assert.equal(answer.json.error, "temporarily_unavailable");
    assert.match(answer.json.error_description, /^Too many codes; try again in \d+ s\.$/);
  });
});
