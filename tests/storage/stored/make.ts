import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isObject } from "../../../src/kernel/json.ts";
import { SCHEMA_VERSION } from "../../../src/storage/migrations.ts";
import { backupDatabase, TABLES_LEFT_OUT } from "../../../src/storage/maintenance/backup.ts";
import { openStore } from "../../../src/storage/open.ts";
import { AT, PROOF, quiet } from "../store.samples.ts";
import { startApiServer } from "../../connections/api-server.ts";
import { newClient, post, signInClient } from "../../oauth/support.ts";
import { addMember, asOperator, makeOwner, type Member } from "../../people/support.ts";
import { testPostgres } from "../../support/postgres.ts";
import { startService, type TestService } from "../../support/service.ts";
import { addCredential } from "../../vault/support.ts";
import { fillDatabase, SHOP } from "../../web/full-database.ts";
import { MASTER_KEY } from "./load.ts";

/*
 * `node tests/storage/stored/make.ts VERSION`: writes the databases that this build makes as test data, before a release:
 * VERSION.db.gz (SQLite) and VERSION.rows.gz (PostgreSQL, as a backup in rows). Each has rows in every table. A stored
 * database never changes again: it stands for the data of the people who use that version.
 */

const [version = ""] = process.argv.slice(2);
assert.match(version, /^\d+\.\d+\.\d+$/, "usage: node tests/storage/stored/make.ts VERSION");
const folder = mkdtempSync(join(tmpdir(), "workflow-ui-stored-"));
const server = await testPostgres();

