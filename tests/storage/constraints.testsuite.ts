import assert from "node:assert/strict";
import { it } from "node:test";
import { AppError } from "../../src/kernel/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { openSession } from "../../src/storage/maintenance/session.ts";
import { samplePerson, sampleSession } from "./people.testsuite.ts";
import {
  AT,
  DIGEST,
  sampleApproval,
  sampleHandoff,
  sampleRun,
  sampleStep,
  sampleWebhook,
  sampleWorkflow,
} from "./store.samples.ts";

/** Statements that break one rule each, whatever the code above the database would say. `$run` is a stored run. */
const REFUSED: readonly (readonly [rule: string, sql: string])[] = [
  ["a run's state is one of eight", "UPDATE runs SET state = 'exploded'"],
  ["a run's kind is run or dry_run", "UPDATE runs SET kind = 'walk'"],
  ["a run is private or public", "UPDATE runs SET visibility = 'secret'"],
  ["an epoch never falls below zero", "UPDATE runs SET epoch = -1"],
  ["a run that has ended has a time of it", "UPDATE runs SET state = 'succeeded'"],
  ["a run that goes on has no end", `UPDATE runs SET finished_at = '${AT}'`],
  ["a run has its document", "UPDATE runs SET document_digest = 'sha256:none'"],
  ["a document of a run stays", "DELETE FROM documents"],
  ["a run's workflow exists", "UPDATE runs SET workflow_id = 'workflow_none'"],
  ["a run's parent exists", "UPDATE runs SET parent_run_id = 'run_none'"],
  ["a run with steps stays", "DELETE FROM runs WHERE id = '$run'"],
  ["a step's state is one of ten", "UPDATE steps SET state = 'stuck'"],
  ["a step's attempt is counted from zero", "UPDATE steps SET attempt = -1"],
  ["a step has its run", "UPDATE steps SET run_id = 'run_none' WHERE step_id = 'free'"],
  ["an attempt has its step", "UPDATE attempts SET step_id = 'none'"],
  ["an attempt's state is one of six", "UPDATE attempts SET state = 'maybe'"],
  ["an approval's state is one of seven", "UPDATE approvals SET state = 'perhaps' WHERE state = 'pending'"],
  ["an approval has its run", "UPDATE approvals SET run_id = 'run_none'"],
  [
    "a decision names who made it",
    "UPDATE approvals SET state = 'approved', decided_at = 'now' WHERE state = 'pending'",
  ],
  ["one decision wins", "UPDATE approvals SET state = 'rejected' WHERE state = 'approved'"],
  ["a decision is not taken back", "UPDATE approvals SET state = 'pending' WHERE state = 'approved'"],
  [
    "a step has one open approval",
    "INSERT INTO approvals (id, run_id, step_id, state, title, shown, shown_digest, form_schema, approvers, required, step_up, delegations, claimed_by, due_at, expires_at, created_at, decided_at, decided_by, reason, answers) SELECT 'second', run_id, step_id, state, title, shown, shown_digest, form_schema, approvers, required, step_up, delegations, claimed_by, due_at, expires_at, created_at, decided_at, decided_by, reason, answers FROM approvals WHERE state = 'pending'",
  ],
  ["completed needs a result reference", "UPDATE handoffs SET state = 'completed'"],
  ["a result reference is not empty", "UPDATE handoffs SET result_ref = ''"],
  ["a handoff's state is one of seven", "UPDATE handoffs SET state = 'sent'"],
  ["a handoff goes in or out", "UPDATE handoffs SET direction = 'up'"],
  ["a handoff's run exists", "UPDATE handoffs SET run_id = 'run_none'"],
  ["a packet has a digest", "UPDATE handoffs SET packet_digest = 'none'"],
  ["a published workflow has a version", "UPDATE workflows SET status = 'published'"],
  [
    "a version has its workflow",
    "INSERT INTO workflow_versions (workflow_id, version, digest, document, published_at, published_by) VALUES ('none', 1, 'sha256:x', '{}', '', '')",
  ],
  ["a webhook is active or paused", "UPDATE webhooks SET state = 'asleep'"],
  [
    "a delivery has its webhook",
    "INSERT INTO deliveries VALUES ('d', 'none', 1, 's', 'pending', 0, 'x', NULL, 'x', NULL)",
  ],
  ["a role is one of six", "UPDATE people SET role = 'king'"],
  ["a person's state is one of three", "UPDATE people SET state = 'asleep'"],
  ["an e-mail address is in lower case", "UPDATE people SET email = 'Ada@example.com'"],
  ["a session has its person", "UPDATE sessions SET person_id = 'person_none'"],
  ["a person with sessions stays", "DELETE FROM people"],
  [
    "a member of a group is a person",
    "INSERT INTO group_members SELECT id, 'person_none', 'x', 'x' FROM person_groups",
  ],
  ["a group with members stays", "DELETE FROM person_groups"],
  ["a token is kept as a digest", "UPDATE sessions SET digest = 'secret'"],
  [
    "a link is for the first owner or for a person",
    "INSERT INTO invitations VALUES ('sha256:x', 'invite', NULL, 'x', 'x', 'x')",
  ],
  ["a leaf has a place from zero on", "UPDATE provenance_records SET leaf_index = -1"],
  ["a record's kind is known", "UPDATE provenance_records SET kind = 'rumour'"],
  ["a record's privacy is known", "UPDATE provenance_records SET privacy = 'none'"],
  ["a checkpoint names a key", "INSERT INTO provenance_checkpoints VALUES (1, 'r', 'none', 's', 'x')"],
];

