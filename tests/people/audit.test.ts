import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { InputOf, OutputOf } from "../../packages/client/client.ts";
import type { AuditAction } from "../../src/audit/actions.ts";
import { relyingParty } from "../../src/access/people/relying-party.ts";
import { newClient, post, signInClient } from "../oauth/support.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { SoftPasskey } from "./authenticator.ts";
import { addMember, asOperator, makeOwner, PASSWORD, tokenIn, Visitor } from "./support.ts";
import type { Answer, Member } from "./support.ts";
import { approve, waiting } from "./waiting.ts";

/*
 * Every route that changes something is either walked here, or listed with the reason why no right changes.
 * Long on purpose: one walk over every route, so that none is missed.
 */

const NO_RIGHTS: readonly string[] = [
  // Protocols and calls: what they change has its own records.
  "POST /api/mcp",
  "POST /mcp",
  "POST /mcp/{name}",
  "POST /api/svc/guard/simulate",
  "POST /oauth/device",
  "POST /api/svc/forms",
  "POST /api/svc/connections/probe",
  "POST /api/svc/connections/record",
  "POST /api/svc/connections/{name}/test",
  "POST /api/svc/connections/{name}/sync",
  "POST /api/svc/connections/{connection}/call/{definition}",
  "POST /api/svc/connections/{name}/resource",
  // Runs, workflows and handoffs: the provenance log tells of them.
  "POST /api/svc/workflows/import",
  "DELETE /api/svc/workflows/{id}",
  "POST /api/svc/workflows/{id}/runs",
  "POST /api/svc/runs/{id}/retry",
  "POST /api/svc/runs/{id}/settle",
  // Their audit entries: tests/repair.
  "POST /api/svc/runs/{id}/signals/{name}",
  "POST /api/svc/runs/{id}/repair",
  "POST /api/svc/run-failures/repair",
  "POST /api/svc/runs/{id}/repair/preview",
  // Only a restored database is on hold: tests/storage/stored.test.ts.
  "POST /api/svc/hold",
  "POST /api/svc/triggers/{id}/backfill",
  "POST /api/svc/triggers/{id}/fire",
  "POST /hooks/{id}",
  "POST /f/{slug}",
  "POST /api/svc/handoffs/{id}/run",
  "POST /api/svc/demo-suite/run",
  "POST /api/svc/receive-handoff",
  "POST /api/browsercheck/receive-handoff",
  "POST /api/v1/receive-handoff",
  "POST /api/v1/svc/receive-handoff",
  "POST /api/svc/webhooks/{id}/redeliver",
  // A new version; who sees it stays as it was.
  "POST /api/svc/workflows/{id}/publish",
  // Begin something that is finished by another route, or only look.
  "POST /api/svc/oauth/codes/look",
  "POST /api/svc/credentials/{name}/authorize",
  "POST /api/svc/approvals/{id}/step-up",
  "POST /api/svc/passkeys/sign-in-options",
  "POST /api/svc/passkeys/options",
  "POST /api/svc/invitations/look",
  "POST /api/svc/invitations/passkey-options",
  // A name, or which mails a person gets.
  "PATCH /api/svc/passkeys/{id}",
  "POST /api/svc/account/notifications",
  "POST /api/svc/unsubscribe/{token}",
  // The same function as the definitions route of a connection; it needs the canonical gateway.
  "POST /api/svc/network-tools/accept",
];

/** Entries of what strangers can do, of a sign-in that another record tells of, and of the log's own keys. */
const WITHOUT_RECORD: ReadonlySet<AuditAction> = new Set([
  "session.refused",
  "client.registered",
  "client.signed_in",
  "client.reuse_refused",
  "signing_key.rotated",
  "master_key.rotated",
  "workflow.made_public",
  "workflow.made_private",
  "hold.ended",
  "retention.set",
  "retention.removed",
  "guard.changed",
  "toolset.changed",
  "guard.asked",
  "guard.denied",
  "guard.dry_run",
  "guard.bypassed",
  "trigger.created",
  "trigger.changed",
  "trigger.removed",
]);

interface World {
  readonly service: TestService;
  readonly owner: Member;
  close(): Promise<void>;
}

