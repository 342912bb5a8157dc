import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertionProblem } from "../../src/kernel/webauthn.ts";
import { relyingParty } from "../../src/access/people/relying-party.ts";
import { verifySignature } from "../../src/provenance/signing.ts";
import { startService, type TestService } from "../support/service.ts";
import { SoftPasskey, type Twist } from "./authenticator.ts";
import { addMember, makeOwner, PASSWORD, tokenIn, Visitor, type Member } from "./support.ts";

let service: TestService;
let owner: Member;
let origin: string;
let ahead = 0;

before(async () => {
  service = await startService({ clock: { now: () => Date.now() + ahead } });
  owner = await makeOwner(service);
  origin = relyingParty(service.app.services.settings.baseUrl).origins[0] ?? "";
});
after(() => service.close());

const PASSKEYS = "/api/svc/passkeys";

async function register(member: Member, device = new SoftPasskey(origin), twist: Twist = {}) {
  const options = await member.visitor.ask("POST", `${PASSKEYS}/options`, { password: PASSWORD });
  assert.equal(options.status, 200, options.text);
  const passkey = device.create(options.data.publicKey, twist);
  const answer = await member.visitor.ask("POST", PASSKEYS, { name: "Phone", passkey });
  return { device, passkey, answer };
}

async function signIn(device: SoftPasskey, twist: Twist = {}) {
  const visitor = new Visitor(service);
  const options = await visitor.ask("POST", `${PASSKEYS}/sign-in-options`);
  const passkey = device.get(options.data.publicKey, twist);
  return { visitor, passkey, answer: await visitor.ask("POST", `${PASSKEYS}/sign-in`, { passkey }) };
}

