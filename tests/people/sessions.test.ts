import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { ABSOLUTE_MS, IDLE_MS, ROTATE_MS } from "../../src/access/people/sessions.ts";
import { startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, PASSWORD, tokenIn, Visitor, type Member } from "./support.ts";

let service: TestService;
let owner: Member;
let ahead = 0;

before(async () => {
  service = await startService({ clock: { now: () => Date.now() + ahead } });
  owner = await makeOwner(service);
});
after(() => service.close());

let visitor: Visitor;
beforeEach(async () => {
  visitor = new Visitor(service);
  assert.equal((await visitor.signIn(owner.email)).status, 201);
  assert.equal((await owner.visitor.signIn(owner.email)).status, 201);
});

const whoAmI = async (who: Visitor): Promise<string | null> => {
  const answer = await who.ask("GET", "/api/svc/account");
  return answer.status === 200 ? (answer.data.person?.email ?? null) : null;
};

describe("a session", () => {
  it("shows a workflow's draft, its difference and its export, which a visitor without one does not get", async () => {
    const nodes = (title: string) => [{ id: "look", type: "tool", title, tool: "get_health" }];
    const made = await service.call(
      "create_workflow",
      { name: "Mine", nodes: nodes("Before") },
      { key: true },
    );
    const { id } = made.envelope.data.workflow;
    const path = `/api/svc/workflows/${id}` as const;
    assert.equal((await visitor.ask("GET", `${path}/versions`)).status, 200, "a draft without any version");
    await service.call("publish_workflow", { id }, { key: true });
    await service.call("update_workflow", { id, nodes: nodes("After") }, { key: true });
    const changed = await visitor.ask("GET", `${path}/diff?from=1&to=draft`);
    assert.deepEqual(changed.data.diff.nodes.changed, [{ id: "look", fields: ["title"] }]);
    assert.match(JSON.stringify((await visitor.ask("GET", `${path}/export`)).data), /After/);
    const guest = await new Visitor(service).ask("GET", `${path}/diff?from=1&to=draft`);
    assert.equal(guest.data.diff.same, true, "only what is published");
  });

  it("is renewed after an hour; the old token counts for a minute more, and later ends the session", async () => {
    const old = visitor.cookie;
    ahead += ROTATE_MS + 1_000;
    const first = new Visitor(service);
    first.cookie = old;
    assert.equal(await whoAmI(first), owner.email);
    const renewed = first.cookie;
    assert.notEqual(renewed, old, "a new token came");
    assert.equal(
      await whoAmI(visitor),
      owner.email,
      "the answer may have been lost: the old one still counts",
    );
    first.cookie = renewed;
    assert.equal(await whoAmI(first), owner.email, "the new one counts");
    visitor.cookie = old;
    assert.equal(await whoAmI(visitor), owner.email, "a request that was under way");
    ahead += 61_000;
    visitor.cookie = old;
    assert.equal(await whoAmI(visitor), null, "a copy that is shown later");
    assert.equal(await whoAmI(first), null, "ends the session for both");
  });

  it("ends when it is not used, and ends for good", async () => {
    ahead += IDLE_MS - 60_000;
    assert.equal(await whoAmI(visitor), owner.email);
    ahead += IDLE_MS + 60_000;
    assert.equal(await whoAmI(visitor), null);
    await visitor.signIn(owner.email);
    const step = IDLE_MS / 2;
    for (let used = 0; used + step < ABSOLUTE_MS; used += step) {
      ahead += step;
      assert.equal(await whoAmI(visitor), owner.email);
    }
    ahead += step;
    assert.equal(await whoAmI(visitor), null);
  });

  it("is listed and ended by its owner alone", async () => {
    const other = new Visitor(service);
    await other.signIn(owner.email);
    const list = await visitor.ask("GET", "/api/svc/sessions");
    const mine = list.data.sessions.find(({ current }: { current: boolean }) => current);
    const theirs = list.data.sessions.find(
      ({ id }: { id: string }) => id === (other.cookie ?? "").split(".")[0],
    );
    assert.ok(mine !== undefined && theirs !== undefined && mine.id !== theirs.id);
    assert.ok(!list.text.includes("sha256"));
    const stranger = await addMember(service, owner, "admin", "stranger@example.com");
    const path = `/api/svc/sessions/${theirs.id}`;
    assert.equal((await stranger.visitor.ask("DELETE", path)).status, 404);
    assert.equal(await whoAmI(other), owner.email);
    assert.equal((await visitor.ask("DELETE", path)).status, 200);
    assert.equal(await whoAmI(other), null);
    assert.equal((await visitor.ask("DELETE", "/api/svc/sessions/current")).status, 200);
    assert.equal(visitor.cookie, null);
  });

  it("forged and cut tokens are refused like ended ones", async () => {
    const { cookie } = visitor;
    const [id = "", secret = ""] = (cookie ?? "").split(".");
    const answers: string[] = [];
    for (const forged of [
      `${id}.${"0".repeat(64)}`,
      `${id}.${secret.slice(1)}`,
      "x",
      `ses_${"0".repeat(26)}.${secret}`,
    ]) {
      visitor.cookie = forged;
      const answer = await visitor.ask("GET", "/api/svc/sessions");
      assert.equal(answer.status, 401, forged);
      answers.push(answer.text);
    }
    assert.equal(new Set(answers).size, 1);
    visitor.cookie = cookie;
    assert.equal(await whoAmI(visitor), owner.email, "a forgery does not end the real one");
  });

  it("begins by no link that is over", async () => {
    const invited = await owner.visitor.ask("POST", "/api/svc/people", {
      email: "late@example.com",
      role: "viewer",
    });
    const token = tokenIn(invited.data.invitation.url);
    ahead += 8 * 24 * 3_600_000;
    const late = await new Visitor(service).ask("POST", "/api/svc/invitations/follow", {
      token,
      password: PASSWORD,
    });
    assert.equal(late.status, 404, late.text);
  });

  it("ends its event stream when the person is disabled", async () => {
    const member = await addMember(service, owner, "viewer", "watcher@example.com");
    const response = await service.fetch("/api/svc/events", { headers: member.visitor.headers });
    assert.equal(response.status, 200);
    const reader = response.body?.getReader();
    await reader?.read();
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "disabled" });
    const ended = AbortSignal.timeout(20_000);
    for (;;) {
      assert.ok(!ended.aborted, "the stream goes on");
      // Any event wakes the stream, which then looks at its session again.
      await service.call("create_workflow", { name: "wakes", nodes: [], edges: [] }, { key: true });
      const next = await reader?.read();
      if (next === undefined || next.done) break;
    }
  });
});