const API = {
  openapi: "3.1.0",
  info: { title: "Small", version: "1" },
  servers: [{ url: "https://api.example" }],
  paths: {
    "/items": { get: { operationId: "list_items", responses: { "200": { description: "ok" } } } },
  },
};

async function entriesOf(
  who: Member,
  filter: InputOf<"list_audit"> = {},
): Promise<OutputOf<"list_audit">["entries"]> {
  return (await who.visitor.client.call("list_audit", { limit: 100, ...filter })).entries;
}

for (const database of ["SQLite", "PostgreSQL"] as const) {
  describe(`audit on ${database}`, () => {
    let world: World;
    before(async () => {
      const server = database === "PostgreSQL" ? await testPostgres() : null;
      // With PostgreSQL the vault's master key is given, not made.
      const masterKeys = [randomBytes(32).toString("base64")];
      const settings = server === null ? {} : { databaseUrl: await server.createDatabase(), masterKeys };
      const service = await startService({ settings });
      world = {
        service,
        owner: await makeOwner(service),
        async close() {
          await service.close();
          await server?.stop();
        },
      };
    });
    after(() => world?.close());

    it("every route that changes rights writes an entry with who did it", async () => {
      const { service, owner } = world;
      const walked = new Set<string>();
      const seen = new Set<string>();
      /** The route answered with success and wrote an entry of this action and actor that was not there before. */
      const did = async (
        route: string,
        action: AuditAction,
        actor: string,
        answer: Pick<Answer<unknown>, "status" | "text">,
      ): Promise<void> => {
        assert.ok(answer.status < 300, `${route}: ${answer.text}`);
        const found = await entriesOf(owner, { action, actor });
        const fresh = found.filter((entry) => !seen.has(entry.id));
        for (const entry of found) seen.add(entry.id);
        assert.ok(fresh.length > 0, `${route} wrote no ${action} by ${actor}`);
        for (const entry of fresh) {
          assert.ok(entry.what !== action && entry.subject.name !== "", JSON.stringify(entry));
          assert.doesNotMatch(JSON.stringify(entry), /suite_(tok|key)_|whsec_|\$argon2/);
          const noRecord = WITHOUT_RECORD.has(action);
          assert.equal(entry.provenanceId === null, noRecord, JSON.stringify(entry));
        }
        walked.add(route);
      };
      const me = owner.id;
      const ask = <M extends string, P extends string>(method: M, path: P, body?: unknown) =>
        owner.visitor.ask(method, path, body);

      // People and links.
      const invite = await ask("POST", "/api/svc/people", { email: "ada@example.com", role: "editor" });
      await did("POST /api/svc/people", "person.invited", me, invite);
      const adaId = invite.data.person.id;
      const link = await ask("POST", `/api/svc/people/${adaId}/link`);
      await did("POST /api/svc/people/{id}/link", "person.link_made", me, link);
      const visitor = new Visitor(service);
      const joined = await visitor.ask("POST", "/api/svc/invitations/follow", {
        token: tokenIn(link.data.invitation.url),
        password: PASSWORD,
      });
      await did("POST /api/svc/invitations/follow", "person.joined", adaId, joined);
      const ada: Member = { id: adaId, email: "ada@example.com", visitor };
      const changed = await ask("PATCH", `/api/svc/people/${adaId}`, { role: "approver" });
      await did("PATCH /api/svc/people/{id}", "person.updated", me, changed);

      // Sign-in and sessions.
      const refused = await new Visitor(service).signIn(ada.email, "wrong password here");
      assert.equal(refused.status, 401);
      await did("POST /api/svc/sessions", "session.refused", "anonymous", { status: 200, text: "" });
      const elsewhere = new Visitor(service);
      const signedIn = await elsewhere.signIn(ada.email);
      await did("POST /api/svc/sessions", "session.created", adaId, signedIn);
      const ended = await elsewhere.ask("DELETE", "/api/svc/sessions/current");
      await did("DELETE /api/svc/sessions/{id}", "session.revoked", adaId, ended);
      await elsewhere.signIn(ada.email);
      const others = await visitor.ask("DELETE", "/api/svc/sessions");
      await did("DELETE /api/svc/sessions", "session.revoked", adaId, others);
      await new Visitor(service).signIn(ada.email);
      const out = await ask("POST", `/api/svc/people/${adaId}/sign-out`);
      await did("POST /api/svc/people/{id}/sign-out", "session.revoked", me, out);
      await visitor.signIn(ada.email);
      const password = `${PASSWORD} staple`;
      const guess = { password: "not the right one", next: password };
      assert.equal((await visitor.ask("POST", "/api/svc/account/password", guess)).status, 400);
      await did("POST /api/svc/account/password", "session.refused", adaId, { status: 200, text: "" });
      const set = await visitor.ask("POST", "/api/svc/account/password", {
        password: PASSWORD,
        next: password,
      });
      await did("POST /api/svc/account/password", "person.password_set", adaId, set);
      const codes = await visitor.ask("POST", "/api/svc/account/recovery-codes", { password });
      await did("POST /api/svc/account/recovery-codes", "person.recovery_codes_made", adaId, codes);

      // Passkeys.
      const device = new SoftPasskey(relyingParty(service.app.services.settings.baseUrl).origins[0] ?? "");
      const options = await visitor.ask("POST", "/api/svc/passkeys/options", { password });
      const passkey = device.create(options.data.publicKey);
      const added = await visitor.ask("POST", "/api/svc/passkeys", { name: "Phone", passkey });
      await did("POST /api/svc/passkeys", "passkey.added", adaId, added);
      const stranger = new Visitor(service);
      const request = await stranger.ask("POST", "/api/svc/passkeys/sign-in-options");
      const shown = device.get(request.data.publicKey);
      await did(
        "POST /api/svc/passkeys/sign-in",
        "session.created",
        adaId,
        await stranger.ask("POST", "/api/svc/passkeys/sign-in", { passkey: shown }),
      );
      const keyId = device.id.toString("base64url");
      const removed = await visitor.ask("DELETE", `/api/svc/passkeys/${keyId}`);
      await did("DELETE /api/svc/passkeys/{id}", "passkey.removed", adaId, removed);

      // Groups.
      const group = await ask("POST", "/api/svc/groups", { name: "Editors" });
      await did("POST /api/svc/groups", "group.created", me, group);
      const groupPath = `/api/svc/groups/${group.data.group.id}`;
      const member = await ask("POST", `${groupPath}/members`, { personId: adaId });
      await did("POST /api/svc/groups/{id}/members", "group.member_added", me, member);
      const renamed = await ask("PATCH", groupPath, { name: "Writers" });
      await did("PATCH /api/svc/groups/{id}", "group.renamed", me, renamed);
      const taken = await ask("DELETE", `${groupPath}/members/${adaId}`);
      await did("DELETE /api/svc/groups/{id}/members/{personId}", "group.member_removed", me, taken);
      const deleted = await ask("DELETE", groupPath);
      await did("DELETE /api/svc/groups/{id}", "group.deleted", me, deleted);

      // Tokens and keys.
      const token = () =>
        visitor.ask("POST", "/api/svc/tokens", { name: "Script", scopes: ["read-private"] });
      const first = await token();
      await did("POST /api/svc/tokens", "token.created", adaId, first);
      const own = await visitor.ask("DELETE", `/api/svc/tokens/${first.data.record.id}`);
      await did("DELETE /api/svc/tokens/{id}", "token.revoked", adaId, own);
      const second = (await token()).data.record.id;
      const tokens = `/api/svc/people/${adaId}/tokens`;
      await did(
        "DELETE /api/svc/people/{id}/tokens/{tokenId}",
        "token.revoked",
        me,
        await ask("DELETE", `${tokens}/${second}`),
      );
      await token();
      await did("DELETE /api/svc/people/{id}/tokens", "token.revoked", me, await ask("DELETE", tokens));
      const key = await asOperator(service, "POST", "/api/svc/keys", { name: "CI", scopes: ["run"] });
      await did("POST /api/svc/keys", "key.created", "operator", key);
      const rotated = await ask("POST", `/api/svc/keys/${key.data.key.id}/rotate`, {});
      await did("POST /api/svc/keys/{id}/rotate", "key.rotated", me, rotated);
      const revoked = await ask("POST", `/api/svc/keys/${key.data.key.id}/revoke`, {});
      await did("POST /api/svc/keys/{id}/revoke", "key.revoked", me, revoked);

      // OAuth clients.
      const client = await newClient(service);
      await did("POST /oauth/register", "client.registered", "anonymous", { status: 201, text: "" });
      const granted = await signInClient(service, ada, client, { scopes: ["read-private"] });
      await did("POST /oauth/token", "client.signed_in", adaId, { status: 200, text: "" });
      const refresh = () =>
        post(service, "/oauth/token", {
          grant_type: "refresh_token",
          client_id: client.clientId,
          refresh_token: granted.refresh_token,
        });
      assert.equal((await refresh()).status, 200);
      const signIns = await entriesOf(owner, { action: "client.signed_in", actor: adaId });
      assert.equal(signIns.length, 1, "a refresh is no sign-in");
      assert.equal((await refresh()).status, 400, "used before");
      await did("POST /oauth/token", "client.reuse_refused", "anonymous", { status: 200, text: "" });
      await did("POST /oauth/token", "client.disconnected", "system", { status: 200, text: "" });
      const returned = await signInClient(service, ada, client, { scopes: ["read-private"] });
      const back = { token: returned.refresh_token, client_id: client.clientId };
      const given = await post(service, "/oauth/revoke", back);
      await did("POST /oauth/revoke", "client.disconnected", "system", { status: given.status, text: "" });
      await signInClient(service, ada, await newClient(service), { scopes: ["read-private"] });
      const connected = await visitor.ask("GET", "/api/svc/oauth/clients");
      await did("POST /oauth/requests/{uid}/decision", "client.connected", adaId, connected);
      const code = await post(service, "/oauth/device", { client_id: "suitectl", scope: "read-private" });
      await did(
        "POST /api/svc/oauth/codes/decide",
        "client.connected",
        adaId,
        await visitor.ask("POST", "/api/svc/oauth/codes/decide", {
          code: code.json.user_code,
          scopes: ["read-private"],
        }),
      );
      const clientPath = `/api/svc/oauth/clients/${connected.data.clients[0]?.id}`;
      await did(
        "DELETE /api/svc/oauth/clients/{id}",
        "client.disconnected",
        me,
        await ask("DELETE", clientPath),
      );

      // Credentials, connections and the keys of the service.
      const credential = {
        name: "api",
        kind: "bearer",
        hosts: ["api.example", "b.example"],
        token: "0123456789abcdef",
      };
      const kept = await ask("POST", "/api/svc/credentials", credential);
      await did("POST /api/svc/credentials", "credential.created", me, kept);
      const hosts = await ask("PATCH", "/api/svc/credentials/api", { hosts: ["api.example"] });
      await did("PATCH /api/svc/credentials/{name}", "credential.updated", me, hosts);
      const wrapped = await ask("POST", "/api/svc/vault/rotate", {});
      await did("POST /api/svc/vault/rotate", "master_key.rotated", me, wrapped);
      const gone = await ask("DELETE", "/api/svc/credentials/api");
      await did("DELETE /api/svc/credentials/{name}", "credential.removed", me, gone);
      const connection = await ask("POST", "/api/svc/connections", {
        name: "small",
        kind: "openapi",
        document: API,
      });
      await did("POST /api/svc/connections", "connection.created", me, connection);
      const small = "/api/svc/connections/small";
      const definition = `${small}/definitions/list_items`;
      await did(
        "PATCH /api/svc/connections/{name}",
        "connection.updated",
        me,
        await ask("PATCH", small, { title: "Small API" }),
      );
      await did(
        "PATCH /api/svc/connections/{connection}/definitions/{definition}",
        "connection.updated",
        me,
        await ask("PATCH", definition, { title: "All items" }),
      );
      await did(
        "POST /api/svc/connections/{connection}/definitions/{definition}/hide",
        "connection.updated",
        me,
        await ask("POST", `${definition}/hide`),
      );
      await did(
        "POST /api/svc/connections/{connection}/definitions/{definition}/accept",
        "connection.updated",
        me,
        await ask("POST", `${definition}/accept`),
      );
      const more = { get: { ...API.paths["/items"].get, operationId: "list_more" } };
      await ask("PATCH", small, { document: { ...API, paths: { ...API.paths, "/more": more } } });
      for (const { id } of await entriesOf(owner, { action: "connection.*" })) seen.add(id);
      await did(
        "POST /api/svc/connections/{name}/accept",
        "connection.updated",
        me,
        await ask("POST", `${small}/accept`),
      );
      await did("DELETE /api/svc/connections/{name}", "connection.deleted", me, await ask("DELETE", small));
      const signing = await ask("POST", "/api/svc/provenance/rotate", {});
      await did("POST /api/svc/provenance/rotate", "signing_key.rotated", me, signing);

      // Where messages go.
      const target = await ask("POST", "/api/svc/notification-targets", {
        owner: `person:${adaId}`,
        url: "https://hooks.example/secret-path",
      });
      await did("POST /api/svc/notification-targets", "notification.target_created", me, target);
      await did(
        "DELETE /api/svc/notification-targets/{id}",
        "notification.target_deleted",
        me,
        await ask("DELETE", `/api/svc/notification-targets/${target.data.target.id}`),
      );
      const hook = await ask("POST", "/api/svc/webhooks", {
        url: "https://hooks.example/secret-path",
        types: ["svc.run.*"],
      });
      await did("POST /api/svc/webhooks", "webhook.created", me, hook);
      for (const action of ["pause", "resume", "rotate"]) {
        const answer = await ask("POST", `/api/svc/webhooks/${hook.data.webhook.id}/${action}`, {});
        await did(`POST /api/svc/webhooks/{id}/${action}`, "webhook.updated", me, answer);
      }
      const unhooked = await ask("POST", `/api/svc/webhooks/${hook.data.webhook.id}/remove`, {});
      await did("POST /api/svc/webhooks/{id}/remove", "webhook.deleted", me, unhooked);
      assert.doesNotMatch(JSON.stringify(await entriesOf(owner)), /secret-path/);

      // Approvals.
      const bob = await addMember(service, owner, "approver", "bob@example.com");
      const absence = {
        substitute: bob.id,
        from: "2030-01-01T00:00:00Z",
        until: "2030-02-01T00:00:00Z",
      };
      await did(
        "POST /api/svc/account/absence",
        "person.absence_set",
        adaId,
        await visitor.ask("POST", "/api/svc/account/absence", absence),
      );
      await did(
        "DELETE /api/svc/account/absence",
        "person.absence_ended",
        adaId,
        await visitor.ask("DELETE", "/api/svc/account/absence"),
      );
      const asked = await waiting(
        service,
        { approvers: [`person:${adaId}`] },
        undefined,
        [{ id: "act", type: "transform", value: 1 }],
        "changes",
      );
      const act = (who: Member, name: string, body?: unknown) =>
        who.visitor.ask("POST", `/api/svc/approvals/${asked.id}/${name}`, body);
      const acted = async (who: Member, name: string, action: AuditAction, body?: unknown) =>
        did(`POST /api/svc/approvals/{id}/${name}`, action, who.id, await act(who, name, body));
      await acted(ada, "claim", "approval.claimed");
      await acted(ada, "release", "approval.released");
      await acted(ada, "comment", "approval.commented", { body: "Why seven?" });
      await acted(ada, "delegate", "approval.delegated", { to: bob.id });
      await acted(owner, "reassign", "approval.reassigned", {
        approvers: [`person:${adaId}`],
        reason: "Ada is back",
      });
      await acted(ada, "request-changes", "approval.changes_requested", {
        comment: "Use 8",
        shownDigest: asked.digest,
      });
      const two = await waiting(service, { approvers: ["role:approver"], required: 2 });
      await did("tool approve_step", "approval.voted", adaId, await approve(ada, two, two.digest));
      await did("tool approve_step", "approval.approved", bob.id, await approve(bob, two, two.digest));
      const one = await waiting(service, { approvers: ["role:approver"] });
      await did(
        "POST /api/svc/approvals/{id}/decide",
        "approval.approved",
        adaId,
        await ada.visitor.ask("POST", `/api/svc/approvals/${one.id}/decide`, {
          verdict: "approved",
          shownDigest: one.digest,
        }),
      );
      const no = await waiting(service, {});
      const rejected = await service.call("reject_step", { id: no.id, reason: "no" }, { key: true });
      await did("tool reject_step", "approval.rejected", "operator", rejected);
      assert.doesNotMatch(
        JSON.stringify(await entriesOf(owner, { action: "approval.*" })),
        /Why seven|Use 8/,
      );

      const drawn = await service.call("create_workflow", { name: "Seen" }, { key: true });
      const workflowPath = `/api/svc/workflows/${drawn.envelope.data.workflow.id}/visibility`;
      for (const [visibility, action] of [
        ["public", "workflow.made_public"],
        ["private", "workflow.made_private"],
      ] as const)
        await did(
          "PATCH /api/svc/workflows/{id}/visibility",
          action,
          me,
          await ask("PATCH", workflowPath, { visibility }),
        );

      const started = await ask("POST", "/api/svc/triggers", {
        workflowId: (await service.call("create_workflow", { name: "Triggered" }, { key: true })).envelope
          .data.workflow.id,
        kind: "schedule",
        cron: "0 0 1 1 *",
      });
      await did("POST /api/svc/triggers", "trigger.created", me, started);
      const trigger = `/api/svc/triggers/${started.data.trigger.id}`;
      await did(
        "PATCH /api/svc/triggers/{id}",
        "trigger.changed",
        me,
        await ask("PATCH", trigger, { paused: true }),
      );
      await did("DELETE /api/svc/triggers/{id}", "trigger.removed", me, await ask("DELETE", trigger));
      const guard = await ask("PATCH", "/api/svc/guard", { stopped: [] });
      await did("PATCH /api/svc/guard", "guard.changed", me, guard);
      const bypass = await ask("POST", "/api/svc/guard/bypass", { minutes: 0, reason: "Ends it." });
      await did("POST /api/svc/guard/bypass", "guard.changed", me, bypass);
      const toolset = { name: "audit", title: "Audit", tools: ["get_health"] };
      const setMade = await ask("POST", "/api/svc/toolsets", toolset);
      await did("POST /api/svc/toolsets", "toolset.changed", me, setMade);
      const setRenamed = await ask("PATCH", "/api/svc/toolsets/audit", { title: "Audits" });
      await did("PATCH /api/svc/toolsets/{name}", "toolset.changed", me, setRenamed);
      const setGone = await ask("DELETE", "/api/svc/toolsets/audit");
      await did("DELETE /api/svc/toolsets/{name}", "toolset.changed", me, setGone);
      const rule = await ask("POST", "/api/svc/retention", { runsDays: 365 });
      await did("POST /api/svc/retention", "retention.set", me, rule);
      const dropped = await ask("DELETE", "/api/svc/retention");
      await did("DELETE /api/svc/retention", "retention.removed", me, dropped);

      // Last, because nothing of hers counts afterwards.
      const off = await ask("PATCH", `/api/svc/people/${adaId}`, { state: "disabled" });
      await did("PATCH /api/svc/people/{id}", "person.disabled", me, off);
      const on = await ask("PATCH", `/api/svc/people/${adaId}`, { state: "active" });
      await did("PATCH /api/svc/people/{id}", "person.enabled", me, on);

      const changing = service.app.services.site.routes
        .filter(({ method }) => method !== "GET")
        .map(({ method, path }) => `${method} ${path}`);
      const unknown = changing.filter((route) => !walked.has(route) && !NO_RIGHTS.includes(route));
      assert.deepEqual(unknown, [], "routes that this test does not know");
      const stale = NO_RIGHTS.filter((route) => !changing.includes(route));
      assert.deepEqual(stale, [], "routes that are gone");
    });

    it("tells names and plain words, links to provenance, and filters", async () => {
      const { owner } = world;
      const invited = await owner.visitor.ask("POST", "/api/svc/people", {
        email: "cleo@example.com",
        name: "Cleo",
        role: "viewer",
      });
      const { id } = invited.data.person;
      const [entry, ...more] = await entriesOf(owner, { subject: `people/${id}` });
      assert.equal(more.length, 0);
      assert.ok(entry !== undefined && entry.provenanceId !== null);
      assert.deepEqual(entry.actor, { id: owner.id, kind: "person", name: "Olga Owner" });
      assert.equal(entry.what, "invited a person");
      assert.deepEqual(entry.subject, { id: `people/${id}`, name: "Cleo" });
      const proof = await owner.visitor.call("lookup_svc_provenance", { recordId: entry.provenanceId });
      assert.match(JSON.stringify(proof.data), new RegExp(entry.provenanceId), proof.text);
      const byMail = await entriesOf(owner, { actor: "Owner@example.com", action: "person.*" });
      assert.ok(byMail.some((one) => one.id === entry.id));
      assert.ok(byMail.every((one) => one.action.startsWith("person.") && one.actor.id === owner.id));
      assert.deepEqual(await entriesOf(owner, { actor: "nobody@example.com" }), []);
      assert.deepEqual(await entriesOf(owner, { to: "2001-01-01" }), []);
      assert.ok((await entriesOf(owner, { from: "2001-01-01" })).length > 0);
      for (const query of ["?action=person.sung", "?from=yesterday", "?who=me", "?limit=0", "?cursor=x"]) {
        const answer = await owner.visitor.ask("GET", `/api/svc/audit${query}`);
        assert.equal(answer.status, 400, `${query}: ${answer.text}`);
      }
    });

    it("pages and exports the same entries, each once, in order", async () => {
      const { owner, service } = world;
      const paged: string[] = [];
      let cursor = "";
      for (let page = 0; page < 100; page++) {
        const more = cursor === "" ? "" : `&cursor=${cursor}`;
        const { data } = await owner.visitor.ask("GET", `/api/svc/audit?limit=7${more}`);
        paged.push(...data.entries.map((entry) => entry.id));
        if (data.nextCursor === null) break;
        cursor = data.nextCursor;
      }
      const response = await service.fetch("/api/svc/audit/export", { headers: owner.visitor.headers });
      assert.equal(response.status, 200);
      assert.match(response.headers.get("content-type") ?? "", /^application\/jsonl/);
      assert.match(response.headers.get("content-disposition") ?? "", /audit\.jsonl/);
      const lines = (await response.text()).trimEnd().split("\n");
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).id),
        paged,
      );
      assert.equal(new Set(paged).size, paged.length);
      const none = await service.fetch("/api/svc/audit/export?actor=nobody@example.com", {
        headers: owner.visitor.headers,
      });
      assert.equal(await none.text(), "");
    });
  });
}

