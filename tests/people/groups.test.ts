import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { groupsOf } from "../../src/access/people/groups.ts";
import { startService, type TestService } from "../support/service.ts";
import { addMember, asOperator, makeOwner, type Member } from "./support.ts";

let service: TestService;
let owner: Member;
let approver: Member;

before(async () => {
  service = await startService();
  owner = await makeOwner(service);
  approver = await addMember(service, owner, "approver");
});
after(() => service.close());

const GROUPS = "/api/svc/groups";
const names = (members: readonly { readonly name: string }[]) => members.map(({ name }) => name);

describe("groups", () => {
  it("are made, filled, renamed and deleted; a person's groups follow; each change is recorded", async () => {
    const { visitor } = owner;
    const made = await visitor.ask("POST", GROUPS, { name: "  Finance  team ", members: [approver.id] });
    assert.equal(made.status, 201, made.text);
    const { group } = made.data;
    assert.equal(group.name, "Finance team");
    assert.deepEqual([group.createdBy, group.updatedBy], [owner.id, owner.id]);
    assert.deepEqual(names(group.members), ["A approver"]);
    const path = `${GROUPS}/${group.id}` as const;
    const added = await visitor.ask("POST", `${path}/members`, { personId: owner.id });
    assert.deepEqual(names(added.data.group.members), ["A approver", "Olga Owner"]);
    await visitor.ask("POST", `${path}/members`, { personId: owner.id });
    const { read } = service.app.services.store;
    assert.deepEqual(names(await groupsOf(read, owner.id)), ["Finance team"]);
    const renamed = await asOperator(service, "PATCH", path, { name: "Money" });
    assert.deepEqual([renamed.data.group.name, renamed.data.group.updatedBy], ["Money", "operator"]);
    const removed = await visitor.ask("DELETE", `${path}/members/${owner.id}`);
    assert.deepEqual(names(removed.data.group.members), ["A approver"]);
    assert.equal((await visitor.ask("DELETE", path)).status, 200);
    assert.equal((await visitor.ask("GET", path)).status, 404);
    assert.deepEqual(await groupsOf(read, approver.id), []);
    const events = (await read.events.after(0, 1_000)).filter(
      ({ subject }) => subject === `groups/${group.id}`,
    );
    assert.deepEqual(
      events.map(({ type }) => type.replace("svc.group.", "")),
      ["created", "member_added", "member_added", "renamed", "member_removed", "deleted"],
    );
    const proofs = await service.app.services.provenance.lookup({ subjectId: group.id }, { limit: 20 }, true);
    assert.equal(proofs.items.length, events.length);
  });

  it("refuse a name that is taken in another case, what is no name, and people who do not exist", async () => {
    const { visitor } = owner;
    assert.equal((await visitor.ask("POST", GROUPS, { name: "Ops" })).status, 201);
    const taken = await visitor.ask("POST", GROUPS, { name: "OPS" });
    assert.equal(taken.status, 409, taken.text);
    for (const name of ["", "a:b", "x".repeat(61), "a\u0000b", 7, null])
      assert.equal((await visitor.ask("POST", GROUPS, { name })).status, 400, String(name));
    const unknown = await visitor.ask("POST", GROUPS, { name: "half made", members: ["person_none"] });
    assert.equal(unknown.status, 404);
    const list = await visitor.ask("GET", GROUPS);
    assert.ok(!JSON.stringify(list.data).includes("half made"), "nothing is left of what was refused");
  });

  it("are seen with read-private and changed with admin only; addresses are not shown", async () => {
    const list = await approver.visitor.ask("GET", GROUPS);
    assert.equal(list.status, 200);
    assert.ok(!list.text.includes("@"));
    assert.equal((await approver.visitor.ask("POST", GROUPS, { name: "mine" })).status, 403);
  });
});

describe("names of people", () => {
  const NAMES = "/api/svc/people/names";

  it("are read by everybody who works here, without addresses; records name disabled people too", async () => {
    const editor = await addMember(service, owner, "editor");
    const gone = await addMember(service, owner, "viewer");
    await owner.visitor.ask("PATCH", `/api/svc/people/${gone.id}`, { state: "disabled" });
    const answer = await editor.visitor.ask("GET", NAMES);
    assert.equal(answer.status, 200, answer.text);
    const ids = answer.data.people.map(({ id }) => id);
    for (const { id } of [owner, approver, editor]) assert.ok(ids.includes(id));
    assert.equal(answer.data.people.find(({ id }) => id === gone.id)?.state, "disabled");
    assert.deepEqual(Object.keys(answer.data.people[0] ?? {}).sort(), ["id", "name", "role", "state"]);
    assert.doesNotMatch(answer.text, /@/);
    assert.equal((await editor.visitor.ask("GET", "/api/svc/people")).status, 403);
  });
});
