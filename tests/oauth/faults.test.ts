import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { LIFETIMES } from "../../src/access/oauth/names.ts";
import { PASSWORD, tokenIn, Visitor, makeOwner, type Member } from "../people/support.ts";
import { startPostgres } from "../support/postgres.ts";
import { startService, startServiceProcess, type ServiceProcess } from "../support/service.ts";
import {
  authorizeQuery,
  Browser,
  callWith,
  consent,
  exchange,
  newClient,
  pkce,
  refresh,
  signInClient,
} from "./support.ts";

describe("OAuth and faults", () => {
  it("a token ends on time, with a little room for clocks that are apart", async () => {
    let skewMs = 0;
    const service = await startService({ clock: { now: () => Date.now() + skewMs } });
    try {
      const owner = await makeOwner(service);
      const client = await newClient(service);
      const tokens = await signInClient(service, owner, client);
      skewMs = LIFETIMES.accessSeconds * 1_000 + 5_000;
      assert.equal((await callWith(service, tokens.access_token)).status, 200);
      skewMs = (LIFETIMES.accessSeconds + LIFETIMES.toleranceSeconds + 5) * 1_000;
      const ended = await callWith(service, tokens.access_token);
      assert.equal(ended.status, 401);
      assert.match(ended.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
      skewMs = 0;
      assert.equal((await refresh(service, client, tokens.refresh_token)).status, 200);
    } finally {
      await service.close();
    }
  });

  it("kill -9 between the code and the token loses nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "workflow-ui-oauth-"));
    const port = String(20_000 + Math.floor(Math.random() * 30_000));
    let link = "";
    const start = (): Promise<ServiceProcess> =>
      startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "a.db")}`, PORT: port }, [], (line) => {
        link = /once: (\S+)/.exec(line)?.[1] ?? link;
      });
    let service = await start();
    try {
      const owner = await ownerOf(service, link);
      const client = await newClient(service);
      const { verifier, challenge } = pkce();
      const query = authorizeQuery(client, challenge, { scope: "write" });
      const browser = new Browser(service, owner);
      const page = await browser.begin(`${service.url}/oauth/authorize?${query.toString()}`);
      const back = await browser.decide(page, { scopes: ["write"] });
      await service.stop("SIGKILL");
      service = await start();
      const code = back.searchParams.get("code") ?? "";
      const { status, json } = await exchange(service, client, code, verifier);
      assert.equal(status, 200, JSON.stringify(json));
      assert.equal((await callWith(service, json.access_token)).ok, true);
      assert.equal((await exchange(service, client, code, verifier)).status, 400);
      assert.equal((await callWith(service, json.access_token)).status, 401);
    } finally {
      await service.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("two replicas: each step of a sign-in on another one, and a code counts once", async (t) => {
    const postgres = await startPostgres();
    t.after(() => postgres.stop());
    const databaseUrl = await postgres.createDatabase();
    const baseUrl = "http://127.0.0.1:1";
    const one = await startService({ settings: { databaseUrl, baseUrl } });
    const two = await startService({ settings: { databaseUrl, baseUrl } });
    const replicas = [one, two];
    try {
      const owner = await makeOwner(one);
      const client = await newClient(one);
      const { verifier, challenge } = pkce();
      const query = authorizeQuery(client, challenge, { scope: "write run" });
      const browser = new Browser({ ...two, url: baseUrl }, owner);
      const page = await browser.begin(`/oauth/authorize?${query.toString()}`);
      const back = await browser.decide(page, { scopes: ["write", "run"] });
      const code = back.searchParams.get("code") ?? "";
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          exchange(index % 2 === 0 ? one : two, client, code, verifier),
        ),
      );
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
      const tokens = await consent({ ...one, url: baseUrl }, owner, `/oauth/authorize?${query.toString()}`, [
        "write",
      ]).then((next) => exchange(two, client, next.searchParams.get("code") ?? "", verifier));
      assert.equal(tokens.status, 200, JSON.stringify(tokens.json));
      const { access_token: access, refresh_token: again } = tokens.json;
      assert.equal((await callWith(one, access)).ok, true);
      const refreshed = await Promise.all(
        Array.from({ length: 6 }, (_, index) => refresh(index % 2 === 0 ? one : two, client, again)),
      );
      assert.ok(refreshed.filter(({ status }) => status === 200).length <= 1);
      // The token was used twice: what it gave counts on no replica.
      for (const replica of replicas) assert.equal((await callWith(replica, access)).status, 401);
    } finally {
      await Promise.all(replicas.map((replica) => replica.close()));
    }
  });
});

async function ownerOf(service: ServiceProcess, link: string): Promise<Member> {
  const visitor = new Visitor(service);
  const email = "owner@example.com";
  const answer = await visitor.ask("POST", "/api/svc/invitations/follow", {
    token: tokenIn(link),
    email,
    name: "Olga Owner",
    password: PASSWORD,
  });
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.data.person.id, email, visitor };
}