it("an export goes at the pace of its reader and arrives whole", async () => {
  const service = await startService();
  try {
    const owner = await makeOwner(service);
    const filler = "x".repeat(8_000);
    const { store } = service.app.services;
    for (let part = 0; part < 20; part++) {
      await store.transact((tx) =>
        tx.audit.append(
          Array.from({ length: 250 }, () => ({
            action: "policy.updated",
            actor: owner.id,
            subject: "agent-policy/1",
            detail: { filler },
            provenanceId: null,
          })),
        ),
      );
    }
    const { audit } = store.read;
    const list = audit.list.bind(audit);
    let pages = 0;
    audit.list = (...given) => {
      pages += 1;
      return list(...given);
    };
    const { headers } = owner.visitor;
    const response = await service.fetch("/api/svc/audit/export?action=policy.updated", { headers });
    // Nobody reads: once the buffers between are full, no further page is fetched.
    for (let calm = 0, last = -1; calm < 20; calm = pages === last ? calm + 1 : 0) {
      last = pages;
      await sleep(20);
    }
    assert.ok(pages > 0 && pages < 20, `${pages} of 25 pages were fetched before anybody read`);
    const lines = (await response.text()).trimEnd().split("\n");
    assert.equal(lines.length, 5_000);
    assert.equal(new Set(lines.map((line) => JSON.parse(line).id)).size, 5_000);
    assert.equal(pages, 25);
  } finally {
    await service.close();
  }
});