describe("passkeys", () => {
  it("are added, used, renamed and removed; the counter must grow", async () => {
    const member = await addMember(service, owner, "editor");
    const { device, answer } = await register(member);
    assert.equal(answer.status, 201, answer.text);
    const { answer: first, visitor } = await signIn(device);
    assert.equal(first.status, 201, first.text);
    assert.deepEqual([first.data.person.id, first.data.session.method], [member.id, "passkey"]);
    assert.equal((await visitor.ask("GET", PASSKEYS)).data.passkeys[0]?.name, "Phone");
    const id = device.id.toString("base64url");
    await visitor.ask("PATCH", `${PASSKEYS}/${id}`, { name: "Old phone" });
    const cloned = await signIn(device, { counter: 1 });
    assert.equal(cloned.answer.status, 401, "the counter was seen before");
    assert.equal((await signIn(device, { counter: 9 })).answer.status, 201);
    const listed = (await visitor.ask("GET", PASSKEYS)).data.passkeys;
    assert.equal(listed[0]?.name, "Old phone");
    assert.ok(Date.parse(listed[0]?.lastUsedAt ?? "") > 0);
    assert.equal((await owner.visitor.ask("DELETE", `${PASSKEYS}/${id}`)).status, 404, "not the owner's");
    assert.equal((await visitor.ask("DELETE", `${PASSKEYS}/${id}`)).status, 200);
    assert.equal((await signIn(device)).answer.status, 401, "removed");
    const events = await service.app.services.store.read.events.after(0, 1_000);
    for (const type of ["svc.passkey.added", "svc.passkey.removed"])
      assert.ok(events.some((event) => event.type === type && event.data["personId"] === member.id));
  });

  it("replayed, expired, forged and foreign answers get one answer and no session", async () => {
    const member = await addMember(service, owner, "operator");
    const { device } = await register(member);
    const good = await signIn(device);
    assert.equal(good.answer.status, 201);
    const replay = await new Visitor(service).ask("POST", `${PASSKEYS}/sign-in`, { passkey: good.passkey });
    const stranger = new SoftPasskey(origin);
    stranger.userHandle = device.userHandle;
    const twisted = [
      await signIn(device, { origin: "https://evil.example" }),
      await signIn(device, { rpId: "evil.example" }),
      await signIn(device, { challenge: Buffer.alloc(32).toString("base64url") }),
      await signIn(device, { type: "webauthn.create" }),
      await signIn(device, { flags: 0x01 }),
      await signIn(device, { userHandle: Buffer.from("person_other").toString("base64url") }),
      await signIn(stranger),
    ];
    const visitor = new Visitor(service);
    const options = await visitor.ask("POST", `${PASSKEYS}/sign-in-options`);
    const late = device.get(options.data.publicKey);
    ahead = 5 * 60_000;
    const expired = await visitor.ask("POST", `${PASSKEYS}/sign-in`, { passkey: late });
    ahead = 0;
    const rubbish = await visitor.ask("POST", `${PASSKEYS}/sign-in`, { passkey: { id: 1 } });
    const answers = [replay, expired, rubbish, ...twisted.map(({ answer }) => answer)];
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(replay.status, 401);
    for (const { headers } of answers) assert.deepEqual(headers.getSetCookie(), []);
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "disabled" });
    assert.equal((await signIn(device)).answer.status, 401, "disabled");
  });

  it("are not added by a stolen session, for another person, or with an answer to something else", async () => {
    const member = await addMember(service, owner, "viewer", "stolen@example.com");
    assert.equal((await member.visitor.ask("POST", `${PASSKEYS}/options`, {})).status, 400, "no password");
    const wrong = await member.visitor.ask("POST", `${PASSKEYS}/options`, { password: "not the password" });
    assert.equal(wrong.status, 400);
    const options = await member.visitor.ask("POST", `${PASSKEYS}/options`, { password: PASSWORD });
    const passkey = new SoftPasskey(origin).create(options.data.publicKey);
    const other = await owner.visitor.ask("POST", PASSKEYS, { name: "Mine", passkey });
    assert.equal(other.status, 401, other.text);
    const again = await member.visitor.ask("POST", PASSKEYS, { name: "Mine", passkey });
    assert.equal(again.status, 400, "the challenge was used");
    for (const twist of [{ origin: "https://evil.example" }, { flags: 0x01 }, { type: "webauthn.get" }])
      assert.equal((await register(member, new SoftPasskey(origin), twist)).answer.status, 400);
  });

  it("take the place of a password: invitation, the only way in stays, new codes, a password later", async () => {
    const invited = await owner.visitor.ask("POST", "/api/svc/people", {
      email: "key.only@example.com",
      role: "approver",
    });
    const token = tokenIn(invited.data.invitation.url);
    const visitor = new Visitor(service);
    const options = await visitor.ask("POST", "/api/svc/invitations/passkey-options", { token });
    const device = new SoftPasskey(origin);
    const passkey = device.create(options.data.publicKey);
    const joined = await visitor.ask("POST", "/api/svc/invitations/follow", { token, passkey });
    assert.equal(joined.status, 201, joined.text);
    assert.equal(joined.data.person.hasPassword, false);
    const dead = await visitor.ask("POST", "/api/svc/invitations/follow", { token, passkey });
    assert.equal(dead.status, 404);
    const id = device.id.toString("base64url");
    const last = await visitor.ask("DELETE", `${PASSKEYS}/${id}`);
    assert.equal(last.status, 409, last.text);
    const codes = await visitor.ask("POST", "/api/svc/account/recovery-codes", {});
    assert.equal(codes.data.codes.length, 10);
    ahead = 16 * 60_000;
    assert.equal((await visitor.ask("POST", "/api/svc/account/recovery-codes", {})).status, 400, "later");
    const again = await signIn(device);
    const set = await again.visitor.ask("POST", "/api/svc/account/password", { next: PASSWORD });
    assert.equal(set.status, 200, set.text);
    ahead = 0;
    assert.equal((await again.visitor.ask("DELETE", `${PASSKEYS}/${id}`)).status, 200);
    assert.equal((await new Visitor(service).signIn("key.only@example.com")).status, 201);
  });

  it("the first owner can be made with one", async () => {
    const fresh = await startService();
    try {
      const link = await fresh.app.people.ownerLink();
      const token = tokenIn(link?.url ?? "");
      const about = { token, email: "first@example.com", name: "First" };
      const visitor = new Visitor(fresh);
      const options = await visitor.ask("POST", "/api/svc/invitations/passkey-options", about);
      const site = relyingParty(fresh.app.services.settings.baseUrl);
      const passkey = new SoftPasskey(site.origins[0] ?? "").create(options.data.publicKey);
      const made = await visitor.ask("POST", "/api/svc/invitations/follow", { ...about, passkey });
      assert.equal(made.status, 201, made.text);
      assert.equal(made.data.person.role, "owner");
    } finally {
      await fresh.close();
    }
  });

  it("sign a digest once; the proof holds offline and for nothing else", async () => {
    const member = await addMember(service, owner, "admin", "signer@example.com");
    const { stepUp } = service.app.services;
    const digest = `sha256:${"ab".repeat(32)}`;
    await assert.rejects(stepUp.assertionOptions(member.id, digest), /no passkey/);
    const { device } = await register(member);
    const fresh = () => stepUp.assertionOptions(member.id, digest);
    const signed = device.get(await fresh());
    const proof = await stepUp.verifyAssertion(member.id, digest, signed);
    const problem = (change: object, other = digest) =>
      assertionProblem({ ...proof, ...change }, other, verifySignature);
    assert.equal(problem({}), null);
    const other = `sha256:${"cd".repeat(32)}`;
    assert.match(problem({}, other) ?? "", /something else/);
    assert.match(problem({ rpId: "evil.example" }) ?? "", /another site/);
    assert.match(problem({ origin: "https://evil.example" }) ?? "", /another site/);
    const shorter = Buffer.from(proof.signature, "base64url").subarray(0, -3).toString("base64url");
    assert.match(problem({ signature: shorter }) ?? "", /does not verify/);
    assert.match(problem({ publicKey: "" }) ?? "", /does not verify/);
    assert.match(problem({ clientDataJSON: "!" }) ?? "", /cannot be read/);
    await assert.rejects(stepUp.verifyAssertion(member.id, digest, signed), /answered before/);
    const about = async (who: string, what: string, twist: Twist = {}) =>
      stepUp.verifyAssertion(who, what, device.get(await fresh(), twist));
    await assert.rejects(about(member.id, other), /over what was shown/);
    await assert.rejects(about(owner.id, digest), /one of your passkeys/);
    await assert.rejects(about(member.id, digest, { flags: 0x01 }), /over what was shown/);
    const unsent = Buffer.concat([Buffer.alloc(16), Buffer.from("ab".repeat(32), "hex")]);
    const challenge = unsent.toString("base64url");
    await assert.rejects(about(member.id, digest, { challenge }), /is over or was answered before/);
  });
});

describe("the site of passkeys", () => {
  it("is the host of BASE_URL; a loopback address is localhost; other addresses have none", () => {
    assert.deepEqual(relyingParty("https://flow.example.com/x"), {
      rpId: "flow.example.com",
      origins: ["https://flow.example.com"],
    });
    for (const base of ["http://127.0.0.1:8080", "http://[::1]:8080"])
      assert.deepEqual(relyingParty(base), { rpId: "localhost", origins: ["http://localhost:8080"] });
    assert.throws(() => relyingParty("https://10.0.0.7"), /need a name/);
  });
});