/** Tries to break every rule of the schema in SQL, past everything that the code checks. */
export function constraintSuite(
  name: string,
  open: () => Promise<{ store: Store; url: string; cleanUp(): Promise<void> }>,
): void {
  it(`${name}: the database itself refuses what must not be`, async () => {
    const under = await open();
    const { store, url } = under;
    const run = sampleRun();
    const decided = sampleApproval(run.id, { stepId: "decided" });
    await store.transact(async (tx) => {
      await tx.workflows.insert(sampleWorkflow());
      await tx.runs.putDocument(DIGEST, { nodes: [] });
      await tx.runs.insert(run);
      await tx.runs.putSteps([sampleStep(run.id), sampleStep(run.id, { stepId: "free" })]);
      await tx.runs.putAttempts([
        {
          runId: run.id,
          stepId: sampleStep(run.id).stepId,
          attempt: 1,
          state: "failed",
          spanId: "s",
          error: null,
          startedAt: AT,
          finishedAt: AT,
        },
      ]);
      await tx.approvals.insert(sampleApproval(run.id));
      await tx.approvals.insert(decided);
      await tx.approvals.decide({ ...decided, state: "approved", decidedAt: AT, decidedBy: "key_1" });
      await tx.handoffs.insert(sampleHandoff());
      await tx.webhooks.insert(sampleWebhook());
      await tx.people.insert(samplePerson());
      await tx.people.insertSession(sampleSession());
      const group = { id: "group_1", name: "ops", revision: 1, createdBy: "x", updatedBy: "x" };
      await tx.groups.insert({ ...group, createdAt: AT, updatedAt: AT });
      await tx.groups.addMember("group_1", "person_1", "x", AT);
      await tx.provenance.append([
        {
          id: "prov_1",
          leafIndex: 0,
          kind: "run",
          subjectId: run.id,
          runId: run.id,
          digest: DIGEST,
          lookupKey: DIGEST,
          privacy: "internal",
          body: "{}",
          leafHash: "h",
          createdAt: AT,
        },
      ]);
    });
    const session = await openSession(url, "write");
    try {
      for (const [rule, sql] of REFUSED) {
        await assert.rejects(
          session.run(sql.replace("$run", run.id), []),
          (error) => error instanceof AppError && error.code === "conflict",
          rule,
        );
      }
    } finally {
      await session.close();
      await under.cleanUp();
    }
  });
}