try {
  const sqlite = `sqlite:${join(folder, "made.db")}`;
  await make(sqlite);
  const file = join(folder, "compact.db");
  const db = new DatabaseSync(join(folder, "made.db"));
  db.exec(`VACUUM INTO '${file}'`);
  db.close();
  everyTableHasRows(file);
  write("db", readFileSync(file));

  const postgres = await server.createDatabase();
  await make(postgres);
  const rows = join(folder, "rows");
  await backupDatabase(postgres, rows, "rows");
  write("rows", readFileSync(rows));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function write(kind: string, bytes: Buffer): void {
  const path = new URL(`${version}.${kind}.gz`, import.meta.url);
  writeFileSync(path, gzipSync(bytes, { level: 9 }));
  process.stdout.write(`schema ${SCHEMA_VERSION}, ${kind}: ${statSync(path).size} bytes\n`);
}

function everyTableHasRows(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const empty = tables.filter(
    ({ name }) =>
      !(String(name) in TABLES_LEFT_OUT) && db.prepare(`SELECT 1 FROM ${String(name)}`).get() === undefined,
  );
  db.close();
  assert.deepEqual(
    empty.map(({ name }) => name),
    [],
    "tables without rows",
  );
}

async function make(databaseUrl: string): Promise<void> {
  const api = await startApiServer(SHOP);
  const service = await startService({ settings: { databaseUrl, masterKeys: [MASTER_KEY] } });
  try {
    const owner = await makeOwner(service);
    const approver = await addMember(service, owner, "approver");
    await fillDatabase(service, api);
    await addRest(service, owner, approver);
  } finally {
    await service.close();
    await api.close();
  }
  await storeMoments(databaseUrl);
}

/** What `fillDatabase` does not make: the records of people, programs and operators. */
async function addRest(service: TestService, owner: Member, approver: Member): Promise<void> {
  const done = async (answer: Promise<{ readonly status: number; readonly text: string }>) => {
    const { status, text } = await answer;
    assert.ok(status < 300, text);
  };
  const person = (path: string, body: object) => done(owner.visitor.ask("POST", path, body));
  await addCredential(service, {
    name: "shop-key",
    kind: "bearer",
    secret: "stored-secret-token",
    hosts: ["api.example.com"],
  });
  await done(asOperator(service, "POST", "/api/svc/keys", { name: "reports", scopes: ["run"] }));
  const hook = { url: "https://hooks.example.com/stored", types: ["svc.artifact.*"] };
  await done(asOperator(service, "POST", "/api/svc/webhooks", hook));
  await person("/api/svc/groups", { name: "Buyers" });
  const groups = await owner.visitor.ask("GET", "/api/svc/groups");
  await person(`/api/svc/groups/${groups.data.groups[0]?.id}/members`, { personId: approver.id });
  await person("/api/svc/tokens", { name: "laptop", scopes: ["run"] });
  await signInClient(service, owner, await newClient(service));
  await post(service, "/oauth/device", { client_id: "suitectl", scope: "run" });
  const rendered = await service.call("render_mcp_tool_form", { toolName: "save_artifact" });
  assert.equal(rendered.envelope?.ok, true, rendered.text);
  const saved = await service.call(
    "save_artifact",
    { artifact: { title: "Kept", type: "note", content: { text: "once" } } },
    { key: true },
  );
  assert.equal(saved.envelope?.ok, true, saved.text);
  await done(asOperator(service, "PATCH", "/api/svc/guard", { rules: [] }));
  const toolset = { name: "stored", title: "Stored", tools: ["get_health"] };
  await done(asOperator(service, "POST", "/api/svc/toolsets", toolset));
  const policy = { summary: "Ask first." };
  const changed = await service.call("update_agent_policy", { policy }, { key: true });
  assert.equal(changed.envelope?.ok, true, changed.text);
}

/** States that last a moment while a service runs, and records that need a browser or another service. */
async function storeMoments(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl, quiet);
  try {
    const { items: runs } = await store.read.runs.list({ limit: 200 });
    // The one that needs nothing outside: its step asks for the health of the service.
    const quick = runs.findLast(({ state }) => state === "succeeded");
    const { items: people } = await store.read.people.list({ limit: 10 });
    const owner = people.find(({ role }) => role === "owner");
    const approver = people.find(({ role, state }) => role === "approver" && state === "active");
    const [trigger] = (await store.read.triggers.list({ limit: 1 }, { kind: "form" })).items;
    const [approval] = (await store.read.approvals.list({ limit: 1 }, { state: "approved" })).items;
    const credential = await store.read.credentials.get({ name: "shop-key", owner: "" });
    const document = quick === undefined ? null : await store.read.runs.document(quick.documentDigest);
    assert.ok(quick && owner && approver && approval && trigger && credential && isObject(document));
    assert.match(JSON.stringify(document), /get_health/);
    const fresh = { ...quick, outputs: null, epoch: 0, startedAt: null, finishedAt: null };
    await store.transact(async (tx) => {
      await tx.runs.insert({ ...fresh, id: `${quick.id}-queued`, state: "queued" });
      await tx.runs.insert({ ...fresh, id: `${quick.id}-cancelling`, state: "cancelling", startedAt: AT });
      const waiting = `${quick.id}-queued`;
      await tx.signals.insert({
        id: "signal_stored",
        runId: waiting,
        name: "paid",
        key: "once",
        payload: { amount: 7 },
        sentBy: owner.id,
        sentAt: AT,
        usedBy: null,
      });
      await tx.signals.listen({ runId: waiting, stepId: "seen", type: "svc.artifact.saved" }, AT);
      await tx.triggers.keepForm({
        id: digestOf("saved"),
        triggerId: trigger.id,
        fields: "subject=half+done",
        expiresAt: "2126-01-01T00:00:00.000Z",
      });
      await tx.retention.put({
        workflowId: null,
        detailsDays: null,
        runsDays: 36_500,
        runsKept: null,
        updatedAt: AT,
        updatedBy: owner.id,
      });
      await tx.approvals.noteShown(
        { approvalId: approval.id, client: "client_stored", shownDigest: approval.shownDigest, at: AT },
        "",
      );
      await tx.guard.count(owner.id, "shop:order", "day", 1);
      await tx.approvals.vote({
        approvalId: approval.id,
        voter: "person_elsewhere",
        via: null,
        seat: "person_elsewhere",
        verdict: "approved",
        reason: null,
        at: AT,
        assertion: PROOF,
      });
      await tx.approvals.comment({
        id: "comment_stored",
        approvalId: approval.id,
        author: owner.id,
        body: "Is this the usual amount?",
        createdAt: AT,
      });
      await tx.approvals.putAbsence({
        personId: approver.id,
        substituteId: owner.id,
        fromAt: "2026-01-01T00:00:00.000Z",
        untilAt: "2026-01-02T00:00:00.000Z",
        createdAt: AT,
      });
      await tx.templates.insert({
        id: "template_stored",
        name: "Stored",
        description: "A template of an earlier build.",
        tags: [],
        document,
        createdAt: AT,
      });
      await tx.passkeys.insert({
        id: "c3RvcmVk",
        personId: owner.id,
        name: "Phone",
        publicKey: "AA",
        counter: 3,
        transports: ["internal"],
        synced: true,
        createdAt: AT,
        lastUsedAt: null,
      });
      await tx.passkeys.insertChallenge({
        digest: digestOf("challenge"),
        purpose: "sign-in",
        subject: "",
        expiresAt: "2126-01-01T00:00:00.000Z",
      });
      await tx.people.addIdentity("https://id.example.com", "subject-1", owner.id, AT);
      await tx.people.countAttempt(digestOf("attempt"), Date.parse("2126-01-01T00:00:00.000Z"), 60_000, 3);
      await tx.people.setRecoveryCodes(owner.id, [digestOf("recovery")]);
      await tx.credentials.insertFlow({
        stateDigest: digestOf("state"),
        name: credential.name,
        owner: credential.owner,
        masterKeyId: credential.masterKeyId,
        wrappedKey: credential.wrappedKey,
        sealed: credential.sealed,
        startedBy: owner.id,
        expiresAt: "2126-01-01T00:00:00.000Z",
      });
      await tx.notifications.putSettings({ personId: owner.id, mail: "digest", unsubscribeToken: "stored" });
      await tx.notifications.insertTarget({
        id: "target_stored",
        owner: `person:${owner.id}`,
        url: "https://hooks.example.com/approvals",
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        createdBy: owner.id,
        createdAt: AT,
      });
      await tx.notifications.add({
        id: "notification_stored",
        sequence: 1,
        kind: "approval.requested",
        approvalId: approval.id,
        channel: "webhook",
        recipient: "target_stored",
        state: "sent",
        attempts: 1,
        nextAttemptAt: null,
        lastError: null,
        createdAt: AT,
        sentAt: AT,
      });
    });
  } finally {
    await store.close();
  }
}
