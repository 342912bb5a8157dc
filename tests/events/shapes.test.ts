import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Ajv } from "ajv";
import type { OperationName } from "../../packages/client/client.ts";
import { eventType } from "../../src/events/catalogue.ts";
import type { EventRecord } from "../../src/ports/records.ts";
import { startService, type TestService } from "../support/service.ts";

/*
 * Whatever the domains write must be what the table of events says, because the stream's readers and asyncapi.yaml
 * rely on it. One service lives through a bit of everything; then each event it wrote is checked.
 */
let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

async function call(name: OperationName, args: unknown): Promise<unknown> {
  const { envelope } = await service.call(name, args, { key: true });
  assert.equal(envelope.ok, true, `${name}: ${JSON.stringify(envelope.data)}`);
  return envelope.data;
}

/** The first id in an answer, wherever it stands. */
function idIn(data: unknown, prefix: string): string {
  const found = new RegExp(`"(${prefix}_[0-9a-z]+)"`).exec(JSON.stringify(data))?.[1];
  assert.ok(found, `no ${prefix} in ${JSON.stringify(data)}`);
  return found;
}

it("events have the shapes of the table, and their public part holds nothing private", async () => {
  const saved = await call("save_artifact", { artifact: { title: "canary-title", type: "note" } });
  const artifactId = idIn(saved, "artifact");
  await call("update_artifact", { id: artifactId, artifact: { title: "canary-title 2", type: "note" } });
  await call("delete_artifact", { id: artifactId });
  const made = await call("create_workflow", {
    name: "canary-name",
    nodes: [
      { id: "ask", type: "approval", approval: { title: "May it go on?" } },
      { id: "look", type: "tool", tool: "get_health", with: {} },
    ],
    edges: [{ id: "e", from: "ask", to: "look", port: "approved" }],
  });
  const workflowId = idIn(made, "workflow");
  await call("update_workflow", { id: workflowId, description: "changed" });
  await call("publish_workflow", { id: workflowId });
  const started = await call("run_workflow", { id: workflowId, inputs: {} });
  const runId = idIn(started, "run");
  await settled(() => service.app.services.store.read.runs.get(runId), "waiting");
  const [approval] = (await service.app.services.store.read.approvals.list({ limit: 1 })).items;
  assert.ok(approval);
  await call("approve_step", { id: approval.id, reason: "canary-reason" });
  await settled(() => service.app.services.store.read.runs.get(runId), "succeeded");
  await call("render_json_schema_form", {
    schema: { type: "object", properties: { a: { type: "string" } } },
  });

  const events = await service.app.services.store.read.events.after(0, 1_000);
  const seen = new Set(events.map(({ type }) => type));
  for (const type of [
    "svc.artifact.saved",
    "svc.workflow.published",
    "svc.run.succeeded",
    "svc.step.succeeded",
    "svc.approval.requested",
    "svc.approval.approved",
  ]) {
    assert.ok(seen.has(type), `${type} is among ${[...seen].join(", ")}`);
  }
  const ajv = new Ajv({ strict: false });
  for (const event of events) check(ajv, event);
  assert.ok(!JSON.stringify(events.map(({ publicData }) => publicData)).includes("canary-reason"));
});

function check(ajv: Ajv, event: EventRecord): void {
  const known = eventType(event.type);
  assert.ok(known, `${event.type} is in the table`);
  assert.ok(
    ajv.validate(known.data, event.data),
    `${event.type}: ${ajv.errorsText()} ${JSON.stringify(event.data)}`,
  );
  if (event.publicData === null) return;
  assert.ok(known.publicData, `${event.type} has no public part`);
  assert.ok(ajv.validate(known.publicData, event.publicData), `${event.type}, public: ${ajv.errorsText()}`);
}

async function settled(read: () => Promise<{ readonly state: string } | null>, state: string): Promise<void> {
  const { store } = service.app.services;
  for (;;) {
    const next = new Promise((resolve) => {
      const stop = store.onEvents((last) => {
        stop();
        resolve(last);
      });
    });
    const now = await read();
    if (now?.state === state) return;
    assert.ok(now !== null && !["failed", "timed_out", "cancelled"].includes(now.state), JSON.stringify(now));
    await next;
  }
}
