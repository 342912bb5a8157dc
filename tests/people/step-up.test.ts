import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import { relyingParty } from "../../src/access/people/relying-party.ts";
import { verifyBundle } from "../../src/provenance/bundle.ts";
import { isProof, isReceipt } from "../../src/provenance/proof-shape.ts";
import type { ProofBundle } from "../../src/provenance/proof.ts";
import { verifyReceipt } from "../../src/provenance/receipt.ts";
import { verifySignature } from "../../src/provenance/signing.ts";
import { testPostgres } from "../support/postgres.ts";
import { textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { SoftPasskey } from "./authenticator.ts";
import { addMember, asOperator, makeOwner, PASSWORD, Visitor, type Member } from "./support.ts";
import { approve, waiting, type Waiting } from "./waiting.ts";

/* Approvals that are decided with a passkey, on both databases. */

stepUpSuite("sqlite", async () => ({ url: undefined, stop: async () => undefined }));
stepUpSuite("postgres", async () => {
  const server = await testPostgres();
  return { url: await server.createDatabase(), stop: () => server.stop() };
});

function stepUpSuite(
  name: string,
  open: () => Promise<{ readonly url: string | undefined; stop(): Promise<unknown> }>,
): void {
  let database: Awaited<ReturnType<typeof open>>;
  let service: TestService;
  let owner: Member;
  let ada: Member;
  let bob: Member;
  let key: { readonly ada: SoftPasskey; readonly bob: SoftPasskey };
  let ahead = 0;

  const device = async (member: Member): Promise<SoftPasskey> => {
    const passkey = new SoftPasskey(relyingParty(service.app.services.settings.baseUrl).origins[0] ?? "");
    const options = await member.visitor.ask("POST", "/api/svc/passkeys/options", { password: PASSWORD });
    const made = { name: "Phone", passkey: passkey.create(options.data.publicKey) };
    assert.equal((await member.visitor.ask("POST", "/api/svc/passkeys", made)).status, 201);
    return passkey;
  };
  const stepUp = (who: Member, { id, digest }: Waiting, verdict = "approved", shownDigest = digest) =>
    who.visitor.ask("POST", `/api/svc/approvals/${id}/step-up`, { verdict, shownDigest });
  const signed = async (
    who: Member,
    asked: Waiting,
    passkey: SoftPasskey,
    verdict = "approved",
    said: object = {},
  ) => {
    const body = { verdict, shownDigest: asked.digest, ...said };
    const options = await who.visitor.ask("POST", `/api/svc/approvals/${asked.id}/step-up`, body);
    assert.equal(options.status, 200, options.text);
    return passkey.get(options.data.publicKey);
  };
  const decide = (who: Member, { id, digest }: Waiting, body: object) =>
    who.visitor.ask("POST", `/api/svc/approvals/${id}/decide`, {
      verdict: "approved",
      shownDigest: digest,
      ...body,
    });
  const stateOf = async ({ id }: Waiting) => (await service.app.services.store.read.approvals.get(id))?.state;
  const ask = (more: object = {}) =>
    waiting(service, { approvers: ["role:approver"], stepUp: true, ...more });
  const verified = async ({ id }: Waiting, kind = "approval") => {
    const { store } = service.app.services;
    const found = await store.read.provenance.find({ subjectId: id, kind }, { limit: 1 });
    const recordId = found.items[0]?.id;
    const answer = await service.call("verify_svc_provenance", { recordId }, { key: true });
    const { proof } = answer.envelope.data;
    assert.ok(isProof(proof));
    return { ...answer.envelope.data, proof };
  };

  describe(`approvals with a passkey, ${name}`, () => {
    before(async () => {
      database = await open();
      const settings = database.url === undefined ? {} : { databaseUrl: database.url };
      service = await startService({ settings, clock: { now: () => Date.now() + ahead } });
      owner = await makeOwner(service);
      ada = await addMember(service, owner, "approver", "ada@example.com");
      bob = await addMember(service, owner, "approver", "bob@example.com");
      key = { ada: await device(ada), bob: await device(bob) };
    });
    after(async () => {
      await service?.close();
      await database?.stop();
    });

    it("is decided with the passkey of the person, and the record proves it offline", async () => {
      const asked = await ask();
      const seen = await ada.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
      assert.deepEqual([seen.data.approval.stepUp, seen.data.you?.hasPasskey], [true, true]);
      const assertion = await signed(ada, asked, key.ada);
      const done = await decide(ada, asked, { assertion });
      assert.equal(done.status, 200, done.text);
      assert.equal(done.data.approval.status, "approved");
      assert.equal(done.data.who?.votes[0]?.passkey, true);
      const { verified: isVerified, verdicts, proof } = await verified(asked);
      assert.equal(isVerified, true, JSON.stringify(verdicts));
      assert.equal(verdicts.assertion?.verdict, "pass");
      assert.match(verdicts.assertion?.detail ?? "", new RegExp(`${ada.id} at http://localhost`));
      const copy: unknown = JSON.parse(JSON.stringify(proof));
      assert.ok(isProof(copy));
      assert.equal(verifyBundle(copy).assertion?.verdict, "pass");
      await service.app.services.engine.waitFor(asked.runId, 120_000);
      const { data } = await asOperator(service, "GET", `/api/svc/runs/${asked.runId}/receipt`);
      assert.ok(isReceipt(data.receipt));
      const found = verifyReceipt(data.receipt, {}, verifySignature).entries.flatMap((entry) =>
        entry.assertion === undefined ? [] : [entry.assertion.verdict],
      );
      assert.deepEqual(found, ["pass"]);
    });

    it("a replaced or forged signature, and one over something else, fails the verdict with the reason", async () => {
      const asked = await ask();
      await decide(ada, asked, { assertion: await signed(ada, asked, key.ada) });
      const other = await ask({ show: { sum: 8 } });
      await decide(bob, other, { assertion: await signed(bob, other, key.bob) });
      const [one, two] = [(await verified(asked)).proof, (await verified(other)).proof];
      const predicates = [one, two].map(({ record }) => JSON.parse(record.body).predicate);
      const [mine, theirs] = predicates.map(({ votes }) => votes[0]);
      const changed = (change: object): ProofBundle["record"] => {
        const body = JSON.parse(one.record.body);
        body.predicate = { ...body.predicate, ...change };
        return { ...one.record, body: JSON.stringify(body) };
      };
      const withVote = (vote: object) => changed({ votes: [{ ...mine, ...vote }] });
      const cases: readonly (readonly [ProofBundle["record"], RegExp])[] = [
        [withVote({ assertion: theirs.assertion }), /signs something else/],
        [withVote({ voter: bob.id }), /no passkey of the person who decided/],
        [withVote({ verdict: "rejected" }), /no passkey of the person who decided/],
        [withVote({ assertion: { ...mine.assertion, signature: theirs.assertion.signature } }), /not verify/],
        [withVote({ assertion: { ...mine.assertion, publicKey: theirs.assertion.publicKey } }), /not verify/],
        [withVote({ assertion: { ...mine.assertion, origin: "https://evil.example" } }), /another site/],
        [withVote({ assertion: { ...mine.assertion, said: theirs.assertion.said } }), /signs something else/],
        [withVote({ assertion: { ...mine.assertion, said: undefined } }), /holds no passkey signature/],
        [withVote({ assertion: null }), /holds no passkey signature/],
        [changed({ shownDigest: other.digest }), /signs something else/],
        [changed({ votes: [] }), /holds none/],
        [{ ...one.record, subjectId: other.id }, /signs something else/],
      ];
      for (const [record, reason] of cases) {
        const verdicts = verifyBundle({ ...one, record });
        assert.equal(verdicts.assertion?.verdict, "fail", String(reason));
        assert.match(verdicts.assertion?.detail ?? "", reason);
        assert.equal(verdicts.digest.verdict, "fail", "the leaf commits to it as well");
      }
      // A service that put a false signature into its own log is found out too.
      const { provenance, store } = service.app.services;
      const [recordId = ""] = await store.transact((tx) =>
        provenance.append(tx, [
          {
            kind: "approval",
            subjectId: asked.id,
            digest: one.record.digest.replace(/^.*:/, "sha256:"),
            privacy: "internal",
            predicate: { ...predicates[0], votes: [{ ...mine, assertion: theirs.assertion }] },
          },
        ]),
      );
      const { envelope } = await service.call("verify_svc_provenance", { recordId }, { key: true });
      const { verdicts } = envelope.data;
      assert.deepEqual(
        [envelope.data.verified, verdicts.digest.verdict, verdicts.assertion?.verdict],
        [false, "pass", "fail"],
      );
    });

    it("the passkey signs reason and values: others are refused, and verifying finds a changed one", async () => {
      const form = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
      const asked = await ask({ form });
      const decision = { reason: "Checked the sum.", values: { sum: 5 } };
      for (const change of [{ reason: "Checked." }, { reason: undefined }, { values: { sum: 50 } }]) {
        const assertion = await signed(ada, asked, key.ada, "approved", decision);
        const refused = await decide(ada, asked, { ...decision, ...change, assertion });
        assert.equal(refused.status, 403, refused.text);
        assert.equal(await stateOf(asked), "pending");
      }
      const assertion = await signed(ada, asked, key.ada, "approved", decision);
      const done = await decide(ada, asked, { ...decision, assertion });
      assert.equal(done.data.approval.status, "approved", done.text);
      const { verdicts, proof } = await verified(asked);
      assert.equal(verdicts.assertion?.verdict, "pass");
      assert.doesNotMatch(proof.record.body, /Checked|"sum"/, "the record reveals neither");

      await service.app.services.engine.waitFor(asked.runId, 120_000);
      const { data } = await asOperator(service, "GET", `/api/svc/runs/${asked.runId}/receipt?content=true`);
      const receipt: unknown = data.receipt;
      assert.ok(isReceipt(receipt));
      const at = receipt.entries.findIndex(({ record }) => record.kind === "approval");
      const entry = receipt.entries[at];
      const disclosed = entry?.content;
      assert.ok(entry !== undefined && isJsonObject(disclosed));
      assert.equal(disclosed["reason"], decision.reason);
      const contentOf = (changed: object) => {
        const content = { ...disclosed, ...changed };
        // As a service would write it that changed what the person said before it was recorded.
        const record = { ...entry.record, digest: digestOf(content) };
        const entries = receipt.entries.with(at, { ...entry, content, record, salt: null });
        return verifyReceipt({ ...receipt, entries }, {}, verifySignature).entries[at]?.content;
      };
      assert.equal(contentOf({})?.verdict, "pass");
      for (const changed of [{ reason: "Checked." }, { reason: null }, { values: { sum: 50 } }]) {
        assert.equal(contentOf(changed)?.verdict, "fail");
        assert.match(contentOf(changed)?.detail ?? "", /did not sign the reason and the values/);
      }

      // The store has no way to change a decision; a stand-in reads it as if one had been found.
      const { approvals } = service.app.services.store.read;
      const get = approvals.get.bind(approvals);
      approvals.get = async (id) => {
        const found = await get(id);
        return found === null ? null : { ...found, values: { sum: 50 } };
      };
      try {
        const later = await verified(asked);
        assert.equal(later.verified, false);
        assert.match(
          later.verdicts.assertion?.detail ?? "",
          /did not sign the reason and the values that are stored/,
        );
      } finally {
        approvals.get = get;
      }
    });

    it("nothing else decides it: no assertion, keys, tokens, approve_step; each answer says how", async () => {
      const asked = await ask();
      const without = await decide(ada, asked, {});
      assert.equal(without.status, 403, without.text);
      assert.match(without.data.error.nextAction, /step-up/);
      assert.equal(without.data.error.problems[0]?.pointer, "/assertion");
      const tool = await approve(ada, asked, asked.digest);
      assert.equal(tool.data.error.code, "forbidden");
      assert.match(tool.data.error.nextAction, /\/approvals\?id=/);
      const open = await waiting(service, { stepUp: true });
      const byKey = await service.call("approve_step", { id: open.id }, { key: true });
      assert.match(textAt(byKey.json, "error", "message"), /with a passkey; a key cannot/);
      const asKey = await asOperator(service, "GET", `/api/svc/approvals/${open.id}`);
      assert.equal(asKey.data.you?.mayDecide, false);
      const token = await ada.visitor.ask("POST", "/api/svc/tokens", {
        name: "Agent",
        scopes: ["approve", "read-private"],
      });
      assert.equal(token.status, 201, token.text);
      const program = await new Visitor(service).ask(
        "POST",
        `/api/svc/approvals/${asked.id}/decide`,
        { verdict: "approved", shownDigest: asked.digest, assertion: await signed(ada, asked, key.ada) },
        { authorization: `Bearer ${token.data.token}` },
      );
      assert.equal(program.status, 403, program.text);
      assert.match(program.text, /a program with a token cannot/);
      const cleo = await addMember(service, owner, "approver", "cleo@example.com");
      const none = await stepUp(cleo, asked);
      assert.equal(none.status, 409, none.text);
      assert.match(none.data.error.nextAction, /account page/);
      const bare = await decide(cleo, asked, {});
      assert.match(bare.data.error.message, /You have none yet/);
      assert.equal((await stepUp(ada, asked, "approved", other(asked.digest))).status, 409);
      assert.equal((await stepUp(owner, asked)).status, 403, "not named");
      assert.equal((await stepUp(ada, asked, "maybe")).status, 400);
      const plain = await waiting(service, { approvers: ["role:approver"] });
      assert.equal((await stepUp(ada, plain)).status, 409);
      const extra = await decide(ada, plain, { assertion: {} });
      assert.match(extra.data.error.message, /asks for no passkey/);
      assert.equal((await decide(ada, plain, {})).data.approval.status, "approved");
      for (const one of [asked, open]) assert.equal(await stateOf(one), "pending");
    });

    it("a plan says it, and a workflow that asks a key for a passkey is refused", async () => {
      const plan = async (approvers: readonly string[]) => {
        const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?", approvers, stepUp: true } }];
        const graph = { nodes, edges: [] };
        return {
          checked: (await service.call("validate_workflow", graph)).envelope.data,
          planned: (await service.call("plan_workflow", graph)).envelope.data,
        };
      };
      const good = await plan(["role:approver"]);
      assert.equal(good.checked.valid, true);
      assert.equal(good.planned.plan.approvals[0]?.stepUp, true);
      const bad = await plan(["role:approver", "key_1"]);
      assert.equal(bad.checked.valid, false);
      const [fault] = bad.checked.problems;
      assert.deepEqual(
        [fault?.code, fault?.pointer],
        ["approval_unmeetable", "/nodes/0/approval/approvers/1"],
      );
      assert.match(fault?.message ?? "", /asks for a passkey, and the key "key_1" has none/);
    });

    it("an assertion counts once, for its approval, verdict, person and digest, and for five minutes", async () => {
      const asked = await ask();
      const twin = await ask();
      const forTwin = await signed(ada, twin, key.ada);
      const toReject = await signed(ada, asked, key.ada, "rejected");
      const ofBob = await signed(bob, asked, key.bob);
      const refused: readonly (readonly [string, ReturnType<typeof decide>])[] = [
        ["another approval's", decide(ada, asked, { assertion: forTwin })],
        ["another verdict's", decide(ada, asked, { assertion: toReject })],
        ["another person's", decide(ada, asked, { assertion: ofBob })],
        ["nonsense", decide(ada, asked, { assertion: { id: 1 } })],
        ["a changed digest", decide(ada, asked, { assertion: toReject, shownDigest: other(asked.digest) })],
      ];
      for (const [what, answer] of refused) {
        const { status, text } = await answer;
        assert.ok(status === 403 || status === 409, `${what}: ${text}`);
        assert.ok(!text.includes(asked.digest), "no error reveals the digest");
      }
      const late = await signed(ada, asked, key.ada);
      ahead = 5 * 60_000;
      const expired = await decide(ada, asked, { assertion: late });
      ahead = 0;
      assert.match(expired.data.error.message, /is over or was answered before/);
      assert.equal(await stateOf(asked), "pending");
      const twoOf = await ask({ required: 2 });
      const first = await signed(ada, twoOf, key.ada);
      assert.equal((await decide(ada, twoOf, { assertion: first })).data.approval.status, "pending");
      const again = await decide(ada, twoOf, { assertion: first });
      assert.match(again.data.error.message, /answered before/);
      const second = await decide(bob, twoOf, { assertion: await signed(bob, twoOf, key.bob) });
      assert.equal(second.data.approval.status, "approved", second.text);
      assert.equal((await verified(twoOf, "approval_action")).verdicts.assertion?.verdict, "pass");
      const all = (await verified(twoOf)).verdicts.assertion;
      assert.match(all?.detail ?? "", new RegExp(`${ada.id}, ${bob.id}|${bob.id}, ${ada.id}`));
    });

    it("of one assertion that is sent many times at once one counts", async () => {
      const asked = await ask();
      const assertion = await signed(ada, asked, key.ada);
      const answers = await Promise.all(Array.from({ length: 12 }, () => decide(ada, asked, { assertion })));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal((await verified(asked)).verdicts.assertion?.verdict, "pass");
    });

    it("changes are requested with a passkey too, and a disabled person decides nothing", async () => {
      const more = [{ id: "act", type: "tool", tool: "get_health" }];
      const approval = { approvers: ["role:approver"], stepUp: true };
      const asked = await waiting(service, approval, undefined, more, "changes");
      const path = `/api/svc/approvals/${asked.id}/request-changes`;
      const body = { comment: "Shorter, please.", shownDigest: asked.digest };
      assert.equal((await bob.visitor.ask("POST", path, body)).status, 403);
      const unsaid = await signed(bob, asked, key.bob, "changes_requested", { reason: "Longer, please." });
      assert.equal((await bob.visitor.ask("POST", path, { ...body, assertion: unsaid })).status, 403);
      const assertion = await signed(bob, asked, key.bob, "changes_requested", { reason: body.comment });
      assert.equal((await bob.visitor.ask("POST", path, { ...body, assertion })).status, 200);
      assert.equal((await verified(asked)).verdicts.assertion?.verdict, "pass");
      const dora = await addMember(service, owner, "approver", "dora@example.com");
      const passkey = await device(dora);
      const next = await ask();
      const before = await signed(dora, next, passkey);
      await owner.visitor.ask("PATCH", `/api/svc/people/${dora.id}`, { state: "disabled" });
      assert.equal((await decide(dora, next, { assertion: before })).status, 401);
      assert.equal(await stateOf(next), "pending");
    });
  });
}

function other(digest: string): string {
  return digest.endsWith("0") ? `${digest.slice(0, -1)}1` : `${digest.slice(0, -1)}0`;
}
