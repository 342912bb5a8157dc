import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { startService, type TestService } from "../support/service.ts";
import { templates, type Template } from "./n8n-templates.ts";
import { ask, create, type RestAnswer } from "./support.ts";

describe("n8n workflows with their triggers", () => {
  let service: TestService;
  let api: ApiServer;
  before(async () => {
    service = await startService();
    api = await startApiServer({
      "GET /weather": json({ summary: "Sunny" }),
      "POST /chat": json({ ok: true }),
      "POST /orders": json({ id: "order-1" }, 201),
    });
  });
  after(async () => {
    await service?.close();
    await api?.close();
  });

  /** Starts a run as the trigger's own way is. */
  async function started(made: RestAnswer["data"], { sent = {} }: Template): Promise<string> {
    const { trigger, secret } = made;
    if (trigger.kind === "schedule")
      return (await ask(service, "POST", `/api/svc/triggers/${trigger.id}/fire`, {})).data.firing.runId;
    const path = new URL(trigger.address).pathname;
    const answer = await service.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(secret && { authorization: `Bearer ${secret}` }) },
      body: JSON.stringify("Amount" in sent ? { ...sent, Amount: Number(sent["Amount"]) } : sent),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
    const envelope: any = await answer.json();
    assert.ok(answer.ok, JSON.stringify(envelope));
    return envelope.data.runId;
  }

  it("are imported with the trigger that they start with, and run", async () => {
    for (const template of templates(api.url)) {
      const report = await ask(service, "POST", "/api/svc/workflows/import", { document: template.document });
      const [proposed, ...others] = report.data.triggers;
      assert.deepEqual(others, [], template.name);
      assert.deepEqual({ ...proposed, ...template.trigger }, proposed, template.name);
      for (const { kind, name, title, url, document, state } of report.data.connections) {
        if (state !== "new") continue;
        const added = await rest(service, "POST", "", {
          kind,
          name,
          title,
          url,
          document,
          allowPrivateOrigin: true,
        });
        assert.equal(added.status, 201, JSON.stringify(added.body));
      }
      const stored = await ask(service, "POST", "/api/svc/workflows/import", {
        document: template.document,
        save: true,
      });
      const workflowId = stored.data.workflow.id;
      const made = await create(service, { workflowId, paused: true, ...proposed });
      assert.equal(made.trigger.paused, true);
      const path = `/api/svc/triggers/${made.trigger.id}`;
      assert.equal((await ask(service, "PATCH", path, { paused: false })).status, 200);
      api.seen.length = 0;
      const run = await service.app.services.engine.waitFor(await started(made, template), 120_000);
      assert.equal(run.state, "succeeded", `${template.name}: ${JSON.stringify(run.error)}`);
      for (const [request, body] of template.received) {
        const found = api.seen.find(({ method, url }) => `${method} ${url}` === request);
        assert.ok(found, `${template.name}: ${request} was not sent`);
        assert.match(found.body.toString("utf8"), body, template.name);
      }
      await ask(service, "DELETE", path);
      for (const { name } of report.data.connections) await rest(service, "DELETE", `/${name}`);
    }
  });
});
