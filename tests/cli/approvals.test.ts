import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { waiting } from "../people/waiting.ts";
import { startCliWorld, type CliWorld } from "./support.ts";

let world: CliWorld;
let ada: Member;
let token: string;

before(async () => {
  world = await startCliWorld();
  const owner = await makeOwner(world.service);
  ada = await addMember(world.service, owner, "approver", "ada@example.com");
  await addMember(world.service, owner, "approver", "bob@example.com");
  const scopes = ["approve", "read-private"];
  const made = await ada.visitor.ask("POST", "/api/svc/tokens", { name: "terminal", scopes });
  token = made.data.token;
});
after(() => world.close());

const asAda = (...args: readonly string[]) =>
  world.run(["approvals", ...args, "--json"], { env: { SUITE_API_KEY: token } });

describe("approvals from the command line, as a person", () => {
  test("are claimed, released, delegated and taken back", async () => {
    const { id } = await waiting(world.service, { approvers: ["role:approver"] });
    const claimedBy = async (action: string) => {
      const ended = await asAda(action, id);
      assert.equal(ended.status, 0, ended.stderr);
      return JSON.parse(ended.stdout).data.approval.claimedBy;
    };
    assert.equal(await claimedBy("claim"), ada.id);
    assert.equal(await claimedBy("release"), null);
    const missing = await asAda("delegate", id);
    assert.match(missing.stderr, /--to is missing/);
    const given = await asAda("delegate", id, "--to", "bob@example.com");
    assert.equal(JSON.parse(given.stdout).data.who.delegations.length, 1, given.stderr);
    const back = await asAda("delegate", id, "--to", "ada@example.com");
    assert.deepEqual(JSON.parse(back.stdout).data.who.delegations, [], back.stderr);
  });

  test("that need a passkey are shown as such and lead to the page", async () => {
    const { id } = await waiting(world.service, { approvers: ["role:approver"], stepUp: true });
    const page = `${world.service.url}/approvals?id=${id}`;
    for (const args of [
      ["approve", id, "--yes"],
      ["reject", id, "--reason", "No", "--yes"],
    ]) {
      const ended = await asAda(...args);
      assert.notEqual(ended.status, 0);
      assert.ok(`${ended.stdout}${ended.stderr}`.includes(page), ended.stderr);
    }
    const shown = await world.run(["approvals", "show", id], { env: { SUITE_API_KEY: token } });
    assert.ok(`${shown.stdout}${shown.stderr}`.includes(page), shown.stderr);
  });
});
