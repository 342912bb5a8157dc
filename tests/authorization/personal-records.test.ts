import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { startService, type TestService } from "../support/service.ts";

/*
 * Records that belong to one person × other people with the same role: what is there answers like what is not, and only
 * admins and owners see it.
 */

let service: TestService;
let first: Member;
let second: Member;
let owner: Member;
before(async () => {
  service = await startService({});
  owner = await makeOwner(service);
  first = await addMember(service, owner, "operator", "first@example.com");
  second = await addMember(service, owner, "operator", "second@example.com");
});
after(() => service.close());

const missingLike = (id: string): string =>
  id.slice(0, -6) + id.slice(-6).replaceAll(/./g, (char) => (char === "0" ? "1" : "0"));

describe("what belongs to a person", () => {
  it("sessions: others neither see nor end them", async () => {
    const [session] = (await first.visitor.ask("GET", "/api/svc/sessions")).data.sessions;
    const others = await second.visitor.ask("GET", "/api/svc/sessions");
    assert.ok(session !== undefined && !others.text.includes(session.id));
    await answersLikeMissing("/api/svc/sessions", session.id);
    assert.equal((await first.visitor.ask("GET", "/api/svc/account")).status, 200);
  });

  it("tokens: others neither see nor revoke them", async () => {
    const made = await first.visitor.ask("POST", "/api/svc/tokens", { name: "mine", scopes: ["run"] });
    assert.equal(made.status, 201, made.text);
    const [token] = (await first.visitor.ask("GET", "/api/svc/tokens")).data.tokens;
    assert.ok(token !== undefined);
    assert.ok(!(await second.visitor.ask("GET", "/api/svc/tokens")).text.includes(token.id));
    await answersLikeMissing("/api/svc/tokens", token.id);
    const headers = { authorization: `Bearer ${made.data.token}` };
    assert.equal(
      (await first.visitor.ask("GET", "/api/svc/connections/calls", undefined, headers)).status,
      200,
    );
  });

  it("calls of connected tools: the list holds only one's own", async () => {
    const added = await owner.visitor.ask("POST", "/api/svc/connections", {
      name: "self",
      kind: "http",
      url: service.url,
      allowPrivateOrigin: true,
      document: { requests: [{ name: "alive", method: "GET", path: "/livez" }] },
    });
    assert.equal(added.status, 201, added.text);
    const call = await first.visitor.ask("POST", "/api/svc/connections/self/call/alive", { arguments: {} });
    assert.equal(call.status, 200, call.text);
    const mine = await first.visitor.ask("GET", "/api/svc/connections/calls");
    const theirs = await second.visitor.ask("GET", "/api/svc/connections/calls");
    assert.equal(mine.data.calls.length, 1);
    assert.equal(theirs.data.calls.length, 0);
  });
});

describe("pages", () => {
  it("every page is the same document for every caller", async () => {
    const paths = ["/", "/workflows", "/runs/run_x", "/approvals", "/connections", "/people", "/account"];
    const plain = await (await service.fetch("/")).text();
    for (const path of paths) {
      for (const headers of [{}, first.visitor.headers, owner.visitor.headers]) {
        const response = await service.fetch(path, { headers: { ...headers, accept: "text/html" } });
        assert.equal(response.status, 200, path);
        assert.equal(await response.text(), plain, path);
      }
    }
  });
});

/** Deleting the record of `first` as `second` answers as if there were none, and `first` still has it. */
async function answersLikeMissing(root: string, id: string): Promise<void> {
  const there = await second.visitor.ask("DELETE", `${root}/${id}`);
  const gone = await second.visitor.ask("DELETE", `${root}/${missingLike(id)}`);
  assert.equal(there.status, 404, there.text);
  assert.equal(there.text.replaceAll(id, "ID"), gone.text.replaceAll(missingLike(id), "ID"));
  assert.ok((await first.visitor.ask("GET", root)).text.includes(id));
}
