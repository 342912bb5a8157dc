import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";
import { testPostgres } from "../support/postgres.ts";
import { runToApproval, startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";

/* What happens to a waiting approval by itself, when the process is killed around it. */

const DUE_MS = 3_000;
const ONCE = ["requested", "reminder", "overdue", "escalated"];

/** What was announced of an approval, as it is on disk. */
async function stored(databaseUrl: string, id: string) {
  const store = await openStore(databaseUrl, quiet);
  try {
    const events = await store.read.events.after(0, 5_000);
    const names = events
      .filter(({ type, data }) => type.startsWith("svc.approval.") && data["id"] === id)
      .map(({ type }) => type.slice("svc.approval.".length));
    return { names, approvers: (await store.read.approvals.get(id))?.approvers };
  } finally {
    await store.close();
  }
}

async function crashes(databaseUrl: string): Promise<void> {
  const env = { DATABASE_URL: databaseUrl };
  const first = await startServiceProcess(env);
  const approval = {
    title: "Go?",
    approvers: ["role:approver"],
    reminderMs: DUE_MS - 200,
    dueInMs: DUE_MS - 100,
    escalateMs: DUE_MS,
    escalateTo: ["role:owner"],
  };
  const nodes = [{ id: "ask", type: "approval", approval }];
  const made = await first.call("create_workflow", { name: "Asks", nodes, edges: [] }, { key: true });
  const { id, createdAt } = (await runToApproval(first, made.envelope.data.workflow.id)).approvals[0];
  assert.equal(await first.stop("SIGKILL"), "SIGKILL");
  // Everything falls due while no process runs.
  while (Date.now() <= Date.parse(createdAt) + DUE_MS) await sleep(50);
  // Killed at once after the start, then when the escalation is there, then stopped in peace.
  await (await startServiceProcess(env)).stop("SIGKILL");
  const second = await startServiceProcess(env);
  try {
    await escalated(second, id);
  } finally {
    await second.stop("SIGKILL");
  }
  const last = await startServiceProcess(env);
  await escalated(last, id);
  assert.equal(await last.stop("SIGTERM"), 0);
  const { names, approvers } = await stored(databaseUrl, id);
  assert.deepEqual(names, ONCE);
  assert.deepEqual(approvers, ["role:approver", "role:owner"]);
}

async function escalated({ fetch: ask }: ServiceProcess, id: string): Promise<void> {
  for (let n = 0; n < 2_400; n++) {
    const answer = await ask(`/api/svc/approvals/${id}`, {
      headers: { authorization: `Bearer ${TEST_KEY}` },
    });
    if (JSON.parse(await answer.text()).data.approval.approvers.includes("role:owner")) return;
    await sleep(50);
  }
  assert.fail("the approval was not escalated");
}

it("a reminder and an escalation that fall due while no process runs happen once, SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "approval-crash-"));
  try {
    await crashes(`sqlite:${join(folder, "service.db")}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("a reminder and an escalation that fall due while no process runs happen once, PostgreSQL", async () => {
  const server = await testPostgres();
  try {
    await crashes(await server.createDatabase());
  } finally {
    await server.stop();
  }
});
